import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bytesOfNumbers,
  type Datatype,
  datatypes,
  floatsOfHalves,
  numbersOfBytes,
  numbersOfJson,
  writeHalves,
} from './tensor.ts'

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

  test('of float32 are read where they lie, if they can be', () => {
    const { FP32 } = datatypes as { FP32: Datatype }
    for (const offset of [0, 3, 8]) {
      const reply = new Uint8Array(offset + 8)
      reply.set(bytesOfNumbers(Float32Array.of(1.5, -2)), offset)
      const numbers = numbersOfBytes(reply.subarray(offset), FP32)
      expect(numbers).toEqual(Float32Array.of(1.5, -2))
      expect(numbers.buffer === reply.buffer).toBe(offset !== 3)
    }
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

const read = (value: unknown, datatype: string, count: number) =>
  numbersOfJson(value, datatypes[datatype] as Datatype, count)

describe('numbers from JSON', () => {
  test('may lie in a flat list or in lists within lists', () => {
    const numbers = Float64Array.of(1, 2, 3, 4)
    expect(read([1, 2, 3, 4], 'FP64', 4)).toEqual(numbers)
    expect(
      read(
        [
          [1, 2],
          [3, 4],
        ],
        'FP64',
        4,
      ),
    ).toEqual(numbers)
    expect(
      read(
        [
          [[1], [2]],
          [[3], [4]],
        ],
        'FP64',
        4,
      ),
    ).toEqual(numbers)
    expect(read([], 'FP64', 0)).toEqual(new Float64Array(0))
  })

  test('may be words for what JSON has no number for', () => {
    expect(read(['NaN', 'Infinity', '-Infinity', null], 'FP32', 4)).toEqual(
      Float32Array.of(Number.NaN, Infinity, -Infinity, Number.NaN),
    )
  })

  test('may be truth values', () => {
    expect(read([true, false, 1, 0], 'BOOL', 4)).toEqual(Uint8Array.of(1, 0, 1, 0))
  })

  test('may be large whole numbers as long as they are exact', () => {
    expect(read([-(2 ** 53) + 1], 'INT64', 1)).toEqual(BigInt64Array.of(-9007199254740991n))
    expect(read([2 ** 53], 'INT64', 1)).toBe('entry 0 of its data is too large to be exact in JSON')
  })

  test.each([
    ['1', 'FP64', 'its data is "1" instead of a list'],
    [undefined, 'FP64', 'its data is undefined instead of a list'],
    [[1, 2, 3], 'FP64', 'its data has 3 numbers, its shape 2'],
    [[[1, 2], [3]], 'FP64', 'its data has more numbers, its shape 2'],
    [[1, '2'], 'FP64', 'entry 1 of its data is "2"'],
    [[1, {}], 'FP64', 'entry 1 of its data is an empty object'],
    [[1, 1.5], 'INT32', 'entry 1 of its data is 1.5'],
    [[1, 300], 'INT8', 'entry 1 of its data is 300'],
    [[1, -1], 'UINT64', 'entry 1 of its data is -1'],
    [[1, 2], 'BOOL', 'entry 1 of its data is 2'],
  ])('%o are no %s', (value, datatype, message) => {
    expect(read(value, datatype, 2)).toBe(message)
  })

  test('in lists without end are refused, not followed', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    expect(read(deep, 'FP64', 2)).toBe('its data has 0 numbers, its shape 2')
  })
})

describe('half precision', () => {
  const all = Uint16Array.from({ length: 65536 }, (_, half) => half)
  const finite = Array.from(floatsOfHalves(all)).filter((each) => Number.isFinite(each))

  function halved(...numbers: number[]): number[] {
    const halves = new Uint16Array(numbers.length)
    writeHalves(Float32Array.from(numbers), halves)
    return [...halves]
  }

  test.each([
    [0, 0x0000],
    [-0, 0x8000],
    [1, 0x3c00],
    [-2, 0xc000],
    [1 / 3, 0x3555],
    [65504, 0x7bff],
    [65519.996, 0x7bff],
    [65520, 0x7c00],
    [1e30, 0x7c00],
    [-Infinity, 0xfc00],
    [Number.NaN, 0x7e00],
    [2 ** -14, 0x0400],
    [2 ** -24, 0x0001],
    [2 ** -25, 0x0000],
    [1.5 * 2 ** -24, 0x0002],
    [2.5 * 2 ** -24, 0x0002],
    [2 ** -14 * (1 - 2 ** -11), 0x0400],
    [1e-30, 0x0000],
  ])('%d has the bits of NumPy', (number, bits) => {
    expect(halved(number)).toEqual([bits])
  })

  test('every half comes back with the same bits', () => {
    const back = new Uint16Array(all.length)
    writeHalves(floatsOfHalves(all), back)
    const isNan = (half: number): boolean => (half & 0x7fff) > 0x7c00
    expect(Array.from(back).filter((half, i) => half !== i && !isNan(i))).toEqual([])
    expect(Array.from(back).every((half, i) => isNan(half) === isNan(i))).toBe(true)
  })

  test('a number becomes the nearest half', () => {
    const number = fc.float({ min: -65504, max: 65504, noNaN: true })
    fc.assert(
      fc.property(
        fc.oneof(number, fc.float({ min: Math.fround(-1e-4), max: Math.fround(1e-4), noNaN: true })),
        (given) => {
          const [half = Number.NaN] = floatsOfHalves(Uint16Array.from(halved(given)))
          const nearest = finite.reduce((best, each) => Math.min(best, Math.abs(each - given)), Infinity)
          expect(Math.abs(half - given)).toBe(nearest)
        },
      ),
      { numRuns: 60 },
    )
  })
})
