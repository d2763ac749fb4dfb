import { describe, expect, test } from 'vitest'
import { answersTo, rowsToAsk } from '../../../test/conformance/wrapper.ts'
import { functionObjective } from '../objectives/function.ts'
import { limited } from './limits.ts'
import { type NoisyOptions, noisy } from './noisy.ts'

const level = (value: number) => functionObjective(() => value, { dim: 3 })

/** The noise on each row of some iterations. */
async function noiseOf(options: NoisyOptions, value = 0, rows = 50, iterations = 200): Promise<number[]> {
  const objective = noisy(level(value), options)
  const noise: number[] = []
  for (let iteration = 1; iteration <= iterations; iteration++) {
    const { values } = await answersTo(objective, rowsToAsk(rows, iteration))
    noise.push(...Array.from(values, (each) => each - value))
  }
  return noise
}

describe.each(['normal', 'uniform'] as const)('%s noise', (distribution) => {
  test('has mean 0 and the deviation that was asked for', async () => {
    const noise = await noiseOf({ deviation: 2, distribution })
    const mean = noise.reduce((sum, each) => sum + each, 0) / noise.length
    const variance = noise.reduce((sum, each) => sum + each * each, 0) / noise.length
    expect(noise).toHaveLength(10_000)
    expect(new Set(noise).size).toBeGreaterThan(9900)
    expect(Math.abs(mean)).toBeLessThan(0.08)
    expect(Math.abs(Math.sqrt(variance) - 2)).toBeLessThan(0.08)
  })

  test('is a function of seed, iteration and row', async () => {
    const noise = await noiseOf({ deviation: 1, distribution }, 0, 4, 5)
    expect(await noiseOf({ deviation: 1, distribution }, 0, 4, 5)).toEqual(noise)
    expect(await noiseOf({ deviation: 1, distribution, seed: 1 }, 0, 4, 5)).not.toEqual(noise)
    const { values } = await answersTo(noisy(level(0), { deviation: 1, distribution }), {
      ...rowsToAsk(1, 5),
      original: () => 3,
    })
    expect(values[0]).toBe(noise.at(-1))
  })

  test('is the same whether rows are asked together or one by one', async () => {
    const objective = noisy(level(1), { deviation: 0.5, distribution })
    const together = await answersTo(objective, rowsToAsk(9))
    const apart = await answersTo(limited(objective, { concurrency: 2 }), rowsToAsk(9))
    expect(apart.values).toEqual(together.values)
  })
})

test('normal noise reaches further than uniform noise, which keeps within sqrt(3) deviations', async () => {
  const most = async (distribution: 'normal' | 'uniform') =>
    Math.max(...(await noiseOf({ deviation: 1, distribution })).map(Math.abs))
  expect(await most('uniform')).toBeLessThan(Math.sqrt(3))
  expect(await most('uniform')).toBeGreaterThan(1.72)
  expect(await most('normal')).toBeGreaterThan(3)
})

test('relative noise grows with the value', async () => {
  const noise = await noiseOf({ deviation: 0 }, -500)
  expect(new Set(noise)).toEqual(new Set([0]))
  const relative = await noiseOf({ deviation: 0, relative: 0.01 }, -500)
  const deviation = Math.sqrt(relative.reduce((sum, each) => sum + each * each, 0) / relative.length)
  expect(Math.abs(deviation - 5)).toBeLessThan(0.2)
})

test('these are its first numbers, on every platform', async () => {
  expect(await noiseOf({ deviation: 1 }, 0, 3, 1)).toEqual([
    0.6175543665885925, -0.9421190023422241, -0.12427738308906555,
  ])
  expect(await noiseOf({ deviation: 1, distribution: 'uniform' }, 0, 3, 1)).toEqual([
    0.2136974500464373, 0.12166623496466841, -1.6414394332068831,
  ])
})

test('failed rows, values that are not finite and -0 without noise stay as they are', async () => {
  const inner = functionObjective(
    (_, { row }) => {
      if (row === 0) throw new Error('no')
      return [0, Infinity, -0][row] as number
    },
    { dim: 3 },
  )
  const answers = await answersTo(noisy(inner, { deviation: 1 }), rowsToAsk(2))
  expect(Array.from(answers.values)).toEqual([Number.NaN, Infinity])
  expect(Array.from(answers.failed)).toEqual([1, 0])
  const quiet = await answersTo(noisy(inner, { deviation: 0, relative: 1 }), rowsToAsk(3))
  expect(quiet.values[2]).toBe(-0)
})
