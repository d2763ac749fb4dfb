import { describe, expect, test } from 'vitest'
import { makeAnswers } from '../../core/answers.ts'
import { parseOptions } from '../../core/options.ts'
import { resumeSearch, saveMemory } from '../../core/part.ts'
import { makeRunContext } from '../../core/session.ts'
import { sessionOptions } from '../../core/session-options.ts'
import type { KnownPoint, RunContext, Search } from '../../core/types.ts'
import { box } from '../../parts/sets/boxes.ts'
import { bayesianSolver } from './bayesian.ts'

/** A value, and what its constraints come to: at most 0 where they hold. */
type Constrained = (x: ArrayLike<number>) => { value: number; constraints: readonly number[] }

interface Asked {
  readonly point: Float64Array
  readonly value: number
  readonly isFeasible: boolean
}

function contextOf(start: readonly number[], lower: number, upper: number, extra: Partial<RunContext>): RunContext {
  const set = box({ lower, upper })
  const options = parseOptions('test', sessionOptions, { solver: bayesianSolver(), set, maxQueries: 200, seed: 1 })
  return { ...makeRunContext(start, options, () => undefined), ...extra }
}

function tell(search: Search, f: Constrained, asked: Asked[]): void {
  const queries = search.ask()
  const rows = Array.from({ length: queries.rows }, (_, row) => {
    const point = new Float64Array(queries.dim)
    queries.write(row, point)
    return point
  })
  const found = rows.map((point) => f(point))
  const answers = makeAnswers(queries.rows, found[0]?.constraints.length ?? 0)
  found.forEach(({ value, constraints }, row) => {
    answers.values[row] = value
    answers.constraints?.set(constraints, row * constraints.length)
    const isFeasible = constraints.every((each) => each <= 0)
    asked.push({ point: rows[row] as Float64Array, value, isFeasible })
  })
  search.tell(answers)
}

function run(at: RunContext, f: Constrained, queries: number): { asked: Asked[]; search: Search } {
  const search = bayesianSolver().start(at)
  const asked: Asked[] = []
  while (asked.length < queries && search.finished === undefined) tell(search, f, asked)
  return { asked, search }
}

function best(asked: readonly Asked[]): number {
  return asked.reduce((low, { value, isFeasible }) => (isFeasible ? Math.min(low, value) : low), Infinity)
}

/** Gomez: small islands of what is allowed; the lowest value there is -0.9711. */
const gomez: Constrained = (point) => {
  const [x, y] = [point[0] as number, point[1] as number]
  const wave = Math.sin(2 * Math.PI * y)
  return {
    value: (4 - 2.1 * x * x + (x * x * x * x) / 3) * x * x + x * y + (4 * y * y - 4) * y * y,
    constraints: [2 * wave * wave - Math.sin(4 * Math.PI * x)],
  }
}

/** The lowest sum on a ball that a plane cuts: both constraints hold it. */
const cut: Constrained = (x) => {
  const list = Array.from(x)
  return {
    value: list.reduce((a, b) => a + b, 0),
    constraints: [list.reduce((a, b) => a + b * b, 0) - 2, -0.5 - (x[0] as number)],
  }
}

const zeros = (n: number): number[] => new Array(n).fill(0)

