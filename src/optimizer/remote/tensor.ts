import { numberOf, shownReply } from '../core/exact-json.ts'

/** How an input or output of a served model is declared; -1 stands for a size that may vary. */
export interface TensorMetadata {
  readonly name: string
  readonly datatype: string
  readonly shape: readonly number[]
}

/** The numbers of a tensor, one row after the other. */
export type TensorData =
  | Float64Array
  | Float32Array
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array

/** What a model is given or gives back. */
export interface Tensor extends TensorMetadata {
  readonly data: TensorData
}

/** What is known of a type of numbers. */
export interface Datatype {
  /** Bytes of a number on the wire. */
  readonly size: number
  readonly kind: 'float' | 'integer' | 'boolean'
  readonly make: (length: number) => TensorData
}

/** The types of numbers that can be sent and read; those of FP16 are float32 ones here. */
export const datatypes: Readonly<Record<string, Datatype>> = {
  FP64: { size: 8, kind: 'float', make: (length) => new Float64Array(length) },
  FP32: { size: 4, kind: 'float', make: (length) => new Float32Array(length) },
  FP16: { size: 2, kind: 'float', make: (length) => new Float32Array(length) },
  INT64: { size: 8, kind: 'integer', make: (length) => new BigInt64Array(length) },
  INT32: { size: 4, kind: 'integer', make: (length) => new Int32Array(length) },
  INT16: { size: 2, kind: 'integer', make: (length) => new Int16Array(length) },
  INT8: { size: 1, kind: 'integer', make: (length) => new Int8Array(length) },
  UINT64: { size: 8, kind: 'integer', make: (length) => new BigUint64Array(length) },
  UINT32: { size: 4, kind: 'integer', make: (length) => new Uint32Array(length) },
  UINT16: { size: 2, kind: 'integer', make: (length) => new Uint16Array(length) },
  UINT8: { size: 1, kind: 'integer', make: (length) => new Uint8Array(length) },
  BOOL: { size: 1, kind: 'boolean', make: (length) => new Uint8Array(length) },
}

/** The type of that name, if it is one of numbers. */
export function datatypeOf(name: string): Datatype | undefined {
  return Object.hasOwn(datatypes, name) ? datatypes[name] : undefined
}

/** How many numbers a tensor of this shape holds. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1)
}

const hostIsLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

/** The numbers as the binary tensor extension sends them: little-endian, whatever the machine. */
export function bytesOfNumbers(data: TensorData): Uint8Array {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  return hostIsLittleEndian ? bytes : swapped(bytes, data.BYTES_PER_ELEMENT)
}

/** The numbers in a piece of a reply: float32 ones where they are, if they can be read there, others in memory of their own. */
export function numbersOfBytes(bytes: Uint8Array, datatype: Datatype): TensorData {
  const ordered = hostIsLittleEndian ? bytes : swapped(bytes, datatype.size)
  if (datatype === datatypes.FP16) return floatsOfHalves(new Uint16Array(ordered.slice().buffer))
  const isAligned = ordered.byteOffset % datatype.size === 0
  if (datatype === datatypes.FP32 && isAligned)
    return new Float32Array(ordered.buffer, ordered.byteOffset, bytes.length / 4)
  const data = datatype.make(bytes.length / datatype.size)
  new Uint8Array(data.buffer).set(ordered)
  return data
}

function swapped(bytes: Uint8Array, size: number): Uint8Array {
  const copy = bytes.slice()
  for (let at = 0; at < copy.length; at += size) copy.subarray(at, at + size).reverse()
  return copy
}

