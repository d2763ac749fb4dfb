import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rowCache, rowHash, sameBits } from './row-cache.ts'

const point = (...coordinates: number[]) => Float64Array.from(coordinates)

test('gives back what was stored for the same point and sample, and nothing else', () => {
  const cache = rowCache(10)
  const x = point(1, -0, Math.PI)
  cache.set(rowHash(x, 3), x, 3, 0.1)
  x[0] = 9
  for (const [other, sample, value] of [
    [point(1, -0, Math.PI), 3, 0.1],
    [point(1, 0, Math.PI), 3, undefined],
    [point(1, -0, Math.PI), 4, undefined],
    [point(1, -0, Math.PI + 4e-16), 3, undefined],
  ] as const) {
    expect(cache.get(rowHash(other, sample), other, sample)).toBe(value)
  }
})

test('rows that share a hash are never taken for each other', () => {
  const cache = rowCache(10)
  cache.set(42, point(1, 2), 0, 10)
  expect(cache.get(42, point(2, 1), 0)).toBeUndefined()
  expect(cache.get(42, point(1, 2), 1)).toBeUndefined()
  cache.set(42, point(2, 1), 0, 20)
  expect(cache.get(42, point(2, 1), 0)).toBe(20)
  expect(cache.get(42, point(1, 2), 0)).toBeUndefined()
})

test('forgets what was not used for longest', () => {
  const cache = rowCache(3)
  const has = (i: number) => cache.get(i, point(i), 0) === i
  for (const i of [1, 2, 3]) cache.set(i, point(i), 0, i)
  expect(has(1)).toBe(true)
  cache.set(4, point(4), 0, 4)
  expect([1, 2, 3, 4].map(has)).toEqual([true, false, true, true])
  cache.set(3, point(3), 0, 3)
  expect([1, 3, 4].map(has)).toEqual([true, true, true])
})

test('without room it remembers nothing', () => {
  const cache = rowCache(0)
  cache.set(1, point(1), 0, 1)
  expect(cache.get(1, point(1), 0)).toBeUndefined()
})

test('hashes differ for points that differ in anything', () => {
  const seen = new Set<number>()
  for (let i = 0; i < 20_000; i++) seen.add(rowHash(point(i, 0), 0)).add(rowHash(point(0, i + 1), 0))
  for (let i = 0; i < 100; i++) seen.add(rowHash(point(0.5, 0.5), i))
  for (const x of [point(-0, 0), point(0, -0), point(0), point(0, 0, 0), point()]) seen.add(rowHash(x, 0))
  expect(seen.size).toBe(40_105)
})

test('the same bits are the same, and only they', () => {
  const numbers = fc.array(fc.double(), { maxLength: 5 })
  const property = fc.property(numbers, numbers, fc.nat(), (a, b, sample) => {
    const [x, y] = [point(...a), point(...b)]
    expect(sameBits(x, x.slice())).toBe(true)
    expect(rowHash(x, sample)).toBe(rowHash(x.slice(), sample))
    expect(sameBits(x, y)).toBe(a.length === b.length && a.every((each, i) => Object.is(each, b[i])))
  })
  fc.assert(property, { numRuns: 300, seed: 4 })
})

test('points inside larger memory count by their own part of it', () => {
  const memory = point(7, 1, 2, 9)
  expect(rowHash(memory.subarray(1, 3), 0)).toBe(rowHash(point(1, 2), 0))
  expect(sameBits(memory.subarray(1, 3), point(1, 2))).toBe(true)
})
