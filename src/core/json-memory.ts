import { ZerothError } from './errors.ts'
import { encodeNumber, numberWords } from './json-number.ts'
import type { Input, Output } from './option-type.ts'
import { anyNumber, oneOf, recordOf, table, text, union, yesOrNo } from './schema.ts'
import type { SavedMemory, State, Vector } from './types.ts'

/** Bytes turned into text at a time: as many arguments as a call safely takes. */
const chunk = 8192

/** A vector in JSON: its bytes, little-endian. */
export const vectorJson = table({ precision: oneOf('float64', 'float32'), base64: text })

/** A state in JSON; numbers that JSON cannot hold are told apart from texts. */
export const stateJson = recordOf(union(anyNumber, yesOrNo, text, table({ number: oneOf(...numberWords) })))

/** A saved memory in JSON. */
export const memoryJson = table({ vectors: recordOf(vectorJson), state: stateJson })

/** A memory as JSON, exact to the bit. */
export function encodeMemory({ vectors, state }: SavedMemory): Input<typeof memoryJson> {
  const encoded = Object.entries(vectors).map(([name, vector]) => [name, encodeVector(vector)])
  return { vectors: Object.fromEntries(encoded), state: encodeState(state) }
}

/** Reads what `encodeMemory` wrote. */
export function decodeMemory({ vectors, state }: Output<typeof memoryJson>): SavedMemory {
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
export function encodeVector(vector: Vector): Input<typeof vectorJson> {
  const precision = vector instanceof Float32Array ? 'float32' : 'float64'
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
  let binary = ''
  for (let first = 0; first < bytes.length; first += chunk) {
    binary += String.fromCharCode(...bytes.subarray(first, first + chunk))
  }
  return { precision, base64: btoa(binary) }
}

/** Reads what `encodeVector` wrote. */
export function decodeVector(json: Output<typeof vectorJson>): Vector {
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