describe('constraints that come with the values', () => {
  test.each([1, 2, 3, 4])('on islands, the lowest of what is allowed is found within 65 queries (seed %i)', (seed) => {
    const { asked } = run(contextOf([0.8, 0.8], -1, 1, { constraints: 1, seed }), gomez, 65)
    expect(best(asked)).toBeLessThan(-0.97)
  })

  test.each([
    [3, 30, -0.5 - 2 * Math.sqrt(1.75 / 2)],
    [5, 60, -0.5 - 4 * Math.sqrt(1.75 / 4)],
  ])('where two hold a minimum in %i variables, it is found within %i queries', (d, queries, lowest) => {
    for (const seed of [1, 2, 3]) {
      const { asked } = run(contextOf(Array(d).fill(0.8), -2, 2, { constraints: 2, seed }), cut, queries)
      expect(best(asked)).toBeGreaterThanOrEqual(lowest)
      expect(best(asked)).toBeLessThan(lowest + 1e-3)
    }
  })

  test('the run would end with the best point at which all of them hold', () => {
    const { asked, search } = run(contextOf([0.8, 0.8, 0.8], -2, 2, { constraints: 2 }), cut, 40)
    const { value, constraints } = cut(search.answer as Float64Array)
    expect(constraints.every((each) => each <= 0)).toBe(true)
    expect(value).toBe(best(asked))
    expect(asked.some((each) => each.value < value)).toBe(true)
  })

  test('where nothing is allowed, the run ends up where least is violated', () => {
    const never: Constrained = (x) => ({
      value: x[1] as number,
      constraints: [1 + (x[0] as number) * (x[0] as number)],
    })
    const { search } = run(contextOf([1.5, 0.8], -2, 2, { constraints: 1 }), never, 40)
    expect(Math.abs(search.answer?.[0] as number)).toBeLessThan(0.1)
  })

  test('values that fail may be where constraints are known, and the other way round', () => {
    const odd: Constrained = (x) => {
      const { value, constraints } = cut(x)
      const isOdd = (x[1] as number) > 1
      return { value: isOdd ? Number.NaN : value, constraints: (x[2] as number) > 1.2 ? [Number.NaN, 0] : constraints }
    }
    const { asked } = run(contextOf([0.8, 0.8, 0.8], -2, 2, { constraints: 2 }), odd, 40)
    expect(best(asked)).toBeLessThan(-2.36)
  })

  test('a run goes on to the same bits from what it remembers after any query', () => {
    const at = (): RunContext => contextOf([0.8, 0.8], -1, 1, { constraints: 1 })
    const whole = run(at(), gomez, 45)
    const search = bayesianSolver().start(at())
    const asked: Asked[] = []
    while (asked.length < 40) {
      const resumed = resumeSearch(bayesianSolver(), at(), saveMemory(search.memory))
      resumed.iteration = search.iteration
      const next: Asked[] = []
      tell(resumed, gomez, next)
      expect(next).toEqual(whole.asked.slice(asked.length, asked.length + next.length))
      tell(search, gomez, asked)
    }
  })
})

describe('points that are known', () => {
  const bowl: Constrained = (x) => ({
    value: Array.from(x).reduce((a, b, i) => a + (1 + i) * (b - 0.3) * (b - 0.3), 0),
    constraints: [],
  })
  const known = (points: readonly (readonly number[])[], withValues: boolean): KnownPoint[] =>
    points.map((each) => ({
      point: Float64Array.from(each),
      ...(withValues && { value: bowl(each).value, constraints: new Float64Array(0) }),
    }))

  test('with their values are not asked again, and tell as much as answers', () => {
    const points = [
      [1, 1],
      [-1, 0.5],
      [0.5, -1],
      [0.2, 0.4],
      [0, 0.1],
      [0.4, 0.2],
    ]
    const with6 = run(contextOf([1.5, -1.5], -2, 2, { known: known(points, true) }), bowl, 8)
    expect(best(with6.asked)).toBeLessThan(1e-3)
    const texts = with6.asked.map(({ point }) => Array.from(point).join())
    for (const point of points) expect(texts).not.toContain(point.join())
    expect(texts[0]).toBe('1.5,-1.5')
  })

  test('without values are asked first, after the start', () => {
    const { asked } = run(
      contextOf([1.5, -1.5], -2, 2, {
        known: known(
          [
            [1, 1],
            [-1, 0.5],
          ],
          false,
        ),
      }),
      bowl,
      3,
    )
    expect(asked.slice(0, 3).map(({ point }) => Array.from(point))).toEqual([
      [1.5, -1.5],
      [1, 1],
      [-1, 0.5],
    ])
  })

  test('and their constraints, too', () => {
    const point = Float64Array.of(-0.5, -0.9, -0.9)
    const value = cut(point)
    const at = contextOf(zeros(3), -2, 2, {
      constraints: 2,
      known: [{ point, value: value.value, constraints: Float64Array.from(value.constraints) }],
    })
    const { asked, search } = run(at, cut, 6)
    expect(search.answer && cut(search.answer).value).toBeLessThanOrEqual(Math.min(value.value, best(asked)))
  })
})
