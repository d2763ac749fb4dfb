import fc from 'fast-check'
import { expect, test } from 'vitest'
import { floatsOfHalves, writeHalves } from './half-precision.ts'

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
