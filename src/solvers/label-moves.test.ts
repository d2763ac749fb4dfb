import { expect, test } from 'vitest'
import { arcTowards, freePart, lengthAlong, onTheWay } from './label-moves.ts'

const room = () => ({ out: new Float64Array(2), side: new Float64Array(2) })

test('an arc leads from the border over the nearest point of a straight border to the origin', () => {
  const origin = Float64Array.of(1, 0)
  const arc = arcTowards(origin, Float64Array.of(3, 2), Float64Array.of(4, 0), room())
  const point = new Float64Array(2)
  arc?.write(0, point)
  expect(Array.from(point)).toEqual([3, 2])
  // The border through (3, 2) across the aim is x = 3; its nearest point is (3, 0), at an angle of 45 degrees.
  expect(arc?.widest).toBeCloseTo(1, 12)
  arc?.write(1, point)
  expect(point[0]).toBeCloseTo(3, 12)
  expect(point[1]).toBeCloseTo(0, 12)
  arc?.write(15, point)
  expect(Math.hypot((point[0] as number) - 1, point[1] as number)).toBeLessThan(0.2)
})

test('there is no arc to where one is, nor from the origin', () => {
  const origin = new Float64Array(2)
  expect(arcTowards(origin, Float64Array.of(1, 1), Float64Array.of(2, 2), room())).toBeUndefined()
  expect(arcTowards(origin, origin, Float64Array.of(2, 2), room())).toBeUndefined()
})

test('the free part of a direction has room to both sides', () => {
  const clip = (x: Float64Array | Float32Array): void => {
    for (let i = 0; i < x.length; i++) x[i] = Math.max(0, x[i] as number)
  }
  const into = new Float64Array(2)
  const squares = freePart(Float64Array.of(0.6, 0.8), Float64Array.of(0, 1), 0.1, clip, new Float64Array(2), into)
  expect(Array.from(into)).toEqual([0, 0.8])
  expect(squares).toBeCloseTo(0.64, 12)
})

test('points on the way, and lengths along a direction', () => {
  const point = new Float64Array(2)
  onTheWay(Float64Array.of(1, 1), Float64Array.of(3, 5), 0.25, point)
  expect(Array.from(point)).toEqual([1.5, 2])
  expect(lengthAlong(Float64Array.of(1, 1), Float64Array.of(3, 5), Float64Array.of(0, 1))).toBe(4)
})