/** Numbers from JSON, as a flat list or as lists in lists; a sentence where they are not what was announced. */
export function numbersOfJson(value: unknown, datatype: Datatype, count: number): TensorData | string {
  if (!Array.isArray(value)) return `its data is ${shownReply(value)} instead of a list`
  const flat = flattened(value, count)
  if (flat === undefined || flat.length !== count) {
    return `its data has ${flat === undefined ? 'more' : flat.length} numbers, its shape ${count}`
  }
  const data = datatype.make(count)
  const bigIntegers = data instanceof BigInt64Array || data instanceof BigUint64Array
  for (let i = 0; i < count; i++) {
    const number = elementOf(flat[i], datatype)
    if (number === undefined) return `entry ${i} of its data is ${shownReply(flat[i])}`
    if (bigIntegers && !Number.isSafeInteger(number)) return `entry ${i} of its data is too large to be exact in JSON`
    data[i] = bigIntegers ? BigInt(number) : number
    if (datatype.kind === 'integer' && Number(data[i]) !== number)
      return `entry ${i} of its data is ${shownReply(flat[i])}`
  }
  return data
}

/** The entry as a number. Some servers write null for NaN, having no better word for it. */
function elementOf(value: unknown, { kind }: Datatype): number | undefined {
  if (kind === 'float') return value === null ? Number.NaN : numberOf(value)
  if (kind === 'boolean') return value === true || value === 1 ? 1 : value === false || value === 0 ? 0 : undefined
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined
}

/** The entries of nested lists in order, without recursion; undefined where there are more than `most`. */
function flattened(list: readonly unknown[], most: number): unknown[] | undefined {
  if (!list.some(Array.isArray)) return list.slice()
  const flat: unknown[] = []
  const waiting: { readonly list: readonly unknown[]; next: number }[] = [{ list, next: 0 }]
  for (let top = waiting.at(-1); top !== undefined; top = waiting.at(-1)) {
    if (top.next === top.list.length) waiting.pop()
    else {
      const entry = top.list[top.next++]
      if (Array.isArray(entry)) waiting.push({ list: entry, next: 0 })
      else if (flat.push(entry) > most) return undefined
    }
  }
  return flat
}

/** Numbers of 16 bits as those of 32: every half is a float32, exactly. */
export function floatsOfHalves(halves: Uint16Array): Float32Array {
  return Float32Array.from(halves, floatOfHalf)
}

/** IEEE 754 binary16: a sign, five bits of exponent, ten of fraction. */
function floatOfHalf(half: number): number {
  const sign = half >> 15 === 0 ? 1 : -1
  const exponent = (half >> 10) & 31
  const fraction = half & 1023
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  if (exponent === 0) return (sign * fraction) / 16_777_216
  const scaled = (1024 + fraction) * (exponent > 24 ? 1 << (exponent - 25) : 1)
  return sign * (exponent > 24 ? scaled : scaled / (1 << (25 - exponent)))
}

/** The bits of float32 numbers that are infinite, beyond all halves, and of the smallest half with all its bits. */
const [infinite, beyond, smallest] = [0x7f800000, 0x47800000, 0x38800000]

/** Writes each number as the nearest half, as an even one between two. */
export function writeHalves(floats: Float32Array, into: Uint16Array): void {
  const bits = new Uint32Array(floats.buffer, floats.byteOffset, floats.length)
  for (let i = 0; i < floats.length; i++) {
    const word = bits[i] as number
    into[i] = ((word >>> 16) & 0x8000) | halfOfSize(word & 0x7fffffff)
  }
}

/** The half next to the float32 number with these bits, whose sign is not among them. */
function halfOfSize(bits: number): number {
  if (bits > infinite) return 0x7e00
  if (bits >= beyond) return 0x7c00
  // The exponent is 112 less; what is rounded up to the next power of two carries over into it.
  if (bits >= smallest) return (bits - (112 << 23) + 0xfff + ((bits >>> 13) & 1)) >>> 13
  // Halves below that are whole numbers of 2^-24, and what is cut off of the fraction says which is the nearest.
  const shift = 126 - (bits >>> 23)
  if (shift > 24) return 0
  const fraction = (bits & 0x7fffff) | 0x800000
  const [whole, rest, middle] = [fraction >>> shift, fraction & ((1 << shift) - 1), 1 << (shift - 1)]
  return whole + Number(rest > middle || (rest === middle && whole % 2 === 1))
}
