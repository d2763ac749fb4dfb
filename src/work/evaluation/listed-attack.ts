import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Looked } from '../../attacks/index.ts'
import { folderHolder } from '../../trace/index.ts'
import { imageFolder, layout, readJson } from './attack-layout.ts'
import { victimsOf } from './victims-of.ts'

/** How far an attack has come. */
export interface AttackStanding {
  /** In words. */
  readonly status: string
  /** Of one that has finished. */
  readonly queries?: number | undefined
  /** Of one that has not: images that are done, of those to be attacked as far as they are known. */
  readonly done?: { readonly images: number; readonly of: number } | undefined
}

/** How far an attack has come, by its files. */
export function attackStanding(folder: string): AttackStanding {
  const { summary } = readJson(join(folder, layout.summary)) ?? {}
  if (summary !== undefined) return { status: 'finished', queries: (summary as { queries?: number }).queries }
  const state = folderHolder(folder) === undefined ? 'interrupted' : 'running'
  const { looked = [], isComplete } = readJson(join(folder, layout.survey)) ?? {}
  const seen = looked as readonly Looked[]
  const victims = victimsOf(seen)
  const images = victims.filter((index) => existsSync(join(folder, imageFolder(index), layout.image))).length
  const done = { images, of: victims.length }
  if (isComplete !== true) return { status: `${state}, ${seen.length} images seen`, done }
  return { status: `${state}, ${images} of ${victims.length} images`, done }
}
