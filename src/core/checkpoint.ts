import { z } from 'zod'
import { ZerothError } from './errors.ts'
import type { HistoryRecord } from './history.ts'
import { encodeNumber, numberJson } from './json-number.ts'
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

const vectorJson = z.strictObject({ precision: z.enum(['float64', 'float32']), base64: z.string() })
const checkpointJson = z.strictObject({
  format: z.literal('zeroth-checkpoint'),
  version: z.literal(1),
  solver: z.string(),
  set: z.string(),
  seed: z.int().min(0),
  dim: z.int().min(1),
  precision: z.enum(['float64', 'float32']),
  iteration: z.int().min(0),
  queries: z.int().min(0),
  cacheHits: z.int().min(0),
  retries: z.int().min(0),
  best: z.strictObject({ value: numberJson, point: vectorJson }),
  finalValue: numberJson.nullable(),
  worst: numberJson,
  failures: z.strictObject({ count: z.int().min(0), first: z.unknown() }),
  skippedIterations: z.int().min(0),
  history: z.strictObject({
    records: z.array(z.tuple([z.int(), z.int(), numberJson, numberJson])),
    spacing: z.int().min(1),
  }),
  memory: z.record(z.string(), vectorJson),
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
  } satisfies z.input<typeof checkpointJson>)
}

/** Reads what `encodeCheckpoint` wrote; refuses anything else. */
export function decodeCheckpoint(text: string): Checkpoint {
  const { best, history, memory, failures, finalValue, worst, ...rest } = parse(text)
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

function parse(text: string): z.output<typeof checkpointJson> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new ZerothError('invalid-checkpoint', 'the checkpoint is not JSON', { cause })
  }
  const result = checkpointJson.safeParse(json)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const where = ['checkpoint', ...(issue?.path ?? [])].join('.')
  throw new ZerothError('invalid-checkpoint', `${where} is not what encodeCheckpoint wrote: ${issue?.message}`)
}

function encodeVector(vector: Vector): z.input<typeof vectorJson> {
  const precision = vector instanceof Float32Array ? 'float32' : 'float64'
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
  let binary = ''
  for (let first = 0; first < bytes.length; first += chunk) {
    binary += String.fromCharCode(...bytes.subarray(first, first + chunk))
  }
  return { precision, base64: btoa(binary) }
}

function decodeVector(json: z.output<typeof vectorJson>): Vector {
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
