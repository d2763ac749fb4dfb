import { expect, test } from 'vitest'
import { noiseLevel } from '../staged/noise-level.ts'
import type { Batch } from '../staged/staged-search.ts'
import { denseCurvature } from './curvature.ts'
import { type NoisyGround, NoisyQuasiNewton } from './noisy-quasi-newton.ts'

/** 100 (x - 1)^2 + (y + 1)^2 from the origin, at a noise level of `sigma`. */
const f = (x: ArrayLike<number>): number =>
  100 * ((x[0] as number) - 1) * ((x[0] as number) - 1) + ((x[1] as number) + 1) * ((x[1] as number) + 1)

function groundOf(sigma: number, left = Infinity): NoisyGround {
  const at = { dim: 2, bounds: undefined, typical: Float64Array.of(1, 1), round: (x: number) => x, unit: 2 ** -53 }
  const noise = noiseLevel()
  noise.add([0, sigma * Math.SQRT2])
  const state = { value: 101, answers: 2 }
  return { at, noise, curvature: denseCurvature(at), center: new Float64Array(2), state, left: () => left }
}

/** Answers all batches; returns what came of them, and how many rows each had. */
function answered<T>(work: Generator<Batch, T, Float64Array>): { result: T; rows: number[] } {
  const rows: number[] = []
  let next = work.next()
  while (next.done !== true) {
    const batch = next.value
    rows.push(batch.rows)
    const x = new Float64Array(2)
    next = work.next(
      Float64Array.from({ length: batch.rows }, (_, row) => {
        batch.write(row, x, 0)
        return f(x)
      }),
    )
  }
  return { result: next.value, rows }
}

test('all pairs of a gradient are one batch; intervals that show too little are tried again together', () => {
  const ground = groundOf(0.01)
  const newton = new NoisyQuasiNewton(ground)
  newton.begin()
  // Second differences at 0.05: 0.5 along x is 50 sigma; 0.005 along y is half of it, but the slope of 0.2 stands out.
  expect(answered(newton.gradient())).toEqual({ result: true, rows: [4] })
  expect(ground.curvature.along(0)).toBeCloseTo(200, 6)
  expect(ground.curvature.along(1)).toBeCloseTo(8, 6)
})

test('longer intervals are tried for the coordinates that need them alone', () => {
  const ground = groundOf(1)
  const newton = new NoisyQuasiNewton(ground)
  newton.begin()
  const { rows } = answered(newton.gradient())
  expect(rows).toEqual([4, 2, 2, 2])
})

test('takes the step of a quadratic, shortened to the size of the variables at first', () => {
  const ground = groundOf(1e-6)
  const newton = new NoisyQuasiNewton(ground)
  newton.begin()
  answered(newton.gradient())
  const { result, rows } = answered(newton.search())
  expect(result).toBe(true)
  expect(rows).toEqual([1])
  expect(ground.center[0]).toBeCloseTo(1, 3)
  expect(ground.center[1]).toBeCloseTo(-1, 3)
  expect(ground.state).toMatchObject({ answers: 1, value: f(ground.center) })
})

test('confirming averages the answers at the center', () => {
  const ground = groundOf(1)
  ground.state.value = 104
  answered(new NoisyQuasiNewton(ground).confirm())
  expect(ground.state).toEqual({ value: 103, answers: 3 })
})

test('asks no gradient that the queries left do not pay for', () => {
  const newton = new NoisyQuasiNewton(groundOf(1, 3))
  newton.begin()
  expect(answered(newton.gradient())).toEqual({ result: false, rows: [] })
})

test('ends at the second iteration that gains less than the noise', () => {
  const ground = groundOf(0.1)
  ground.center.set([1, -1])
  ground.state.value = 0
  const newton = new NoisyQuasiNewton(ground)
  newton.begin()
  const goesOn: boolean[] = []
  for (let k = 0; k < 2; k++) {
    answered(newton.gradient())
    goesOn.push(answered(newton.search()).result)
  }
  expect(goesOn).toEqual([true, false])
})
