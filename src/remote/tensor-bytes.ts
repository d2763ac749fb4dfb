import { type Datatype, datatypes, type TensorData } from './tensor.ts'

const hostIsLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

/** The numbers as the binary tensor extension sends them: little-endian, whatever the machine. */
export function bytesOfNumbers(data: TensorData): Uint8Array {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  return hostIsLittleEndian ? bytes : swapped(bytes, data.BYTES_PER_ELEMENT)
}

/** The numbers in a piece of a reply, as memory of their own. */
export function numbersOfBytes(bytes: Uint8Array, datatype: Datatype): TensorData {
  const ordered = hostIsLittleEndian ? bytes : swapped(bytes, datatype.size)
  if (datatype === datatypes.FP16) return floatsOfHalves(ordered)
  const data = datatype.make(bytes.length / datatype.size)
  new Uint8Array(data.buffer).set(ordered)
  return data
}

function swapped(bytes: Uint8Array, size: number): Uint8Array {
  const copy = bytes.slice()
  for (let at = 0; at < copy.length; at += size) copy.subarray(at, at + size).reverse()
  return copy
}

function floatsOfHalves(bytes: Uint8Array): Float32Array {
  const halves = new Uint16Array(bytes.slice().buffer)
  return Float32Array.from(halves, floatOfHalf)
}

/** IEEE 754 binary16: a sign, five bits of exponent, ten of fraction. Every half is a float32, exactly. */
function floatOfHalf(half: number): number {
  const sign = half >> 15 === 0 ? 1 : -1
  const exponent = (half >> 10) & 31
  const fraction = half & 1023
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  if (exponent === 0) return (sign * fraction) / 16_777_216
  const scaled = (1024 + fraction) * (exponent > 24 ? 1 << (exponent - 25) : 1)
  return sign * (exponent > 24 ? scaled : scaled / (1 << (25 - exponent)))
}
