import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { JsonObject } from '../../../spec/index.ts'
import { replaceSpec, writeWholeFile } from '../../../trace/index.ts'
import { isRun } from '../../folders.ts'
import { imageFolder, layout } from '../attack-files.ts'
import type { RunFile } from './image-parcel.ts'

/** Ends the names of folders whose files are still being written. */
const unfinished = '.part'

/** Whether an attack on an image has begun in this folder: it goes on there. */
export function isBegun(folder: string, index: number): boolean {
  return isRun(join(folder, imageFolder(index)))
}

/** Puts the files of a run that was made elsewhere where its image has them: all at once, or not at all. */
export function keepFiles(folder: string, index: number, files: readonly RunFile[], spec: JsonObject): void {
  if (files.length === 0) return
  const final = join(folder, imageFolder(index))
  const part = `${final}${unfinished}`
  rmSync(part, { recursive: true, force: true })
  for (const { path, bytes } of files) {
    const file = join(part, path)
    mkdirSync(dirname(file), { recursive: true })
    writeWholeFile(file, bytes)
    // Workers are not told where the model is.
    if (path.endsWith('meta.json')) replaceSpec(dirname(file), (own) => ({ ...own, attack: spec }))
  }
  rmSync(final, { recursive: true, force: true })
  renameSync(part, final)
}

/** Removes what a process that was killed had not written to its end. */
export function sweepFiles(folder: string): void {
  const images = join(folder, layout.images)
  if (!existsSync(images)) return
  for (const name of readdirSync(images)) {
    if (name.endsWith(unfinished)) rmSync(join(images, name), { recursive: true, force: true })
  }
}
