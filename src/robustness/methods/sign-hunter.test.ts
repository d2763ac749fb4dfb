import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { points } from '../../optimizer/core/answers.ts'
import { createSession } from '../../optimizer/core/session.ts'
import type { Solver } from '../../optimizer/core/types.ts'
import { minimizeSync } from '../../optimizer/minimize/minimize-sync.ts'
import { box } from '../../optimizer/parts/sets/boxes.ts'
import { signHunter } from './sign-hunter.ts'

const slope = (weights: readonly number[]) => (x: ArrayLike<number>) =>
  weights.reduce((sum, weight, i) => sum + weight * (x[i] as number), 0)

/** What is asked, as signs around a start of zeros. */
function asked(costOf: (x: ArrayLike<number>) => number, dim: number, radius = 0.5): string[] {
  const session = createSession(new Float64Array(dim), { solver: signHunter({ radius }), maxQueries: 100 })
  const seen: string[] = []
  while (session.outcome === undefined) {
    const [x = []] = points(session.ask())
    seen.push(Array.from(x, (each) => ['-', '0', '+'][Math.sign(each) + 1]).join(''))
    session.tell([costOf(x)])
  }
  return seen
}

describe('what is tried', () => {
  test('the start, all up, then ever smaller blocks on the other side; a round without gain is the last', () => {
    const rounds = asked(slope([-1, -1, -1, -1, -1]), 5)
    const blocks = ['-----', '---++', '+++--', '--+++', '++--+', '++++-', '-++++', '+-+++', '++-++', '+++-+', '++++-']
    expect(rounds).toEqual(['00000', '+++++', ...blocks, '+++++'])
  })

  test('a block that helps stays on the other side', () => {
    const [, , all, half, other, quarter] = asked(slope([1, 1, -1, -1]), 4)
    expect([all, half, other, quarter]).toEqual(['----', '--++', '----', '+-++'])
  })

  test('a single variable has two sides', () => {
    expect(asked(slope([1]), 1)).toEqual(['0', '+', '-', '+', '-'])
  })
})

test('on a slope it finds the better side of every variable and has converged', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(-2, -1, 1, 3), { minLength: 1, maxLength: 40 }), (weights) => {
      const run = minimizeSync(slope(weights), new Float64Array(weights.length), {
        solver: signHunter({ radius: 0.25 }),
      })
      expect(run.stopReason).toBe('converged')
      expect(Array.from(run.last.point)).toEqual(weights.map((weight) => -0.25 * Math.sign(weight)))
      expect(run.last.value).toBe(run.value)
    }),
    { numRuns: 40 },
  )
})

test('stays in the set, and does not ask about blocks that cannot move in it', () => {
  const set = box({ lower: [0, -1, 0], upper: [0, 1, 0] })
  const seen: number[][] = []
  const costOf = (x: Float64Array) => {
    seen.push(Array.from(x))
    return x[1] as number
  }
  minimizeSync(costOf, [0, 0, 0], { solver: signHunter({ radius: 0.5 }), set })
  expect(seen.every(([a, , c]) => a === 0 && c === 0)).toBe(true)
  // The start, up, down; in the second round only the blocks with the second variable; and the answer.
  expect(seen.map(([, b]) => b)).toEqual([0, 0.5, -0.5, 0.5, 0.5, 0.5, 0.5, 0.5, -0.5])
})

test('a first point without a value gives way to the opposite one', () => {
  const costOf = ([x = 0]: Float64Array) => (x > 0 ? Number.NaN : x)
  const run = minimizeSync(costOf, [0, 0], { solver: signHunter(), failures: 'skip', maxQueries: 40 })
  expect(Array.from(run.point)).toEqual([-0.1, -0.1])
})

test('moves as far as the limit of an attack allows, unless a radius is given', () => {
  const second = (solver: Solver): number => {
    const session = createSession([0, 0], { solver, attack: { linf: 0.03 }, maxQueries: 5 })
    session.ask()
    session.tell([1])
    return points(session.ask())[0]?.[0] as number
  }
  expect([second(signHunter()), second(signHunter({ radius: 0.2 }))]).toEqual([0.03, 0.2])
})
