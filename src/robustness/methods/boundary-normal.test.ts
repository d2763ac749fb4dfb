import { describe, expect, test } from 'vitest'
import type { RunContext } from '../../optimizer/core/types.ts'
import { scalarKernels } from '../../optimizer/kernels/scalar.ts'
import type { Batch } from '../../optimizer/methods/staged/staged-search.ts'
import { dot } from '../../optimizer/numerics/vectors.ts'
import {
  arcTowards,
  bisected,
  boundaryNormal,
  freePart,
  furthestTurn,
  lengthAlong,
  located,
  onTheWay,
} from './boundary-normal.ts'
import { coordinateSpan } from './gradient-memory.ts'

describe('boundary-normal', () => {
  const dim = 50
  const at = { dim, kernels: scalarKernels } as unknown as RunContext
  const truth = Float64Array.from({ length: dim }, (_, i) => Math.sin(1 + 7 * i))
  const length = Math.sqrt(dot(truth, truth))

  /** The cosine of the angle between the estimate and the truth after so many answers. */
  function learned(answers: number): number {
    const normal = boundaryNormal(at, coordinateSpan(dim))
    const direction = new Float64Array(dim)
    for (let row = 0; row < answers; row++) {
      normal.aim()
      normal.draw({ seed: 1, iteration: 1 }, row, direction)
      normal.learn(direction, dot(direction, truth) > 0)
    }
    return normal.write(direction) ? dot(direction, truth) / length : 0
  }

  test('knows nothing at first, and the normal after some answers for each variable', () => {
    expect(learned(0)).toBe(0)
    expect(learned(50)).toBeGreaterThan(0.5)
    // An average of random directions with their signs would have reached 0.87.
    expect(learned(250)).toBeGreaterThan(0.95)
  })

  test('asks at right angles to what it knows', () => {
    const normal = boundaryNormal(at, coordinateSpan(dim))
    const [step, estimate] = [new Float64Array(dim), new Float64Array(dim)]
    step[3] = 2
    normal.learn(step, true)
    normal.aim()
    normal.write(estimate)
    normal.draw({ seed: 1, iteration: 1 }, 0, step)
    expect(estimate[3]).toBeCloseTo(1, 12)
    expect(dot(step, estimate)).toBeCloseTo(0, 12)
    expect(dot(step, step)).toBeCloseTo(1, 12)
  })

  test('draws the same until it is told to take over what was learned', () => {
    const normal = boundaryNormal(at, coordinateSpan(dim))
    const [before, after, step] = [new Float64Array(dim), new Float64Array(dim), new Float64Array(dim).fill(1)]
    normal.draw({ seed: 1, iteration: 1 }, 4, before)
    normal.learn(step, false)
    normal.draw({ seed: 1, iteration: 1 }, 4, after)
    expect(after).toEqual(before)
    normal.aim()
    normal.draw({ seed: 1, iteration: 1 }, 4, after)
    expect(after).not.toEqual(before)
  })

  test('a step of no length teaches nothing, and fading only weakens', () => {
    const normal = boundaryNormal(at, coordinateSpan(dim))
    const estimate = new Float64Array(dim)
    normal.learn(new Float64Array(dim), true)
    expect(normal.write(estimate)).toBe(false)
    normal.learn(truth, true)
    normal.fade()
    normal.write(estimate)
    expect(dot(estimate, truth) / length).toBeCloseTo(1, 12)
  })
})

describe('boundary-location', () => {
  /** Runs a search against a boundary: places for which `isBeyond` holds succeed. Tells what it found and how often it asked. */
  function run<T>(
    search: (succeeds: (place: number) => Generator<Batch, boolean, Float64Array>) => Generator<Batch, T, Float64Array>,
    isBeyond: (place: number) => boolean,
  ): { readonly found: T; readonly asked: number } {
    let asked = 0
    // biome-ignore lint/correctness/useYield: it answers itself
    const succeeds = function* (place: number): Generator<Batch, boolean, Float64Array> {
      asked++
      return isBeyond(place)
    }
    const step = search(succeeds).next()
    return { found: step.value as T, asked }
  }

  test('halves the way until the boundary is located', () => {
    const { found, asked } = run(
      (succeeds) => bisected(0, 1, 0.01, succeeds),
      (place) => place > 0.3,
    )
    expect(found.nearest).toBeGreaterThan(0.3)
    expect(found.nearest).toBeLessThan(0.31)
    expect(found.nearest - found.between).toBeLessThan(0.01)
    expect(asked).toBe(7)
  })

  test('finds a boundary near the end with four questions, and one far from it, too', () => {
    const near = run(
      (succeeds) => located(0.01, succeeds),
      (place) => place > 0.985,
    )
    expect(near.found.nearest).toBeGreaterThan(0.985)
    expect(near.found.nearest).toBeLessThan(0.995)
    expect(near.asked).toBe(4)
    const far = run(
      (succeeds) => located(0.01, succeeds),
      (place) => place > 0.5,
    )
    expect(far.found.nearest).toBeGreaterThan(0.5)
    expect(far.found.nearest).toBeLessThan(0.52)
  })

  test('a way that succeeds down to its beginning has its boundary there', () => {
    const { found } = run(
      (succeeds) => located(0.01, succeeds),
      () => true,
    )
    expect(found.nearest).toBeLessThan(0.02)
  })

  test('turns further as long as that succeeds, and less where it does not', () => {
    expect(
      run(
        (succeeds) => furthestTurn(2, 0.1, 5, succeeds),
        (turn) => turn < 0.7,
      ).found,
    ).toBeCloseTo(0.6, 1)
    expect(
      run(
        (succeeds) => furthestTurn(2, 1, 5, succeeds),
        (turn) => turn < 0.05,
      ).found,
    ).toBeLessThan(0.05)
    expect(
      run(
        (succeeds) => furthestTurn(2, 1, 5, succeeds),
        () => false,
      ).found,
    ).toBeLessThan(0.1)
  })
})

describe('arcs', () => {
  const room = () => ({ out: new Float64Array(2), side: new Float64Array(2) })

  test('an arc leads from the boundary over the nearest point of a straight boundary to the origin', () => {
    const origin = Float64Array.of(1, 0)
    const arc = arcTowards(origin, Float64Array.of(3, 2), Float64Array.of(4, 0), room())
    const point = new Float64Array(2)
    arc?.write(0, point)
    expect(Array.from(point)).toEqual([3, 2])
    // The boundary through (3, 2) across the aim is x = 3; its nearest point is (3, 0), at an angle of 45 degrees.
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
})
