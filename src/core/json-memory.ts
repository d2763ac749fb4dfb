import * as z from 'zod/mini'
import { ZerothError } from './errors.ts'
import { encodeNumber } from './json-number.ts'
import type { SavedMemory, State, Vector } from './types.ts'

/** Bytes turned into text at a time: as many arguments as a call safely takes. */
const chunk = 8192

/** A vector in JSON: its bytes, little-endian. */
export const vectorJson = z.strictObject({ precision: z.enum(['float64', 'float32']), base64: z.string() })

/** A state in JSON; numbers that JSON has no word for stand apart from names. */
export const stateJson = z.record(
  z.string(),
  z.union([
    z.number(),
    z.boolean(),
    z.string(),
    z.strictObject({ number: z.enum(['NaN', 'Infinity', '-Infinity', '-0']) }),
  ]),
)

/** A saved memory in JSON. */
export const memoryJson = z.strictObject({ vectors: z.record(z.string(), vectorJson), state: stateJson })

/** A memory as JSON, exact to the bit. */
export function encodeMemory({ vectors, state }: SavedMemory): z.input<typeof memoryJson> {
  const encoded = Object.entries(vectors).map(([name, vector]) => [name, encodeVector(vector)])
  return { vectors: Object.fromEntries(encoded), state: encodeState(state) }
}

/** Reads what `encodeMemory` wrote. */
export function decodeMemory({ vectors, state }: z.output<typeof memoryJson>): SavedMemory {
  const decoded = Object.entries(vectors).map(([name, vector]) => [name, decodeVector(vector)])
  return { vectors: Object.fromEntries(decoded), state: decodeState(state) }
}

/** A state as JSON, exact to the bit. */
export function encodeState(state: Readonly<State>): z.input<typeof stateJson> {
  const encoded = Object.entries(state).map(([name, entry]) => {
    const number = typeof entry === 'number' ? encodeNumber(entry) : undefined
    return [name, typeof number === 'string' ? { number } : entry]
  })
  return Object.fromEntries(encoded)
}

/** Reads what `encodeState` wrote. */
export function decodeState(json: z.output<typeof stateJson>): State {
  const decoded = Object.entries(json).map(([name, entry]) => [
    name,
    typeof entry === 'object' ? Number(entry.number) : entry,
  ])
  return Object.fromEntries(decoded)
}

/** A vector as JSON. */
export function encodeVector(vector: Vector): z.input<typeof vectorJson> {
  const precision = vector instanceof Float32Array ? 'float32' : 'float64'
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
  let binary = ''
  for (let first = 0; first < bytes.length; first += chunk) {
    binary += String.fromCharCode(...bytes.subarray(first, first + chunk))
  }
  return { precision, base64: btoa(binary) }
}

/** Reads what `encodeVector` wrote. */
export function decodeVector(json: z.output<typeof vectorJson>): Vector {
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
