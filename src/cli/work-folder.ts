import { rmdirSync, statSync } from 'node:fs'
import { ZerothError } from '../index.ts'
import { newRunPlace, runsFolder } from '../work/folders.ts'
import { kindOf, type WorkKind } from '../work/index.ts'
import type { PageBeside } from './page-beside.ts'

/** Where a command puts its work. */
export interface OutFlags {
  readonly out?: string
  readonly resume?: boolean
}

const held: Readonly<Record<WorkKind, string>> = {
  run: 'a run',
  series: 'several runs',
  tuning: 'several runs',
  evaluation: 'an attack',
}

/** The folder of a new work, with its page where one is wanted: where that cannot be served, nothing is left behind. */
export async function placeWork(
  kind: WorkKind,
  flags: OutFlags,
  name: string,
  page: PageBeside | undefined,
): Promise<string> {
  const folder = workFolder(kind, flags, name)
  await page?.open(folder).catch((error: unknown) => {
    if (flags.out === undefined) for (const each of [folder, runsFolder]) removeIfEmpty(each)
    throw error
  })
  return folder
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // There is something in it.
  }
}

/**
 * The folder of a new work: the one that --out names, or a new one in the usual place. A work that is there is resumed only
 * where --resume asks for it.
 */
function workFolder(kind: WorkKind, { out, resume }: OutFlags, name: string): string {
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
