import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ConvexSet } from '../../src/optimizer/core/types.ts'
import { boxAndL2Ball, l1Ball, l2Ball } from '../../src/optimizer/parts/sets/balls.ts'
import { box, boxAndLinfBall, linfBall } from '../../src/optimizer/parts/sets/boxes.ts'
import { intersection } from '../../src/optimizer/parts/sets/intersection.ts'
import { boxAndHyperplane, halfspace, hyperplane, simplex, slab } from '../../src/optimizer/parts/sets/planes.ts'

import { nearestInBall, nearestInBoxAndBall, nearestInPolyhedron, type Row } from './independent-projection.ts'
import { projected } from './set.ts'

/** A random problem: a point, a metric, and numbers to make a set of. */
interface Draw {
  readonly y: number[]
  readonly h: number[]
  readonly normal: number[]
  readonly center: number[]
  readonly radius: number
  readonly offset: number
}

/** The library's set and the same set for the independent method. */
interface Pair {
  readonly set: ConvexSet
  readonly nearest: (y: number[], h: number[]) => number[]
}

const pairs: Record<string, (draw: Draw) => Pair> = {
  box: ({ center, radius }) => ({
    set: box({ lower: center.map((c) => c - radius), upper: center.map((c) => c + 1) }),
    nearest: polyhedron(bounds(center, radius, 1)),
  }),
  'linf-ball': ({ center, radius }) => ({
    set: linfBall({ radius, center }),
    nearest: polyhedron(bounds(center, radius, radius)),
  }),
  'box-and-linf-ball': ({ center, radius }) => ({
    set: boxAndLinfBall({ lower: -2, upper: 2, radius, center }),
    nearest: polyhedron([
      ...bounds(center, radius, radius),
      ...bounds(
        center.map(() => 0),
        2,
        2,
      ),
    ]),
  }),
  halfspace: ({ normal, offset }) => ({
    set: halfspace({ normal, offset }),
    nearest: polyhedron([{ a: normal, b: offset }]),
  }),
  hyperplane: ({ normal, offset }) => ({
    set: hyperplane({ normal, offset }),
    nearest: polyhedron([{ a: normal, b: offset, equality: true }]),
  }),
  slab: ({ normal, offset }) => ({
    set: slab({ normal, lower: offset - 0.5, upper: offset }),
    nearest: polyhedron(strip(normal, offset - 0.5, offset)),
  }),
  'l1-ball': ({ center, radius }) => ({
    set: l1Ball({ radius, center }),
    nearest: polyhedron(octants(center, radius)),
  }),
  simplex: ({ y, radius }) => ({
    set: simplex({ sum: radius }),
    nearest: polyhedron([
      ...bounds(
        y.map(() => 0),
        0,
        Infinity,
      ),
      { a: y.map(() => 1), b: radius, equality: true },
    ]),
  }),
  'box-and-hyperplane': ({ normal, center, radius }) => {
    // The plane goes through the middle of the box, or through a random point of it.
    const offset = normal.reduce((sum, c, i) => sum + c * ((center[i] as number) + 0.3 * radius * (i % 3)), 0)
    return {
      set: boxAndHyperplane({
        lower: center.map((c) => c - radius),
        upper: center.map((c) => c + radius),
        normal,
        offset,
      }),
      nearest: polyhedron([...bounds(center, radius, radius), { a: normal, b: offset, equality: true }]),
    }
  },
  'l2-ball': ({ center, radius }) => ({
    set: l2Ball({ radius, center }),
    nearest: (y, h) => nearestInBall(y, h, center, radius),
  }),
  'box-and-l2-ball': ({ center, radius }) => ({
    set: boxAndL2Ball({
      lower: center.map((c) => c - 0.5),
      upper: center.map((c) => c + 0.6 * radius),
      radius,
      center,
    }),
    nearest: (y, h) =>
      nearestInBoxAndBall(
        y,
        h,
        { lower: center.map((c) => c - 0.5), upper: center.map((c) => c + 0.6 * radius) },
        center,
        radius,
      ),
  }),
  intersection: ({ normal, center, radius }) => {
    const level = normal.reduce((sum, c, i) => sum + c * (center[i] as number), 0)
    return {
      set: intersection({
        sets: [
          slab({ normal, lower: level - 0.1, upper: level + 0.2 }),
          linfBall({ radius, center }),
          halfspace({ normal: 1, offset: center.reduce((a, b) => a + b) + 0.25 }),
        ],
      }),
      nearest: polyhedron([
        ...strip(normal, level - 0.1, level + 0.2),
        ...bounds(center, radius, radius),
        { a: center.map(() => 1), b: center.reduce((a, b) => a + b) + 0.25 },
      ]),
    }
  },
}

test.each(Object.entries(pairs))('%s projects where an independent method does, 200 times', (name, make) => {
  const property = fc.property(draws, (draw) => {
    const { set, nearest } = make(draw)
    set.check(draw.y.length)
    const expected = nearest(draw.y, draw.h)
    const actual = projected(set, Float64Array.from(draw.y), Float64Array.from(draw.h))
    const worst = Math.max(...actual.map((value, i) => Math.abs(value - (expected[i] as number))))
    expect(worst).toBeLessThanOrEqual(name === 'intersection' ? 1e-8 : 1e-12)
  })
  fc.assert(property, { numRuns: 200, seed: 2019 })
})

/** Multiples of 1/64: random enough, without the tiny numbers at which elimination loses its digits. */
const steps = (least: number, most: number) => fc.integer({ min: least * 64, max: most * 64 }).map((k) => k / 64)

const draws: fc.Arbitrary<Draw> = fc.integer({ min: 1, max: 4 }).chain((dim) => {
  const vector = (value: fc.Arbitrary<number>) => fc.array(value, { minLength: dim, maxLength: dim })
  return fc.record({
    y: vector(steps(-4, 4)),
    h: vector(steps(0.125, 8)),
    normal: vector(steps(-2, 2)).filter((normal) => normal.some((c) => Math.abs(c) > 0.25)),
    center: vector(steps(-1, 1)),
    radius: steps(0.25, 2),
    offset: steps(-2, 2),
  })
})

function polyhedron(rows: Row[]): Pair['nearest'] {
  return (y, h) => nearestInPolyhedron(y, h, rows)
}

function bounds(center: readonly number[], below: number, above: number): Row[] {
  return center.flatMap((c, i) => {
    const unit = center.map((_, j) => (i === j ? 1 : 0))
    const rows = [
      { a: unit.map((u) => -u), b: below - c },
      { a: unit, b: c + above },
    ]
    return rows.filter((row) => row.b < Infinity)
  })
}

function strip(normal: readonly number[], lower: number, upper: number): Row[] {
  return [
    { a: normal, b: upper },
    { a: normal.map((c) => -c), b: -lower },
  ]
}

/** The l1 ball as one row per choice of signs. */
function octants(center: readonly number[], radius: number): Row[] {
  return Array.from({ length: 1 << center.length }, (_, code) => {
    const a = center.map((_, i) => ((code >> i) & 1 ? 1 : -1))
    return { a, b: radius + a.reduce((sum, sign, i) => sum + sign * (center[i] as number), 0) }
  })
}
