import { memoryOf, type PairMemory, pairMemory, piece } from './pair-memory.ts'

/** Numbers below which the way to the kernel and back takes longer than a plain loop. */
const few = 256

let own: PairMemory | null | undefined

/** data = factor data + shift, for `length` numbers from `start` on, in WebAssembly SIMD where there is any; the bits are the same. */
export function scale(data: Float32Array, start: number, length: number, factor: number, shift: number): void {
  const near = memoryOf(data)
  if (near !== undefined) return near.linked.scaleRow(data.byteOffset + 4 * start, length, factor, shift)
  own ??= pairMemory(0) ?? null
  if (own === null || length < few) return scalarScale(data, start, length, factor, shift)
  const { linked, pieces } = own
  const [room] = pieces
  for (let first = start; first < start + length; first += piece) {
    const count = Math.min(piece, start + length - first)
    room.set(data.subarray(first, first + count))
    linked.scaleRow(room.byteOffset, count, factor, shift)
    data.set(count === piece ? room : room.subarray(0, count), first)
  }
}

/** The same in a plain loop. Four at a time: half the time. */
export function scalarScale(
  data: Float32Array | Float64Array,
  start: number,
  length: number,
  factor: number,
  shift: number,
): void {
  const end = start + length
  const even = end - (length & 3)
  for (let i = start; i < even; i += 4) {
    data[i] = (data[i] as number) * factor + shift
    data[i + 1] = (data[i + 1] as number) * factor + shift
    data[i + 2] = (data[i + 2] as number) * factor + shift
    data[i + 3] = (data[i + 3] as number) * factor + shift
  }
  for (let i = even; i < end; i++) data[i] = (data[i] as number) * factor + shift
}
