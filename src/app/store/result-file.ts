import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Outcome, reasonText } from '../../optimizer/core/errors.ts'
import { jsonSafe, storedNumber as number } from '../../optimizer/core/exact-json.ts'
import {
  integerFrom,
  json,
  listOf,
  numberFrom,
  type Output,
  oneOf,
  optional,
  recordOf,
  refine,
  type Type,
  table,
  text,
} from '../../optimizer/core/options.ts'
import type { NamedPoint } from '../../optimizer/core/variable-types.ts'
import type { RunMeta } from './meta-file.ts'
import { readWhole, type StoreFiles, writeAtomically } from './run-file.ts'
import { fileNames, runId } from './run-folder.ts'
import { sealedJson, unsealJson } from './sealed-json.ts'
import { vectorBytes } from './vectors.ts'

const count = integerFrom(0)
const point = listOf(number)

const resultTable = table({
  status: oneOf('finished', 'aborted', 'failed'),
  stopReason: oneOf(
    'max-queries',
    'max-iterations',
    'max-time',
    'target',
    'patience',
    'converged',
    'callback',
    'aborted',
    'objective-failed',
  ),
  value: number,
  point,
  /** The best point by the names of its variables, where they have names. */
  variables: optional(recordOf(json) as Type<NamedPoint, NamedPoint>),
  /** The answers at the point of a run whose answers vary. */
  estimate: optional(table({ mean: number, error: number, answers: count })),
  last: table({ value: number, point }),
  queries: count,
  cacheHits: count,
  retries: count,
  iterations: count,
  failures: table({ count, first: optional(text) }),
  skippedIterations: count,
  warnings: listOf(text),
  /** What a method that chooses for itself did. */
  phases: optional(listOf(table({ method: text, why: text, queries: count, value: number }))),
  seed: count,
  seconds: numberFrom(0),
  /** SHA-256 over the final point, then the best point, as little-endian float64. */
  hash: refine(text, (hash) => /^[0-9a-f]{64}$/.test(hash), 'must be a SHA-256'),
  /** Why it failed, where it did. */
  error: optional(text),
})

const fileSchema = table({
  format: oneOf('zeroth-result'),
  version: oneOf(1),
  id: runId,
  created: text,
  /** How often the run had been extended: a result from before an extension is out of date. */
  extensions: count,
  ...resultTable.shape,
})

/** The result of a run, as JSON keeps it. */
export type RunResult = Output<typeof resultTable>

/** The result of a run that has ended. */
export function resultOf(outcome: Outcome, seconds: number): RunResult {
  const { stopReason, status, value, queries, cacheHits, retries, iterations, skippedIterations, seed } = outcome
  const { first } = outcome.failures
  return {
    status,
    stopReason,
    value,
    point: [...outcome.point],
    ...(outcome.variables === undefined ? {} : { variables: outcome.variables }),
    ...(outcome.estimate && { estimate: outcome.estimate }),
    last: { value: outcome.last.value, point: [...outcome.last.point] },
    queries,
    cacheHits,
    retries,
    iterations,
    failures: { count: outcome.failures.count, ...(first === undefined ? {} : { first: reasonText(first) }) },
    skippedIterations,
    warnings: [...outcome.warnings],
    ...(outcome.phases && { phases: [...outcome.phases] }),
    seed,
    seconds,
    hash: hashOf(outcome.last.point, outcome.point),
    ...(outcome.status === 'failed' ? { error: outcome.error.message } : {}),
  }
}

/** The same with empty points, for runs whose points are kept elsewhere; the hash still tells which they were. */
export function withoutPoints(result: RunResult): RunResult {
  return { ...result, point: [], last: { ...result.last, point: [] } }
}

/** SHA-256 over the final point, then the best point, as little-endian float64. */
export function hashOf(last: ArrayLike<number>, best: ArrayLike<number>): string {
  const hash = createHash('sha256')
  for (const each of [last, best]) hash.update(vectorBytes(Float64Array.from(each)))
  return hash.digest('hex')
}

/** A result as JSON can say it: NaN, infinities and -0 become words. */
export function resultJson(result: RunResult): Record<string, unknown> {
  return jsonSafe(result) as Record<string, unknown>
}

/** Writes result.json. */
export function writeResult(files: StoreFiles, folder: string, meta: RunMeta, result: RunResult): void {
  const { id, created } = meta
  const head = { format: 'zeroth-result', version: 1, id, created, extensions: meta.extensions.length }
  writeAtomically(files, join(folder, fileNames.result), [sealedJson({ ...head, ...resultJson(result) })])
}

/**
 * The result of a run; undefined where it has none, or only another run's or one from before its latest extension. Throws
 * where the file is damaged.
 */
export function readResult(files: StoreFiles, folder: string, meta: RunMeta): RunResult | undefined {
  const path = join(folder, fileNames.result)
  const bytes = readWhole(files, path)
  if (bytes === undefined) return undefined
  const found = unsealJson(path, bytes, { format: 'zeroth-result', schema: fileSchema })
  const { format: _, version: __, id, created, extensions, ...result } = found
  const current = id === meta.id && created === meta.created && extensions === meta.extensions.length
  return current ? result : undefined
}
