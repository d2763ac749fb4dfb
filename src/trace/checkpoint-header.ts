import { z } from 'zod'
import { type Checkpoint, checkpointVersion } from '../core/checkpoint.ts'
import { decodeState, encodeState } from '../core/json-memory.ts'
import { encodeNumber, numberWords } from '../core/json-number.ts'
import { savedPart } from '../core/memory.ts'
import { reasonText } from '../core/reason-text.ts'
import type { SavedMemory, Vector } from '../core/types.ts'
import { runId } from './run-folder.ts'
import type { VectorRange } from './stored-vectors.ts'

/** A checkpoint with its place in the run. */
export interface KeptCheckpoint {
  readonly id: string
  /** How many records of the journal it covers, and the checksum of the last of them. */
  readonly records: number
  readonly tip: number
  /** Bytes of the trace that it covers. */
  readonly traceBytes: number
  /** How long the run had been at work. */
  readonly seconds: number
  readonly checkpoint: Checkpoint
}

const count = z.int().min(0)
const vectorHeader = z.strictObject({
  name: z.string(),
  precision: z.enum(['float64', 'float32']),
  from: count,
  to: count,
  stored: z.enum(['float32', 'zeros']).optional(),
  length: count.optional(),
})
const number = z.union([z.number(), z.enum(numberWords)])
const state = z.record(
  z.string(),
  z.union([z.number(), z.boolean(), z.string(), z.strictObject({ number: z.enum(numberWords) })]),
)

/** The header of a checkpoint file: everything but the vectors, and where these are. */
export const headerSchema = z.strictObject({
  id: runId,
  records: count,
  tip: count,
  traceBytes: count,
  seconds: z.number().min(0),
  checkpoint: z.strictObject({
    format: z.literal('zeroth-checkpoint'),
    version: z.literal(checkpointVersion),
    solver: z.string(),
    set: z.string(),
    seed: count,
    dim: z.int().min(1),
    precision: z.enum(['float64', 'float32']),
    iteration: count,
    queries: count,
    cacheHits: count,
    retries: count,
    bestValue: number,
    finalValue: number.nullable(),
    worst: number,
    failures: z.strictObject({ count, first: z.string().nullable() }),
    skippedIterations: count,
    spacing: z.int().min(1),
    warnings: z.array(z.string()),
    memory: state,
    account: state.optional(),
  }),
  vectors: z.array(vectorHeader),
})
export type CheckpointHeader = z.output<typeof headerSchema>

/** All vectors of a checkpoint by name; the history is one, too, because it may be long. */
export function vectorsOf({ best, history, memory, account }: Checkpoint): [string, Vector][] {
  const records = history.records.flatMap((record) => [record.iteration, record.queries, record.value, record.best])
  return [
    ['best.point', best.point],
    ['history', Float64Array.from(records)],
    ...namedVectors('memory', memory),
    ...namedVectors('account', account),
  ]
}

function namedVectors(owner: string, memory: SavedMemory | undefined): [string, Vector][] {
  return Object.entries(memory?.vectors ?? {}).map(([name, vector]) => [`${owner}.${name}`, vector])
}

/** The header for a checkpoint whose vectors are at the given places. */
export function headerOf(
  { checkpoint, ...place }: KeptCheckpoint,
  vectors: readonly VectorRange[],
): z.input<typeof headerSchema> {
  const { best, history, memory, account, warnings, failures, finalValue, worst, ...rest } = checkpoint
  return {
    ...place,
    checkpoint: {
      ...rest,
      bestValue: encodeNumber(best.value),
      finalValue: finalValue === null ? null : encodeNumber(finalValue),
      worst: encodeNumber(worst),
      failures: { count: failures.count, first: failures.first === undefined ? null : reasonText(failures.first) },
      spacing: history.spacing,
      warnings: [...warnings],
      memory: encodeState(memory.state),
      ...(account === undefined ? {} : { account: encodeState(account.state) }),
    },
    vectors: [...vectors],
  }
}

/** The checkpoint that a header and its vectors describe. */
export function keptFrom(
  { checkpoint, vectors: _, ...place }: CheckpointHeader,
  vectors: Map<string, Vector>,
): KeptCheckpoint {
  const { bestValue, finalValue, worst, failures, spacing, memory, account, ...rest } = checkpoint
  const all = { vectors: Object.fromEntries(vectors), state: {} }
  const saved = (owner: 'memory' | 'account', kept: z.output<typeof state>): SavedMemory => ({
    vectors: savedPart(all, owner).vectors,
    state: decodeState(kept),
  })
  const numbers = vectors.get('history') ?? new Float64Array(0)
  const records = Array.from({ length: numbers.length / 4 }, (_, i) => {
    const [iteration, queries, value, best] = numbers.subarray(4 * i) as unknown as [number, number, number, number]
    return { iteration, queries, value, best }
  })
  return {
    ...place,
    checkpoint: {
      ...rest,
      best: { value: Number(bestValue), point: vectors.get('best.point') ?? new Float64Array(0) },
      finalValue: finalValue === null ? null : Number(finalValue),
      worst: Number(worst),
      failures: { count: failures.count, first: failures.first ?? undefined },
      history: { records, spacing },
      memory: saved('memory', memory),
      ...(account === undefined ? {} : { account: saved('account', account) }),
    },
  }
}
