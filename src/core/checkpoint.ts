import { ZerothError } from './errors.ts'
import type { HistoryRecord } from './history.ts'
import { encodeNumber, numberJson } from './json-number.ts'
import { Complaint, type Input, type Output } from './option-type.ts'
import { listOf, oneOf, recordOf, table, tested, text, tuple, union, wholeFrom } from './schema.ts'
import type { Precision, Vector } from './types.ts'

/** Everything a session needs to go on as if it had never stopped: plain data, safe to clone. */
export interface Checkpoint {
  readonly format: 'zeroth-checkpoint'
  readonly version: 1
  /** The solver and the set with all their options, to refuse another run's. */
  readonly solver: string
  readonly set: string
  readonly seed: number
  readonly dim: number
  readonly precision: Precision
  readonly iteration: number
  readonly queries: number
  readonly cacheHits: number
  readonly retries: number
  readonly best: { readonly value: number; readonly point: Vector }
  /** The value of the current point, where the run had ended with its evaluation. */
  readonly finalValue: number | null
  /** The largest value seen, for the failure policy `worst`. */
  readonly worst: number
  readonly failures: { readonly count: number; readonly first: unknown }
  readonly skippedIterations: number
  readonly history: { readonly records: readonly HistoryRecord[]; readonly spacing: number }
  readonly memory: Readonly<Record<string, Vector>>
}

/** Bytes turned into text at a time: as many arguments as a call safely takes. */
const chunk = 8192

const vectorJson = table({ precision: oneOf('float64', 'float32'), base64: text })
const checkpointJson = table({
  format: oneOf('zeroth-checkpoint'),
  version: oneOf(1),
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
  memory: recordOf(vectorJson),
})

/** A checkpoint as JSON text, exact to the bit. */
export function encodeCheckpoint(checkpoint: Checkpoint): string {
  const { best, history, memory, failures, finalValue, worst, ...rest } = checkpoint
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
    memory: Object.fromEntries(Object.entries(memory).map(([name, vector]) => [name, encodeVector(vector)])),
  } satisfies Input<typeof checkpointJson>)
}

/** Reads what `encodeCheckpoint` wrote; refuses anything else. */
export function decodeCheckpoint(json: string): Checkpoint {
  const { best, history, memory, failures, finalValue, worst, ...rest } = parse(json)
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
    memory: Object.fromEntries(Object.entries(memory).map(([name, vector]) => [name, decodeVector(vector)])),
  }
}

function parse(written: string): Output<typeof checkpointJson> {
  let json: unknown
  try {
    json = JSON.parse(written)
  } catch (cause) {
    throw new ZerothError('invalid-checkpoint', 'the checkpoint is not JSON', { cause })
  }
  const found = checkpointJson.read(json)
  if (!(found instanceof Complaint)) return found
  const where = ['checkpoint', ...found.path].join('.')
  throw new ZerothError('invalid-checkpoint', `${where} is not what encodeCheckpoint wrote: it ${found.text}`)
}

function encodeVector(vector: Vector): Input<typeof vectorJson> {
  const precision = vector instanceof Float32Array ? 'float32' : 'float64'
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
  let binary = ''
  for (let first = 0; first < bytes.length; first += chunk) {
    binary += String.fromCharCode(...bytes.subarray(first, first + chunk))
  }
  return { precision, base64: btoa(binary) }
}

function decodeVector(json: Output<typeof vectorJson>): Vector {
  let binary: string
  try {
    binary = atob(json.base64)
  } catch (cause) {
    throw new ZerothError('invalid-checkpoint', 'the checkpoint holds a vector that is not base64', { cause })
  }
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i)
  const width = json.precision === 'float32' ? 4 : 8
  if (bytes.length % width !== 0) {
    throw new ZerothError('invalid-checkpoint', `the checkpoint holds a vector of ${bytes.length} bytes`)
  }
  return json.precision === 'float32' ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer)
}
