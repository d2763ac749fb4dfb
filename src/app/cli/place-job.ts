import { rmdirSync, statSync } from 'node:fs'
import { ZerothError } from '../../index.ts'
import { newRunPlace, runsFolder } from '../jobs/folders.ts'
import { type JobKind, kindOf } from '../jobs/index.ts'
import type { PageBeside } from './terminal.ts'

/** Where a command puts its job. */
export interface OutFlags {
  readonly out?: string
  readonly resume?: boolean
}

const held: Readonly<Record<JobKind, string>> = {
  run: 'a run',
  series: 'several runs',
  tuning: 'several runs',
  evaluation: 'an attack',
}

/** Gives a new job a folder, with its page if one is wanted, and performs it. A job that writes nothing leaves no folder. */
export async function placeJob(
  kind: JobKind,
  flags: OutFlags,
  name: string,
  page: PageBeside | undefined,
  perform: (folder: string) => Promise<number>,
): Promise<number> {
  const folder = jobFolder(kind, flags, name)
  try {
    await page?.open(folder)
    return await perform(folder)
  } catch (error) {
    if (flags.out === undefined) for (const each of [folder, runsFolder]) removeIfEmpty(each)
    throw error
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // There is something in it.
  }
}

/**
 * The folder of a new job: the one that --out names, or a new one in the usual place. A job that is there is resumed only
 * where --resume asks for it.
 */
function jobFolder(kind: JobKind, { out, resume }: OutFlags, name: string): string {
  if (out === undefined) {
    if (resume === true) throw new ZerothError('invalid-option', '--resume needs --out: the folder of the work')
    return newRunPlace(out, name).folder
  }
  const { folder } = newRunPlace(out, '')
  const there = kindOf(folder)
  if (there === undefined || (there === 'run' && kind !== 'run')) return folder
  if (there !== 'run' && kind === 'run') {
    throw new ZerothError('invalid-option', `${folder} holds ${held[there]}: choose another folder`)
  }
  if (resume === true) return folder
  const advice = `zeroth resume ${out} continues it, --resume begins or continues, or choose another folder`
  throw new ZerothError('invalid-option', `${folder} holds ${held[there]} already: ${advice}`)
}

/** A folder to look for works in: it must be there, but for the usual one, which the first run makes. */
export function checkFolder(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found?.isDirectory() === true || (found === undefined && folder === runsFolder)) return
  const what = found === undefined ? `there is no folder ${folder}` : `${folder} is not a folder`
  throw new ZerothError('invalid-option', what)
}
