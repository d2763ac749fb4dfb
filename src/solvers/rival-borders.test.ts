import { expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import type { Begin, Vector } from '../core/types.ts'
import { box } from '../sets/box.ts'
import { rivalBorders, rivalsFor, type Sighting, valuesOf } from './rival-borders.ts'
import { coordinateSpan, slopeMemory } from './slope-memory.ts'

/** Values that fall along the first and the second coordinate, plus the squared distance, as those of an attack. */
const planes = [(x: Vector) => 6 - 3 * (x[0] as number), (x: Vector) => 4 - 4 * (x[1] as number), () => Infinity]
const valuesAt = (x: Vector): number[] =>
  planes.map((f) => f(x) + (x[0] as number) * (x[0] as number) + (x[1] as number) * (x[1] as number))

/** What is seen of the planes from a point, after slopes along all coordinates and a probe outwards. */
function seenFrom(at: Begin, x: Vector, probe = 1e-6) {
  const slopes = slopeMemory(at, coordinateSpan(2), false, undefined, 3)
  const around = { x, length: probe, count: 2 }
  const rows = [Float64Array.from(x), ...[0, 1].map(() => new Float64Array(2)), x.map((each) => each * (1 + probe))]
  for (const place of [0, 1]) slopes.write(around, place, rows[place + 1] as Float64Array, 0)
  const rivals = { count: 3, values: Float64Array.from(rows.flatMap((row) => valuesAt(row))) }
  slopes.learn({ values: valuesOf(rivals, 0, 4), failed: new Uint8Array(4) }, around, rivals)
  const length = Math.hypot(...x)
  const seen: Sighting = {
    point: x,
    origin: new Float64Array(2),
    rivals,
    rows: 4,
    probe: probe * length,
    floor: 0,
    rate: 1,
  }
  return { borders: rivalBorders(at, slopes), slopes, seen }
}

test('knows how far each border is from the origin, wherever the slopes were taken, and where it is nearest', () => {
  const { borders, seen } = seenFrom(beginning(2), Float64Array.of(1, 0.5))
  const [first, second, own] = borders.distances(seen)
  expect(first).toBeCloseTo(2, 2)
  expect(second).toBeCloseTo(1, 2)
  expect(own).toBe(Infinity)
  const nearest = new Float64Array(2)
  expect(borders.nearest(seen, 1, nearest)).toBeCloseTo(1, 2)
  expect(nearest[0]).toBeCloseTo(0, 3)
  expect(nearest[1]).toBeCloseTo(1, 2)
})

test('a border beyond the set is out of reach', () => {
  const { borders, seen } = seenFrom(beginning(2, { set: box({ lower: -1.5, upper: 1.5 }) }), Float64Array.of(1, 0.5))
  expect(Array.from(borders.distances(seen), (each) => Math.round(100 * each))).toEqual([Infinity, 100, Infinity])
})

test('slopes go on with those of the rival that is turned to', () => {
  const { slopes } = seenFrom(beginning(2), Float64Array.of(1, 0.5))
  expect(Array.from(slopes.gradient, Math.round)).toEqual([-1, 1])
  slopes.turnTo(1)
  expect(Array.from(slopes.gradient, Math.round)).toEqual([2, -3])
})

test('the classes are told apart as long as their slopes are at most a million', () => {
  const at = beginning(100)
  expect(rivalsFor(at)).toBe(0)
  expect(rivalsFor({ ...at, attack: { rivals: 10 } })).toBe(10)
  expect(rivalsFor({ ...at, dim: 100_001, attack: { rivals: 10 } })).toBe(0)
})
