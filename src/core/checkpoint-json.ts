import { checkCheckpointVersion } from './check-checkpoint-version.ts'
import { type Checkpoint, checkpointVersion } from './checkpoint.ts'
import { ZerothError } from './errors.ts'
import { decodeMemory, decodeVector, encodeMemory, encodeVector, memoryJson, vectorJson } from './json-memory.ts'
import { encodeNumber, numberJson } from './json-number.ts'
import { Complaint, type Input, type Output } from './option-type.ts'
import { optional } from './options.ts'
import { listOf, oneOf, table, tested, text, tuple, union, wholeFrom } from './schema.ts'

const checkpointJson = table({
  format: oneOf('zeroth-checkpoint'),
  version: oneOf(checkpointVersion),
  solver: text,
  set: text,
  seed: wholeFrom(0),
  dim: wholeFrom(1),
  precision: oneOf('float64', 'float32'),
  iteration: wholeFrom(0),
  queries: wholeFrom(0),
  cacheHits: wholeFrom(0),
  retries: wholeFrom(0),
  best: table({ value: numberJson, point: vectorJson }),
  finalValue: union(
    numberJson,
    tested<null>((value) => value === null, 'must be null'),
  ),
  worst: numberJson,
  failures: table({ count: wholeFrom(0), first: tested<unknown>(() => true, '') }),
  skippedIterations: wholeFrom(0),
  history: table({
    records: listOf(tuple(wholeFrom(0), wholeFrom(0), numberJson, numberJson)),
    spacing: wholeFrom(1),
  }),
  warnings: listOf(text),
  memory: memoryJson,
  account: optional(memoryJson),
})

/** A checkpoint as JSON text, exact to the bit. */
export function encodeCheckpoint(checkpoint: Checkpoint): string {
  const { best, history, memory, account, warnings, failures, finalValue, worst, ...rest } = checkpoint
  return JSON.stringify({
    ...rest,
    best: { value: encodeNumber(best.value), point: encodeVector(best.point) },
    finalValue: finalValue === null ? null : encodeNumber(finalValue),
    worst: encodeNumber(worst),
    failures: { count: failures.count, first: failures.first === undefined ? null : String(failures.first) },
    history: {
      spacing: history.spacing,
      records: history.records.map((r) => [r.iteration, r.queries, encodeNumber(r.value), encodeNumber(r.best)]),
    },
    warnings: [...warnings],
    memory: encodeMemory(memory),
    ...(account === undefined ? {} : { account: encodeMemory(account) }),
  } satisfies Input<typeof checkpointJson>)
}

/** Reads what `encodeCheckpoint` wrote; refuses anything else. */
export function decodeCheckpoint(written: string): Checkpoint {
  const { best, history, memory, account, failures, finalValue, worst, ...rest } = parse(written)
  return {
    ...rest,
    best: { value: Number(best.value), point: decodeVector(best.point) },
    finalValue: finalValue === null ? null : Number(finalValue),
    worst: Number(worst),
    failures: { count: failures.count, first: failures.first ?? undefined },
    history: {
      spacing: history.spacing,
      records: history.records.map(([iteration, queries, value, bestValue]) => ({
        iteration,
        queries,
        value: Number(value),
        best: Number(bestValue),
      })),
    },
    memory: decodeMemory(memory),
    ...(account === undefined ? {} : { account: decodeMemory(account) }),
  }
}

function parse(written: string): Output<typeof checkpointJson> {
  let json: unknown
  try {
    json = JSON.parse(written)
  } catch (cause) {
    throw new ZerothError('invalid-checkpoint', 'the checkpoint is not JSON', { cause })
  }
  checkCheckpointVersion((json as { version?: unknown } | null)?.version)
  const found = checkpointJson.read(json)
  if (!(found instanceof Complaint)) return found
  const where = ['checkpoint', ...found.path].join('.')
  throw new ZerothError('invalid-checkpoint', `${where} is not what encodeCheckpoint wrote: it ${found.text}`)
}
