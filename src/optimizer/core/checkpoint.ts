import { ZerothError } from './errors.ts'
import { encodeNumber, numberWords, storedNumber } from './exact-json.ts'
import {
  custom,
  flag,
  type Input,
  Issue,
  integerFrom,
  listOf,
  nullable,
  number,
  type Output,
  oneOf,
  optional,
  recordOf,
  table,
  text,
  tuple,
  union,
} from './options.ts'
import { checkpointVersion } from './part.ts'
import type { Checkpoint, SavedMemory, State, Vector } from './types.ts'

/** Bytes turned into text at a time: as many arguments as a call safely takes. */
const chunk = 8192

/** A vector in JSON: its bytes, little-endian. */
const vectorJson = table({
  precision: oneOf('float64', 'float32'),
  base64: text,
})

/** A state in JSON; numbers that JSON cannot hold are told apart from texts. */
export const stateJson = /* @__PURE__ */ makeStateJson()

function makeStateJson() {
  return recordOf(union(number, flag, text, table({ number: oneOf(...numberWords) })))
}

/** A saved memory in JSON. */
const memoryJson = table({
  vectors: recordOf(vectorJson),
  state: stateJson,
})

const checkpointJson = table({
  format: oneOf('zeroth-checkpoint'),
  version: oneOf(checkpointVersion),
  solver: text,
  set: text,
  seed: integerFrom(0),
  dim: integerFrom(1),
  precision: oneOf('float64', 'float32'),
  iteration: integerFrom(0),
  queries: integerFrom(0),
  gained: optional(integerFrom(0)),
  cacheHits: integerFrom(0),
  retries: integerFrom(0),
  best: table({ value: storedNumber, point: vectorJson }),
  finalValue: nullable(storedNumber),
  worst: storedNumber,
  failures: table({ count: integerFrom(0), first: custom<unknown>(() => true, ''), streak: optional(integerFrom(0)) }),
  skippedIterations: integerFrom(0),
  history: table({
    records: listOf(tuple(integerFrom(0), integerFrom(0), storedNumber, storedNumber)),
    spacing: integerFrom(1),
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
    failures: { ...failures, first: failures.first === undefined ? null : String(failures.first) },
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
  const { best, history, memory, account, failures, ...rest } = parse(written)
  return {
    ...rest,
    best: { value: best.value, point: decodeVector(best.point) },
    failures: { ...failures, first: failures.first ?? undefined },
    history: {
      spacing: history.spacing,
      records: history.records.map(([iteration, queries, value, bestValue]) => ({
        iteration,
        queries,
        value,
        best: bestValue,
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
  const found = checkpointJson.read(json)
  if (!(found instanceof Issue)) return found
  const where = ['checkpoint', ...found.path].join('.')
  throw new ZerothError('invalid-checkpoint', `${where} is not what encodeCheckpoint wrote: it ${found.text}`)
}

/** A memory as JSON, exact to the bit. */
function encodeMemory({ vectors, state }: SavedMemory): Input<typeof memoryJson> {
  const encoded = Object.entries(vectors).map(([name, vector]) => [name, encodeVector(vector)])
  return { vectors: Object.fromEntries(encoded), state: encodeState(state) }
}

/** Reads what `encodeMemory` wrote. */
function decodeMemory({ vectors, state }: Output<typeof memoryJson>): SavedMemory {
  const decoded = Object.entries(vectors).map(([name, vector]) => [name, decodeVector(vector)])
  return { vectors: Object.fromEntries(decoded), state: decodeState(state) }
}

/** A state as JSON, exact to the bit. */
export function encodeState(state: Readonly<State>): Input<typeof stateJson> {
  const encoded = Object.entries(state).map(([name, entry]) => {
    const number = typeof entry === 'number' ? encodeNumber(entry) : undefined
    return [name, typeof number === 'string' ? { number } : entry]
  })
  return Object.fromEntries(encoded)
}

/** Reads what `encodeState` wrote. */
export function decodeState(json: Output<typeof stateJson>): State {
  const decoded = Object.entries(json).map(([name, entry]) => [
    name,
    typeof entry === 'object' ? Number(entry.number) : entry,
  ])
  return Object.fromEntries(decoded)
}

/** A vector as JSON. */
function encodeVector(vector: Vector): Input<typeof vectorJson> {
  const precision = vector instanceof Float32Array ? 'float32' : 'float64'
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
  let binary = ''
  for (let first = 0; first < bytes.length; first += chunk) {
    binary += String.fromCharCode(...bytes.subarray(first, first + chunk))
  }
  return { precision, base64: btoa(binary) }
}

/** Reads what `encodeVector` wrote. */
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
