import { writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { folderHolder } from '../trace/index.ts'
import { kindOf } from './folders.ts'
import { stopFile } from './performing.ts'

/**
 * Asks the process that performs a work to save it and stop, as Ctrl-C would; it does so within a quarter of a second. A
 * member stops with the work it is part of. False where no process performs it: there is nothing to stop.
 */
export async function requestStop(folder: string): Promise<boolean> {
  const performed = performedFolder(resolve(folder))
  if (performed === undefined) return false
  writeFileSync(join(performed, stopFile), '')
  return true
}

/** The outermost folder whose process performs this one: the runs of an evaluation are two levels below it. */
function performedFolder(folder: string): string | undefined {
  const around = [folder, dirname(folder), dirname(dirname(folder))]
  return around.findLast((each) => kindOf(each) !== undefined && folderHolder(each) !== undefined)
}
