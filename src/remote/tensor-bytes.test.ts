import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Datatype, datatypes } from './tensor.ts'
import { bytesOfNumbers, numbersOfBytes } from './tensor-bytes.ts'

describe('numbers as bytes', () => {
  test('come in little-endian order', () => {
    expect(Array.from(bytesOfNumbers(Float64Array.of(1)))).toEqual([0, 0, 0, 0, 0, 0, 0xf0, 0x3f])
    expect(Array.from(bytesOfNumbers(Int32Array.of(1, -1)))).toEqual([1, 0, 0, 0, 255, 255, 255, 255])
    expect(Array.from(bytesOfNumbers(Float64Array.of(9, 1).subarray(1)))).toEqual([0, 0, 0, 0, 0, 0, 0xf0, 0x3f])
  })

  test('keep every bit there and back, wherever they lie in a reply', () => {
    const { FP64 } = datatypes as { FP64: Datatype }
    fc.assert(
      fc.property(fc.float64Array(), fc.nat(9), (numbers, offset) => {
        const reply = new Uint8Array(offset + numbers.byteLength)
        reply.set(bytesOfNumbers(numbers), offset)
        const back = numbersOfBytes(reply.subarray(offset), FP64)
        expect(back).toEqual(numbers)
        expect(back.buffer).not.toBe(reply.buffer)
      }),
    )
  })

  test.each(Object.entries(datatypes))('of %s have the size that the protocol says', (name, datatype) => {
    const bits = /\d+/.exec(name)?.[0]
    expect(datatype.size).toBe(bits === undefined ? 1 : Number(bits) / 8)
    expect(numbersOfBytes(new Uint8Array(3 * datatype.size), datatype).length).toBe(3)
  })
})

test('half precision is read exactly', () => {
  const halves = [
    0x0000, 0x8000, 0x3c00, 0xc000, 0x7bff, 0x0400, 0x0001, 0x03ff, 0x3555, 0x7c00, 0xfc00, 0x7e00, 0x6400,
  ]
  const bytes = new Uint8Array(halves.flatMap((half) => [half & 255, half >> 8]))
  expect(Array.from(numbersOfBytes(bytes, datatypes.FP16 as Datatype) as Float32Array)).toEqual([
    0,
    -0,
    1,
    -2,
    65504,
    6.103515625e-5,
    2 ** -24,
    6.097555160522461e-5,
    0.333251953125,
    Infinity,
    -Infinity,
    Number.NaN,
    1024,
  ])
})
