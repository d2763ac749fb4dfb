import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { AttackSummary, CanaryRecord, ImageRecord, NoiseRecord } from '../../src/robustness/records.ts'
import type { Ended } from './zeroth.ts'

/** What `zeroth attack --json` prints. */
export interface AttackObject {
  readonly status: string
  readonly summary: AttackSummary
  readonly images: readonly Omit<ImageRecord, 'curve'>[]
  readonly universal: { readonly queries: number; readonly images: number } | null
  readonly canaries: CanaryRecord | null
  readonly noise: NoiseRecord | null
  readonly warnings: readonly string[]
  readonly run: string
  readonly report: string
  readonly settings: Readonly<Record<string, unknown>>
}

/** The one JSON object that was printed; anything else on stdout is an error. */
export function attackObject({ stdout, stderr }: Ended): AttackObject {
  if (!/^\{[^\n]*\}\n$/.test(stdout)) throw new Error(`not one line of JSON: ${stdout}${stderr}`)
  return JSON.parse(stdout)
}

/** What does not depend on where and when an attack was made: all but times, and the hashes of the points. */
export function essence(folder: string): Record<string, string> {
  const kept = /(image\.json|\.png|summary\.json|screening\.json|images\.csv)$/
  const files = filesIn(folder).filter((file) => kept.test(file))
  const contents = files.map((file) => [file, digest(readFileSync(join(folder, file)))])
  const hashes = filesIn(folder)
    .filter((file) => file.endsWith('result.json'))
    .map((file) => [file, (JSON.parse(readFileSync(join(folder, file), 'utf8')) as { hash: string }).hash])
  return Object.fromEntries([...contents, ...hashes].sort(([a = ''], [b = '']) => (a < b ? -1 : 1)))
}

/** The same but for how often a query was asked in vain, which outages change, and nothing else. */
export function outcomes(folder: string): Record<string, string> {
  const found = essence(folder)
  const texts = Object.keys(found).filter((file) => /\.json$/.test(file) && !file.endsWith('result.json'))
  const { 'images.csv': _, ...rest } = found
  return { ...rest, ...Object.fromEntries(texts.map((file) => [file, withoutFailures(join(folder, file))])) }
}

function withoutFailures(file: string): string {
  const kept = (key: string, value: unknown): unknown => {
    // The seal of a file is about all that it says.
    if (key === 'failedQueries' || key === 'retries' || key === 'sha256') return undefined
    if (key !== 'warnings' || !Array.isArray(value)) return value
    return value.filter((text) => !/(was|were) retried$/.test(String(text)))
  }
  return JSON.stringify(JSON.parse(readFileSync(file, 'utf8')), kept)
}

/** All files below a folder. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(join(folder, file)).isFile(),
  )
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
