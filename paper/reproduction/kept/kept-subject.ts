import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { writeWholeFile } from '../../../src/app/store/index.ts'
import { ZerothError } from '../../../src/index.ts'
import type { Plain } from '../tables/experiment.ts'

/** The network and the images that kept attacks are about. */
export interface KeptSubject {
  /** Model and images as keys of an attack spec, their files by name. */
  readonly spec: { readonly [key: string]: Plain }
  readonly network: FileSum
  /** Every image there was, in the order in which they are attacked. */
  readonly images: readonly FileSum[]
}

interface FileSum {
  readonly file: string
  readonly sha256: string
}

const format = { format: 'zeroth-kept-subject', version: 1 }
const subjectFile = (folder: string): string => join(folder, 'subject.json')

/** The checksums of a network and of the images that the table of a folder names. */
export function subjectOf(network: string, images: string, how: KeptSubject['spec']): KeptSubject {
  const table = readFileSync(join(images, 'labels.csv'), 'utf8').trim().split(/\r?\n/).slice(1)
  const files = table.map((line) => line.split(',', 1)[0] ?? '')
  return {
    spec: { ...how, model: basename(network), images: basename(images) },
    network: { file: basename(network), sha256: sumOf(network) },
    images: [...files, 'labels.csv'].map((file) => ({ file, sha256: sumOf(join(images, file)) })),
  }
}

/** Writes what kept attacks are about; another subject than the one that is there is refused. */
export function writeSubject(folder: string, subject: KeptSubject): void {
  const before = readSubject(folder)
  if (before !== undefined && before.network.sha256 !== subject.network.sha256) {
    throw new ZerothError('invalid-option', `${folder} keeps attacks of another network, ${before.network.file}`)
  }
  if (before !== undefined) checkImages(folder, before, subject.images)
  writeWholeFile(subjectFile(folder), `${JSON.stringify({ ...format, ...subject }, null, 1)}\n`)
}

/** What the attacks kept in a folder are about; undefined where it does not say. */
export function readSubject(folder: string): KeptSubject | undefined {
  if (!existsSync(subjectFile(folder))) return undefined
  const { format: _, version: __, ...subject } = JSON.parse(readFileSync(subjectFile(folder), 'utf8'))
  return subject as KeptSubject
}

/** Refuses to go on with kept attacks where the images in a folder are others. */
export function checkFolder(folder: string, images: string): void {
  const subject = readSubject(folder)
  if (subject === undefined || !existsSync(join(images, 'labels.csv'))) return
  const there = subject.images.flatMap(({ file }) =>
    existsSync(join(images, file)) ? [{ file, sha256: sumOf(join(images, file)) }] : [],
  )
  checkImages(folder, subject, there)
}

function checkImages(folder: string, { images }: KeptSubject, there: readonly FileSum[]): void {
  const known = new Map(there.map(({ file, sha256 }) => [file, sha256]))
  const other = images.find(({ file, sha256 }) => known.get(file) !== sha256)
  if (other === undefined) return
  const what = known.has(other.file) ? `${other.file} is another` : `${other.file} is missing`
  throw new ZerothError('invalid-option', `${folder} keeps attacks of other images: ${what}`)
}

function sumOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
