import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { points } from '../../optimizer/core/answers.ts'
import { createSession } from '../../optimizer/core/session.ts'
import type { SessionOptions } from '../../optimizer/core/session-options.ts'
import { minimizeSync } from '../../optimizer/minimize/minimize-sync.ts'
import { dct } from '../../optimizer/parts/bases/dct.ts'
import { box } from '../../optimizer/parts/sets/boxes.ts'
import { randomOrder, simba } from './simba.ts'

/** All that is asked when every value but those of some queries, counted from 1, is worse. */
function asked(dim: number, options: Partial<SessionOptions>, better: readonly number[] = []): number[][] {
  const session = createSession(new Float64Array(dim), { solver: simba(), seed: 3, maxQueries: 40, ...options })
  const seen: number[][] = []
  while (session.outcome === undefined) {
    seen.push(Array.from(points(session.ask())[0] ?? []))
    session.tell([better.includes(seen.length) ? -seen.length : seen.length])
  }
  return seen
}

const moved = (x: readonly number[] | undefined) => x?.findIndex((each) => each !== 0) ?? -1

describe('along single variables', () => {
  const rounds = asked(4, { solver: simba({ step: 0.5 }) })

  test('back, then ahead, each variable once per round', () => {
    const first = rounds.slice(1, 9)
    expect(first.map((x) => x[moved(x)])).toEqual([-0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5])
    expect(first.map(moved).filter((_, i) => i % 2 === 0)).toEqual(first.map(moved).filter((_, i) => i % 2 === 1))
    expect(new Set(first.map(moved)).size).toBe(4)
  })

  test('in another order in the next round, with half the step where nothing helped', () => {
    expect(rounds.slice(9, 17).map((x) => Math.abs(x[moved(x)] as number))).toEqual(new Array(8).fill(0.25))
    expect(rounds.slice(9, 17).map(moved)).not.toEqual(rounds.slice(1, 9).map(moved))
  })

  test('a step that helps is kept, and the next variable follows; then the round keeps its step', () => {
    const steps = asked(4, { solver: simba({ step: 0.5 }) }, [2, 5])
    const [, back, next, ahead] = steps
    const [a, b] = [moved(back), next?.findIndex((each, i) => each !== back?.[i]) ?? -1]
    expect(a).not.toBe(b)
    expect(next?.[a]).toBe(-0.5)
    expect([next?.[b], ahead?.[b], ahead?.[a]]).toEqual([-0.5, 0.5, -0.5])
    // The second round: seven queries were the start and the first one.
    for (const step of steps.slice(7, 11)) expect(step.every((each) => Number.isInteger(2 * each))).toBe(true)
  })

  test('steps out of the set are not asked about', () => {
    const set = box({ lower: 0, upper: 1 })
    const inside = asked(3, { solver: simba({ step: 0.5 }), set, maxQueries: 5 })
    expect(inside.slice(1, 4).map((x) => x.reduce((sum, each) => sum + each, 0))).toEqual([0.5, 0.5, 0.5])
  })
})

describe('along a basis', () => {
  const shape = { channels: 1, height: 4, width: 4 }

  test('an image is moved along its low frequencies', () => {
    const [, ...steps] = asked(16, { shape, maxQueries: 9 })
    for (const step of steps.slice(0, -1)) expect(Math.hypot(...step)).toBeCloseTo(0.2, 12)
    // Two frequencies per side: four vectors, each tried on both sides, one of them the same for all pixels.
    const even = steps.filter((step) => step.every((each) => Math.abs(each - (step[0] as number)) < 1e-12))
    expect(even.slice(0, 2).map(([each = 0]) => Math.round(each * 1000) / 1000)).toEqual([-0.05, 0.05])
  })

  test('which grows when a round brought nothing', () => {
    const solver = simba({ along: dct({ size: 1 }) })
    const [, ...steps] = asked(16, { shape, solver, maxQueries: 12 })
    const patterns = new Set(steps.slice(0, -1).map((step) => step.map((each) => Math.sign(each)).join()))
    // The mean of the image, up and down; then it and the three vectors that joined it.
    expect(patterns.size).toBe(8)
    for (const step of steps.slice(0, -1)) expect(Math.hypot(...step)).toBeCloseTo(0.2, 12)
  })

  test('unless it is to be pixels', () => {
    const [, ...steps] = asked(16, { shape, solver: simba({ along: 'pixels' }), maxQueries: 9 })
    for (const step of steps.slice(0, -1)) expect(step.filter((each) => each !== 0).map(Math.abs)).toEqual([0.2])
  })
})

test('ends at a minimum along its directions when nothing is left of the step', () => {
  const bowl = (x: Float64Array) => x.reduce((sum, each, i) => sum + (i + 1) * (each - 0.3 * i) * (each - 0.3 * i), 0)
  const run = minimizeSync(bowl, [1, -1, 0.5], { solver: simba(), maxQueries: 5000 })
  expect(run).toMatchObject({ stopReason: 'converged', status: 'finished' })
  expect(run.value).toBeLessThan(1e-15)
})

test('is an order of all numbers, the same for the same seed and round', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(1000), fc.nat(300), (seed, round, count) => {
      const order = randomOrder(seed, round, count)
      expect(Array.from(order).sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i))
      expect(randomOrder(seed, round, count)).toEqual(order)
    }),
    { numRuns: 30 },
  )
})

test('another seed and another round give another order', () => {
  expect(Array.from(randomOrder(1, 0, 8))).toEqual([1, 7, 3, 2, 5, 6, 4, 0])
  expect(randomOrder(1, 1, 20)).not.toEqual(randomOrder(1, 0, 20))
  expect(randomOrder(2, 0, 20)).not.toEqual(randomOrder(1, 0, 20))
})

test('every number comes first equally often', () => {
  const counts = new Uint32Array(5)
  for (let round = 0; round < 5000; round++) {
    const first = randomOrder(3, round, 5)[0] as number
    counts[first] = (counts[first] as number) + 1
  }
  // Five standard deviations around 1000.
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(5 * Math.sqrt(800))
})
