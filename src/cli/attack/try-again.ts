import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type ImageRecord, type Looked, missingImages, survey } from '../../attacks/index.ts'
import type { Dataset } from '../../datasets/index.ts'
import type { Model } from '../../models/index.ts'
import { readImages } from './attack-files.ts'
import { imageFolder, layout } from './attack-layout.ts'

/** Whether an image failed although it could be read and has a label: the model did not answer, and may now. */
export function isWorthAnother({ status, predicted, modelCalls }: Omit<ImageRecord, 'files'>): boolean {
  return status === 'failed' && (predicted !== null || modelCalls > 0)
}

function isWorthAnotherLook({ standing, modelCalls }: Looked): boolean {
  return standing === 'failed' && modelCalls > 0
}

/**
 * Forgets what came of images whose attack failed, so that they are attacked again from their beginning. What the attack
 * came to as a whole goes first: however this ends, nobody takes it for the last word.
 */
export function forgetFailures(folder: string, isUniversal: boolean, note: (text: string) => void): void {
  const failed = [...readImages(folder).values()].filter(isWorthAnother).sort((a, b) => a.index - b.index)
  if (failed.length === 0) return
  forgetSummary(folder)
  if (isUniversal) forget(folder, layout.universal)
  for (const { index } of failed) {
    note(`image ${index}: tried again`)
    forget(folder, imageFolder(index))
  }
}

/** What a look at the images is to find. */
export interface SecondLook {
  readonly model: Model
  readonly dataset: Dataset
  readonly count: number | undefined
  readonly target: number | 'next' | undefined
  readonly signal: AbortSignal
  readonly note: (text: string) => void
}

/**
 * Looks again at images the model did not answer for; what is known of the others stays. As many images are then attacked
 * as were asked for: those that took the place of a failed one are not needed if that can be attacked now.
 */
export async function lookAgain(old: readonly Looked[], wanted: SecondLook): Promise<readonly Looked[]> {
  const { model, dataset, count, target, signal, note } = wanted
  if (!old.some(isWorthAnotherLook)) return old
  let looked: Looked[] = []
  while (looked.length < old.length && missingImages(looked, count, dataset.count) > 0) {
    const rest = old.slice(looked.length)
    const known = rest.findIndex(isWorthAnotherLook)
    if (known !== 0) {
      looked.push(rest[0] as Looked)
      continue
    }
    const next = rest.findIndex((each) => !isWorthAnotherLook(each))
    const end = next < 0 ? old.length : looked.length + next
    const begin = looked.length
    looked = await survey(model, firstOf(dataset, end), { count, target, signal, looked })
    for (const { index } of looked.slice(begin)) note(`image ${index}: looked at again`)
  }
  return looked
}

/** Takes back what an attack came to as a whole, which is written again at its end. */
export function forgetSummary(folder: string): void {
  for (const file of [layout.summary, layout.page, layout.table]) rmSync(join(folder, file), { force: true })
}

/** Takes back a shared perturbation, which was found for other images. */
export function forgetUniversal(folder: string): void {
  forget(folder, layout.universal)
}

function forget(folder: string, below: string): void {
  rmSync(join(folder, below), { recursive: true, force: true })
}

/** The first images of a data set. */
function firstOf(dataset: Dataset, count: number): Dataset {
  return {
    name: dataset.name,
    count,
    title: (index) => dataset.title(index),
    label: (index) => dataset.label(index),
    read: (index) => dataset.read(index),
  }
}
