import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import type { Outcome } from '../core/errors.ts'
import { encodeNumber, numberWords } from '../core/json-number.ts'
import { jsonSafe } from '../core/json-safe.ts'
import { reasonText } from '../core/reason-text.ts'
import type { RunMeta } from './meta-file.ts'
import { readWhole, writeAtomically } from './run-file.ts'
import { fileNames, runId } from './run-folder.ts'
import { type Migration, sealedJson, unsealJson } from './sealed-json.ts'
import type { StoreFiles } from './store-files.ts'
import { vectorBytes } from './vector-bytes.ts'

const count = z.int().min(0)
const number = z.union([z.number(), z.enum(numberWords).transform(Number)])
const point = z.array(number)

const resultFields = {
  status: z.enum(['finished', 'aborted', 'failed']),
  stopReason: z.enum([
    'max-queries',
    'max-iterations',
    'max-time',
    'target',
    'converged',
    'callback',
    'aborted',
    'objective-failed',
  ]),
  value: number,
  point,
  /** The best point by the names of its variables, where they have names. */
  variables: z.record(z.string(), number).optional(),
  last: z.strictObject({ value: number, point }),
  queries: count,
  cacheHits: count,
  retries: count,
  iterations: count,
  failures: z.strictObject({ count, first: z.string().optional() }),
  skippedIterations: count,
  warnings: z.array(z.string()),
  /** What a method that chooses for itself did. */
  phases: z.array(z.strictObject({ method: z.string(), why: z.string(), queries: count, value: number })).optional(),
  seed: count,
  seconds: z.number().min(0),
  /** SHA-256 over the final point, then the best point, as little-endian float64. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** Why it failed, where it did. */
  error: z.string().optional(),
}

const fileSchema = z.strictObject({
  format: z.literal('zeroth-result'),
  version: z.literal(1),
  id: runId,
  created: z.string(),
  /** How often the run had been extended: a result from before an extension is out of date. */
  extensions: count,
  ...resultFields,
})
const migrations: readonly Migration[] = []

/** The result of a run, as JSON keeps it. */
export type RunResult = Readonly<z.output<z.ZodObject<typeof resultFields>>>

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
  const { value, point, variables, last, phases } = result
  return {
    ...result,
    value: encodeNumber(value),
    ...(variables === undefined ? {} : { variables: jsonSafe(variables) }),
    point: point.map(encodeNumber),
    last: { value: encodeNumber(last.value), point: last.point.map(encodeNumber) },
    ...(phases && { phases: phases.map((phase) => ({ ...phase, value: encodeNumber(phase.value) })) }),
  }
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
  const found = unsealJson(path, bytes, { format: 'zeroth-result', schema: fileSchema, migrations })
  const { format: _, version: __, id, created, extensions, ...result } = found
  const current = id === meta.id && created === meta.created && extensions === meta.extensions.length
  return current ? result : undefined
}
