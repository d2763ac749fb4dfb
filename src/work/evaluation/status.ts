import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type AttackReport, screenedRecord, summarizeAttack } from '../../attacks/index.ts'
import { messageOf } from '../../core/errors.ts'
import { ZerothError } from '../../index.ts'
import { folderHolder } from '../../trace/index.ts'
import type { WorkStatus } from '../work.ts'
import { imageFolder, layout, readImages, readJson, readReport } from './attack-files.ts'
import { type AttackRecord, readAttack } from './attack-record.ts'
import { readScreening, victimsOf } from './screening.ts'

/** An evaluation as its files tell it. */
export interface StoredAttack {
  /** What it is called beside others; that of its folder unless given. */
  readonly name?: string
  readonly folder: string
  readonly record: AttackRecord
  readonly report: AttackReport
}

/** How far an attack is. */
export interface AttackState {
  readonly state: 'running' | 'interrupted' | 'finished'
  /** In words. */
  readonly status: string
  /** Of one that has finished. */
  readonly queries?: number | undefined
  /** Of one that has not: images that are done, of those to be attacked as far as they are known. */
  readonly done?: { readonly images: number; readonly of: number } | undefined
}

/** How far an attack is, by its files. */
export function attackState(folder: string): AttackState {
  const { summary } = readJson(join(folder, layout.summary)) ?? {}
  if (summary !== undefined) {
    return { state: 'finished', status: 'finished', queries: (summary as { queries?: number }).queries }
  }
  const state = folderHolder(folder) === undefined ? 'interrupted' : 'running'
  const { screened, isComplete } = readScreening(folder) ?? { screened: [], isComplete: false }
  const victims = victimsOf(screened)
  const images = victims.filter((index) => existsSync(join(folder, imageFolder(index), layout.image))).length
  const done = { images, of: victims.length }
  if (!isComplete) return { state, status: `${state}, ${screened.length} images screened`, done }
  return { state, status: `${state}, ${images} of ${victims.length} images`, done }
}

/** How far the evaluation in a folder is. One that cannot be read says why. */
export function evaluationStatus(folder: string): WorkStatus {
  try {
    const { created } = readAttack(folder)
    const { state, queries, done } = attackState(folder)
    const items = done === undefined ? undefined : { done: done.images, total: done.of }
    return { kind: 'evaluation', folder, state, created, queries, items }
  } catch (error) {
    return { kind: 'evaluation', folder, state: 'damaged', problem: messageOf(error) }
  }
}

/** Reads the evaluation in a folder without touching it; of one that has not finished, what is known of it so far. */
export function readEvaluation(folder: string): StoredAttack {
  const record = readAttack(folder)
  const report = readReport(folder)
  if (report !== undefined) return { folder, record, report }
  const { status } = attackState(folder)
  if (record.spec.universal === true) {
    throw new ZerothError('invalid-option', `${folder} has not finished (${status}): zeroth resume continues it`)
  }
  const known = readImages(folder)
  const images = (readScreening(folder)?.screened ?? []).flatMap((image) => {
    const done = known.get(image.index)
    if (done !== undefined) return [done]
    return image.status === 'attacked' ? [] : [screenedRecord(image)]
  })
  const summary = summarizeAttack(images, { lambda: Number(record.spec.lambda), kappa: Number(record.spec.kappa) })
  const warnings = [`the attack has not finished: ${status}`]
  return { folder, record, report: { summary, images, universal: null, warnings } }
}
