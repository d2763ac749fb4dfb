import { posix } from 'node:path'
import { exactJson } from '../../remote/exact-json.ts'
import type { JsonObject } from '../../spec/index.ts'
import type { Metric } from '../tracking/tracked.ts'

/** What MLflow's REST API promises to take, in entries and bytes. */
export const limits = { metrics: 1000, params: 100, tags: 100, key: 250, param: 6000, tag: 5000, request: 1_000_000 }

/** A parameter or a tag. */
export interface Entry {
  readonly key: string
  readonly value: string
}

/** A metric as MLflow keeps it: the time in milliseconds since 1970. */
export interface MlflowMetric {
  readonly key: string
  readonly value: number
  readonly timestamp: number
  readonly step: number
}

/** What can be sent, and what MLflow has no place for, in words. */
export interface Fitting<T> {
  readonly entries: readonly T[]
  readonly leftOut: readonly string[]
}

/** Settings as parameters, those inside others by the way to them: `solver.learningRate`. Lists are JSON. */
export function paramsOf(settings: JsonObject): Fitting<Entry> {
  const all = leaves(settings, '')
  const isLong = ({ value }: Entry): boolean => Buffer.byteLength(value) > limits.param
  const [odd, named] = split(all, ({ key }) => !isKey(key))
  const [long, entries] = split(named, isLong)
  return {
    entries,
    leftOut: [
      ...said(odd, 'parameter', 'MLflow takes no such names'),
      ...said(long, 'parameter', `longer than the ${limits.param} bytes of MLflow`),
    ],
  }
}

function leaves(value: unknown, key: string): Entry[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ key, value: typeof value === 'string' ? value : exactJson(value) }]
  }
  return Object.entries(value).flatMap(([name, each]) => leaves(each, key === '' ? name : `${key}.${name}`))
}

/** Facts as tags of our own; a text that is too long is cut. */
export function tagsOf(facts: Readonly<Record<string, string>>): Entry[] {
  return Object.entries(facts).map(([name, value]) => ({ key: `zeroth.${name}`, value: shortened(value) }))
}

/** At most so many bytes, none of them a part of a character. */
function shortened(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= limits.tag) return text
  return `${new TextDecoder().decode(bytes.subarray(0, limits.tag - 8)).replace(/\ufffd+$/, '')}...`
}

/** Metrics with their times. MLflow would turn infinities into the largest number: they are left out. */
export function metricsOf(metrics: readonly Metric[], began: number): Fitting<MlflowMetric> {
  const all = metrics.map(({ name, value, step, seconds }): MlflowMetric => {
    return { key: name, value, timestamp: Math.round(began + seconds * 1000), step }
  })
  const [odd, named] = split(all, ({ key }) => !isKey(key))
  const [infinite, entries] = split(named, ({ value }) => Math.abs(value) === Infinity)
  return {
    entries,
    leftOut: [
      ...said(odd, 'metric', 'MLflow takes no such names'),
      ...said(infinite, 'value', 'infinite, which MLflow cannot hold'),
    ],
  }
}

/** Those for which something holds, and the others. */
function split<T>(all: readonly T[], holds: (each: T) => boolean): [T[], T[]] {
  return [all.filter(holds), all.filter((each) => !holds(each))]
}

/** Letters, digits and a few marks; a name must not mean another one where it is the name of a file. */
function isKey(key: string): boolean {
  const isPlain = /^[\w./: -]+$/.test(key) && Buffer.byteLength(key) <= limits.key
  return isPlain && posix.normalize(key) === key && !/^(\.|\/)|\/$/.test(key)
}

/** Names that are told. */
const mostNamed = 5

function said(entries: readonly { readonly key: string }[], what: string, why: string): string[] {
  if (entries.length === 0) return []
  const keys = [...new Set(entries.map(({ key }) => JSON.stringify(key.slice(0, 80))))]
  const named = `${keys.slice(0, mostNamed).join(', ')}${keys.length > mostNamed ? ', ...' : ''}`
  return [`${entries.length} ${what}${entries.length === 1 ? '' : 's'} left out (${named}): ${why}`]
}

/** Entries in batches that fit into a request each. */
export function* batches<T>(entries: readonly T[], most: number): Generator<T[], void, void> {
  let batch: T[] = []
  let bytes = 0
  for (const entry of entries) {
    // Some room is left for what is around the entries.
    const size = Buffer.byteLength(exactJson(entry)) + 1
    if (batch.length === most || (batch.length > 0 && bytes + size > limits.request - 1000)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(entry)
    bytes += size
  }
  if (batch.length > 0) yield batch
}
