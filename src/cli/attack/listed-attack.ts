import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { folderHolder } from '../../trace/index.ts'
import { explainError } from '../explain-error.ts'
import type { ListedRun } from '../list-all.ts'
import { layout, readJson } from './attack-layout.ts'
import { readAttack } from './attack-record.ts'

/** An attack as a list shows it. */
export function listedAttack(folder: string): ListedRun {
  try {
    const { created } = readAttack(folder)
    const { status, queries } = attackStanding(folder)
    return { run: folder, kind: 'attack', created, status, queries }
  } catch (error) {
    return { run: folder, kind: 'attack', status: 'damaged', problem: explainError(error).message }
  }
}

/** How far an attack has come, in words. */
export function attackStanding(folder: string): { readonly status: string; readonly queries?: number | undefined } {
  const { summary } = readJson(join(folder, layout.summary)) ?? {}
  if (summary !== undefined) return { status: 'finished', queries: (summary as { queries?: number }).queries }
  const state = folderHolder(folder) === undefined ? 'interrupted' : 'running'
  const { looked = [], isComplete } = readJson(join(folder, layout.survey)) ?? {}
  const seen = looked as readonly { readonly standing: string }[]
  if (isComplete !== true) return { status: `${state}, ${seen.length} images seen` }
  const attacked = seen.filter(({ standing }) => standing === 'attacked').length
  return { status: `${state}, ${doneIn(folder)} of ${attacked} images` }
}

function doneIn(folder: string): number {
  const images = join(folder, layout.images)
  const names = existsSync(images) ? readdirSync(images) : []
  return names.filter((name) => existsSync(join(images, name, layout.image))).length
}
