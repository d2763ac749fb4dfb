import { existsSync, lstatSync, mkdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ZerothError } from '../../index.ts'
import { readOrdinary, writeWholeFile } from '../store/index.ts'

/** What people note about a job. Nothing else depends on it. */
export interface JobLabel {
  readonly note?: string | undefined
  readonly tags?: readonly string[] | undefined
}

const labelFile = 'label.json'

/** Where jobs go that are removed: a folder beside them. */
const trashFolder = '.trash'

const longest = { note: 4000, tag: 40 }
const mostTags = 20

/** The label of a job; what is not as `writeLabel` writes it counts as none. */
export function readLabel(folder: string): JobLabel {
  const file = join(folder, labelFile)
  try {
    return existsSync(file) ? labelOf(JSON.parse(new TextDecoder().decode(readOrdinary(file)))) : {}
  } catch {
    return {}
  }
}

/** Keeps what people note about a job. */
export function writeLabel(folder: string, label: unknown): void {
  writeWholeFile(join(folder, labelFile), `${JSON.stringify(labelOf(label))}\n`)
}

function labelOf(given: unknown): JobLabel {
  const { note, tags } = (given ?? {}) as { readonly note?: unknown; readonly tags?: unknown }
  const texts = Array.isArray(tags) ? tags.filter((each) => typeof each === 'string') : []
  const named = texts.map((each) => each.trim().slice(0, longest.tag)).filter((each) => each !== '')
  const text = typeof note === 'string' ? note.trim().slice(0, longest.note) : ''
  return {
    ...(text === '' ? {} : { note: text }),
    ...(named.length === 0 ? {} : { tags: [...new Set(named)].slice(0, mostTags) }),
  }
}

/** Gives the folder of a job another name beside where it is; returns where it is then. */
export function renameJob(folder: string, name: string): string {
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) {
    const allowed = '1 to 64 letters, digits, dots, hyphens and underscores, a letter or digit first'
    throw new ZerothError('invalid-option', `a name has ${allowed}, got ${JSON.stringify(name)}`)
  }
  const place = join(dirname(folder), name)
  if (existsSync(place)) throw new ZerothError('invalid-option', `there is a folder ${name} already`)
  renameSync(folder, place)
  return place
}

/** Moves a job to the trash beside it; returns where it is then. Who moves its folder back has it again. */
export function removeJob(folder: string): string {
  const trash = join(dirname(folder), trashFolder)
  mkdirSync(trash, { recursive: true })
  if (lstatSync(trash).isSymbolicLink()) throw new ZerothError('invalid-option', `${trash} leads elsewhere: remove it`)
  for (let number = 1; ; number++) {
    const place = join(trash, `${basename(folder)}${number === 1 ? '' : `-${number}`}`)
    if (existsSync(place)) continue
    renameSync(folder, place)
    return place
  }
}
