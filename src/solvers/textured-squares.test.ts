import { describe, expect, test } from 'vitest'
import { points } from '../core/points.ts'
import { createSession } from '../core/session.ts'
import type { SessionOptions } from '../core/session-options.ts'
import { minimizeSync } from '../run/minimize.ts'
import { box } from '../sets/box.ts'
import { square } from './square.ts'
import { texturedSquares } from './textured-squares.ts'

const shape = { channels: 2, height: 8, width: 8 }
const dim = 128

function asked(options: Partial<SessionOptions>, count: number): Float64Array[] {
  const session = createSession(new Float64Array(dim), { solver: texturedSquares(), shape, seed: 4, ...options })
  return Array.from({ length: count }, (_, i) => {
    const x = Float64Array.from(points(session.ask())[0] ?? [])
    session.tell([(i * 7) % 5])
    return x
  })
}

const lengthOf = (x: Float64Array): number => Math.sqrt(x.reduce((sum, each) => sum + each * each, 0))

describe('how far it goes', () => {
  test('as far as the attack allows, every pixel of it', () => {
    const [start, ...more] = asked({ attack: { linf: 0.03 } }, 30)
    expect(start?.every((each) => each === 0)).toBe(true)
    for (const each of more) expect(each.every((value) => Math.abs(value) === 0.03)).toBe(true)
  })

  test('0.1 where there is no limit, and what is given where one is', () => {
    expect(asked({}, 2)[1]?.every((value) => Math.abs(value) === 0.1)).toBe(true)
    const solver = texturedSquares({ radius: 0.4 })
    expect(asked({ solver, attack: { linf: 0.03 } }, 2)[1]?.every((value) => Math.abs(value) === 0.4)).toBe(true)
  })

  test('with a limit on the length alone, changes of that length, longer ones only where nothing holds them', () => {
    for (const each of asked({ attack: { l2: 2 } }, 10).slice(1)) expect(lengthOf(each)).toBeCloseTo(3, 9)
  })
})

test('the first trials cover the whole image, later ones parts of it', () => {
  const all = asked({ seed: 1 }, 60)
  const changed = all.slice(1).map((each, i) => each.filter((value, k) => value !== all[i]?.[k]).length)
  expect(Math.min(...changed.slice(20))).toBeLessThan(20)
})

test('finds stripes in fewer queries than plain squares: the weakness that networks have', () => {
  const costOf = (x: Float64Array) => x.reduce((sum, each, i) => sum + (i % 2 === 0 ? each : -each), 0)
  const target = -0.1 * 0.9 * dim
  const queries = [texturedSquares(), square()].map((solver) => {
    const runs = [1, 2, 3].map((seed) =>
      minimizeSync(costOf, new Float64Array(dim), { solver, shape, seed, target, maxQueries: 5000 }),
    )
    return runs.reduce((sum, run) => sum + run.queries, 0)
  })
  expect(queries[0]).toBeLessThan(0.5 * (queries[1] as number))
})

test('goes by the loss: the length that an attack adds to its values does not matter', () => {
  const pixelsUp = (addsSquares: boolean): number => {
    // Going up helps a little, and adds more to the length than it takes off the loss.
    const set = box({ lower: 0, upper: 0.1 })
    const options = { solver: texturedSquares(), shape, set, attack: { linf: 0.1, addsSquares }, maxQueries: 400 }
    const costOf = (x: Float64Array) => x.reduce((sum, each) => sum - 0.01 * each + each * each, 0)
    const { last } = minimizeSync(costOf, new Float64Array(dim), options)
    return last.point.filter((each) => each > 0).length
  }
  expect(pixelsUp(true)).toBeGreaterThan(0.9 * dim)
  expect(pixelsUp(false)).toBeLessThan(0.1 * dim)
})
