import { describe, expect, test } from 'vitest'
import { courseReport } from '../../test/course-report.ts'
import type { Results } from './experiment.ts'
import { noise, noiseWalk } from './noise.ts'
import { planOf } from './plan.ts'

describe('a walk of noise', () => {
  test.each(['maximum', 'v'] as const)(
    'begins with a step whose size is the same everywhere, divided by %s',
    (divisor) => {
      // m = 0.1 g and v = 0.7 g^2.
      const walked = noiseWalk({ rate: 3, iterations: 1, beta2: 0.3, divisor, coordinates: 7 })
      expect(walked).toBeCloseTo((9 * 0.01) / 0.7, 12)
    },
  )

  test('goes with the square of the rate, and is the same each time', () => {
    const walk = (rate: number) => noiseWalk({ rate, iterations: 20, beta2: 0.9, divisor: 'maximum', coordinates: 40 })
    expect(walk(2) / walk(1)).toBeCloseTo(4, 10)
    expect(walk(1)).toBe(walk(1))
  })

  test('leads farther where it is divided by v instead of its maximum, or beta2 is larger', () => {
    const steps = { rate: 1, iterations: 200, beta2: 0.3, divisor: 'maximum', coordinates: 200 } as const
    expect(noiseWalk({ ...steps, divisor: 'v' })).toBeGreaterThan(4 * noiseWalk(steps))
    expect(noiseWalk({ ...steps, beta2: 0.9 })).toBeGreaterThan(2 * noiseWalk(steps))
  })
})

test('the table has the attacks that were made, beside the walk of what ran and of what is printed', () => {
  const none = () => undefined
  const results: Results = {
    report: ({ name }) =>
      name === 'per-image-unconstrained-zo-adamm' ? courseReport({ first: 1, finalL2sq: 5 }) : undefined,
    shape: () => ({ channels: 1, height: 4, width: 10 }),
    snapshot: none,
    picture: none,
    classNames: none,
  }
  const plan = planOf({ scale: 'full', profile: 'reference', iterations: 2, subject: { model: 'a.onnx' } })
  const [table] = noise.draw(plan, results).tables ?? []
  const walk = (rate: number, beta2: number) =>
    Number((10 * noiseWalk({ rate, iterations: 2, beta2, divisor: 'maximum' })).toPrecision(2))
  expect(table?.rows).toMatchObject([
    { problem: 'unconstrained', rate: 0.02, iterations: 2, paperFinalL2sq: 28.2, noise: walk(0.02, 0.9) },
  ])
  expect(table?.rows[0]?.finalL2sq).toBeCloseTo(5, 2)
  expect(table?.rows[0]?.printed).toBe(walk(0.01, 0.3))
})
