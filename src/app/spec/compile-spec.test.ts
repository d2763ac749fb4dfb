import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { randomSpec } from '../../../test/specs/random-spec.ts'
import { createSession, minimize } from '../../index.ts'
import { fingerprint } from '../../optimizer/core/part.ts'
import { type CompiledSpec, compileSpec } from './compile-spec.ts'
import type { Json, JsonObject } from './plain-data.ts'
import { parseSpec } from './read-spec.ts'

/** How a run ends: its point and value to the bit, or the error that it could not begin with. */
async function ending({ objective, start, session }: CompiledSpec): Promise<unknown> {
  try {
    const { point, value, queries, stopReason } = await minimize(objective, start, session)
    return { point: Array.from(point), value, queries, stopReason }
  } catch (error) {
    return (error as Error).message
  } finally {
    await objective.close?.()
  }
}

const message = (spec: unknown): string => {
  try {
    compileSpec(spec as JsonObject)
    return 'no error'
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`
  }
}

describe('a resolved spec', () => {
  test('has every default filled in, in the order of the schema', () => {
    const { resolved } = compileSpec({ objective: 'rosenbrock', solver: 'zo-sgd', bounds: [-2, 2] })
    expect(Object.keys(resolved)).toEqual([
      'objective',
      'dim',
      'start',
      'set',
      'solver',
      'seed',
      'maxQueries',
      'failures',
      'precision',
      'trackBest',
      'log',
    ])
    expect(resolved).toEqual({
      objective: { name: 'rosenbrock' },
      dim: 2,
      start: 'own',
      set: { name: 'box', lower: -2, upper: 2 },
      solver: {
        name: 'zo-sgd',
        learningRate: 0.03,
        directions: 10,
        samples: 1,
        smoothing: 1e-3,
        along: { name: 'sphere' },
      },
      seed: 0,
      maxQueries: 10_000,
      failures: 'avoid',
      precision: 'float64',
      trackBest: true,
      log: false,
    })
  })

  test('is JSON, resolves to itself and gives the same run to the bit', async () => {
    await fc.assert(
      fc.asyncProperty(randomSpec, async (spec) => {
        const first = compileSpec(spec)
        const again = JSON.parse(JSON.stringify(first.resolved)) as JsonObject
        expect(again).toEqual(first.resolved)
        const second = compileSpec(again)
        expect(second.resolved).toEqual(first.resolved)
        expect(JSON.stringify(second.resolved)).toBe(JSON.stringify(first.resolved))
        expect(second.start).toEqual(first.start)
        expect(fingerprint(second.session.solver)).toBe(fingerprint(first.session.solver))
        expect(await ending(second)).toEqual(await ending(first))
      }),
      { seed: 5, numRuns: 60 },
    )
  })

  test('continues a run that its own spec began', () => {
    const spec: JsonObject = { objective: 'quadratic', dim: 3, solver: { name: 'zo-adamm', beta1: { value: 0.5 } } }
    const first = compileSpec(spec)
    const checkpoint = createSession(first.start, first.session).checkpoint()
    const second = compileSpec(first.resolved)
    expect(() => createSession(second.start, { ...second.session, resume: checkpoint })).not.toThrow()
  })

  test('keeps infinities and the sign of 0', () => {
    const { resolved, start } = compileSpec({ objective: 'quadratic', start: [-0, 1], bounds: [-0, Infinity] })
    expect(resolved.start).toEqual(['-0', 1])
    expect(resolved.set).toEqual({ name: 'box', lower: '-0', upper: 'Infinity' })
    expect(Object.is(start[0], -0)).toBe(true)
    expect(Object.is(compileSpec(resolved).start[0], -0)).toBe(true)
  })

  test('says the default budget only where nothing else limits the run', () => {
    const budget = (spec: object) => compileSpec({ objective: 'quadratic', ...spec }).resolved.maxQueries
    expect(budget({})).toBe(10_000)
    expect(budget({ target: 1 })).toBe(10_000)
    expect(budget({ maxIterations: 3 })).toBeUndefined()
    expect(budget({ maxTime: 3 })).toBeUndefined()
    expect(budget({ maxTime: 3, maxQueries: 7 })).toBe(7)
  })
})

test('a spec runs as the same calls of the library do', async () => {
  const { spec } = parseSpec(`
objective: rosenbrock
dim: 10
solver: zo-adamm
seed: 7
maxQueries: 5000
`)
  const { objective, start, session } = compileSpec(spec)
  const result = await minimize(objective, start, session)
  const { rosenbrock, zoAdaMM } = await import('../../index.ts')
  const problem = rosenbrock({ dim: 10 })
  const same = await minimize(problem.value, problem.start, { solver: zoAdaMM(), seed: 7, maxQueries: 5000 })
  expect(result.value).toBe(same.value)
  expect(result.point).toEqual(same.point)
})

describe('the start', () => {
  const start = (spec: object) => Array.from(compileSpec(spec as JsonObject).start)
  const black = { objective: { name: 'module', module: 'data:text/javascript,export default () => 0' }, dim: 2 }

  test('is that of the problem, the middle of the bounds, or 0', () => {
    expect(start({ objective: 'rosenbrock' })).toEqual([-1.2, 1])
    expect(start({ objective: 'rosenbrock', bounds: [0, 4] })).toEqual([-1.2, 1])
    expect(start({ objective: 'rosenbrock', bounds: [0, 4], start: 'middle' })).toEqual([2, 2])
    expect(start({ ...black, bounds: [0, 4] })).toEqual([2, 2])
    expect(start({ ...black, set: { name: 'box', lower: [0, 2], upper: [1, 5] } })).toEqual([0.5, 3.5])
    expect(start(black)).toEqual([0, 0])
    expect(start({ ...black, set: { name: 'l2-ball', radius: 1, center: 5 } })).toEqual([0, 0])
  })

  test('is the number nearest to 0 where a bound is infinite', () => {
    expect(start({ ...black, bounds: [3, Infinity] })).toEqual([3, 3])
    expect(start({ ...black, bounds: ['-Infinity', -2] })).toEqual([-2, -2])
    expect(start({ ...black, bounds: ['-Infinity', 'Infinity'] })).toEqual([0, 0])
    expect(start({ ...black, bounds: [1e308, 1.5e308] })).toEqual([1.25e308, 1.25e308])
  })

  test('is one number for all, or a list that says the number of variables', () => {
    expect(start({ objective: 'quadratic', dim: 3, start: 0.5 })).toEqual([0.5, 0.5, 0.5])
    expect(start({ objective: 'quadratic', start: [1, 2, 3] })).toEqual([1, 2, 3])
    expect(start({ objective: black.objective, start: [1, 2] })).toEqual([1, 2])
  })

  test.each([
    [{ ...black, start: 'own' }, 'spec.start must be a number or a list of numbers, got own: only test problems have'],
    [
      { ...black, start: 'middle' },
      'spec.start must be a number or a list of numbers, got middle: the set is not a box',
    ],
    [
      { ...black, start: 'center' },
      'spec.start must be a number, or must be a list of numbers, or must be one of "own"',
    ],
    [{ ...black, start: [1, 'Infinity'] }, 'spec.start must hold finite numbers only'],
    [{ ...black, start: [1, null] }, 'spec.start must be a number, or must hold numbers only (entry 1 is not one)'],
  ])('%#: what is no start is refused', (spec, expected) => {
    expect(message(spec)).toContain(`ZerothError: ${expected}`)
  })
})

describe('the set', () => {
  test('is everywhere if left out', () => {
    expect(compileSpec({ objective: 'quadratic' }).session.set).toHaveProperty('unbounded', true)
  })

  test('is a box where there are bounds: for all variables, or for each', () => {
    const box = (bounds: Json) => compileSpec({ objective: 'rosenbrock', dim: 2, bounds }).resolved.set
    expect(box([-1, 1])).toEqual({ name: 'box', lower: -1, upper: 1 })
    const each = [
      [-1, 0],
      [1, 5],
    ]
    expect(box(each)).toEqual({ name: 'box', lower: [-1, 0], upper: [1, 5] })
    expect(box([0, [1, 5]])).toEqual({ name: 'box', lower: 0, upper: [1, 5] })
  })

  test.each([
    [{ bounds: [0, 1], set: 'simplex' }, 'spec.bounds and spec.set exclude each other'],
    [{ bounds: [1, 0] }, 'spec.bounds: box is empty: coordinate 0 has lower 1 and upper 0'],
    [
      {
        bounds: [
          [0, 0],
          [1, 1],
        ],
      },
      'spec.bounds: box.lower has 2 entries, but there are 10 coordinates',
    ],
    [
      { bounds: [0] },
      'spec.bounds must be [lower, upper], each a number for all variables, or a list with one per variable',
    ],
    [{ bounds: Array(6).fill([0, 1]) }, 'spec.bounds must be [lower, upper]'],
    [{ set: { name: 'box', lower: [1, 2] } }, 'spec.set: box.lower has 2 entries, but there are 10 coordinates'],
    [{ set: 'l2-ball' }, 'spec.set.radius is required (a number)'],
  ])('%o is refused', (keys, expected) => {
    expect(message({ objective: 'quadratic', ...keys })).toContain(`ZerothError: ${expected}`)
  })
})

describe('errors', () => {
  test.each([
    [{}, 'spec.objective is required: what to minimise'],
    [[], 'spec must be an object of keys and values'],
    ['quadratic', 'spec must be an object of keys and values'],
    [
      { objective: 'quadratic', maxQuerys: 3 },
      'spec has no option maxQuerys; did you mean maxQueries? (known: $schema, ',
    ],
    [{ objective: 'quadratic', seed: null }, 'spec.seed must be a number, got null'],
    [{ objective: 'quadratic', maxQueries: 0 }, 'spec.maxQueries must be at least 1, got 0'],
    [
      { objective: 'quadratic', failures: 'ignore' },
      'spec.failures must be one of "avoid", "stop", "skip", "worst", got "ignore"',
    ],
    [{ objective: 'quadratic', dim: 1e9 }, 'spec.dim must be at most 20000000, got 1000000000'],
    [{ objective: { name: 'quadratic', dim: 1e9 } }, 'spec.objective.dim must be at most 20000000, got 1000000000'],
    [
      { objective: 'quadratic', retry: { atempts: 3 } },
      'spec.retry.atempts is not an option of spec.retry; did you mean attempts?',
    ],
    [{ objective: 'quadratic', retry: 3 }, 'spec.retry must be a boolean, or must be an object, got 3'],
    [{ objective: 'quadratic', rate: {} }, 'spec.rate.perSecond is required (a number)'],
    [{ objective: 'quadratic', x: () => 1 }, 'spec.x must be something that JSON can hold, got function x'],
    [{ objective: 'quadratic', constructor: 1 }, 'spec.constructor: the key constructor is not allowed'],
    [
      JSON.parse('{"objective": {"name": "quadratic", "__proto__": {}}}'),
      'spec.objective.__proto__: the key __proto__ is',
    ],
  ])('%#: say what, where and what is allowed', (spec, expected) => {
    expect(message(spec)).toContain(`ZerothError: ${expected}`)
  })

  test('name the file, the line and the column', () => {
    const source = parseSpec('objective: quadratic\nsolver:\n  name: zo-adamm\n  smoothing: 0\n', {
      name: 'my/run.yaml',
    })
    expect(() => compileSpec(source.spec, source)).toThrow(
      'my/run.yaml:4:3: spec.solver.smoothing must be above 0, got 0',
    )
  })
})

describe('variables with names', () => {
  const variables = { rate: { from: 1e-5, to: 0.1, scale: 'log' }, width: { from: 0, to: 4 } } as const
  const text = 'export default ({ rate, width }) => (rate * 1000 - 3) ** 2 + (width - 2.5) ** 2'
  const module = `data:text/javascript,${encodeURIComponent(text)}`
  const spec: JsonObject = { objective: { name: 'module', module }, variables, maxQueries: 400, seed: 3 }

  test('give the run of minimize with the same options, to the bit', async () => {
    const { objective, start, session } = compileSpec(spec)
    const { point, variables: best } = await minimize(objective, start, session)
    const f = ({ rate, width }: { rate: number; width: number }) => (rate * 1000 - 3) ** 2 + (width - 2.5) ** 2
    const here = await minimize(f, { variables, maxQueries: 400, seed: 3 })
    expect(point).toEqual(here.point)
    expect(best).toEqual(here.variables)
  })

  test('stand in the resolved spec, which gives the same run again', async () => {
    const { resolved, dim, start } = compileSpec(spec)
    expect(dim).toBe(2)
    expect(start).toEqual(Float64Array.of(0.0010000000000000002, 2))
    expect(resolved.variables).toEqual({ ...variables, width: { from: 0, to: 4, scale: 'linear' } })
    expect(resolved).toMatchObject({ dim: 2, start: 'middle' })
    expect('set' in resolved || 'variables' in (resolved.objective as JsonObject)).toBe(false)
    expect(compileSpec(resolved).resolved).toEqual(resolved)
    expect(await ending(compileSpec(resolved))).toEqual(await ending(compileSpec(spec)))
    const named = compileSpec({ ...spec, start: { width: 1 } })
    expect(named.start).toEqual(Float64Array.of(0.0010000000000000002, 1))
    expect(compileSpec(named.resolved).start).toEqual(named.start)
  })

  test.each<[string, JsonObject, RegExp]>([
    [
      'bounds besides',
      { bounds: [0, 1] },
      /spec.bounds and spec.variables exclude each other: each variable has its own/,
    ],
    ['a set besides', { set: 'simplex' }, /spec.set and spec.variables exclude each other/],
    ['another dim', { dim: 3 }, /spec.dim is 3, but the number of spec.variables is 2/],
    ['a start outside', { start: { rate: 1 } }, /spec.start: start.rate must be a number from 0.00001 to 0.1, got 1/],
    [
      'the start of a test problem',
      { start: 'own' },
      /spec.start must be middle or numbers where variables have names/,
    ],
    [
      'variables of the objective besides',
      { objective: { name: 'module', module, variables } },
      /spec.objective.variables must be left out: they are those of spec.variables/,
    ],
    [
      'what other libraries write',
      { variables: { n: { from: 1, to: 9, type: 'integer' } } },
      /spec.variables.n.type is not an option of a variable: whole numbers are step: 1/,
    ],
    ['one choice', { variables: { n: { choices: ['a'] } } }, /spec.variables.n.choices must hold at least two choices/],
    [
      'a method that takes no choices',
      { variables: { n: { choices: ['a', 'b'] } }, solver: 'zo-adamm' },
      /spec.solver: zo-adamm takes numbers between two ends only, but n has choices \(these take all: auto, bayesian, random\)/,
    ],
    ['no ends', { variables: { n: { from: 1 } } }, /spec.variables.n.to is required/],
    [
      'ends in the wrong order',
      { variables: { n: { from: 1, to: 1 } } },
      /spec.variables.n.to must be above from, 1, got 1/,
    ],
    ['infinite ends', { variables: { n: { from: 1, to: 'Infinity' } } }, /spec.variables.n.to must be a finite number/],
    [
      'an unknown option',
      { variables: { n: { from: 1, to: 2, form: 1 } } },
      /spec.variables.n has no option form; did you mean from/,
    ],
    ['none', { variables: {} }, /spec.variables must hold at least one variable/],
  ])('%s is refused', (_, changes, expected) => {
    expect(message({ ...spec, ...changes })).toMatch(expected)
  })

  test('names in a start need variables', () => {
    const expected = 'ZerothError: spec.start has names, but there are no spec.variables'
    expect(message({ objective: 'rosenbrock', start: { a: 1 } })).toBe(expected)
  })

  test('a name that stands twice in a file is refused', () => {
    const twice = 'objective: rosenbrock\nvariables:\n  a: { from: 0, to: 1 }\n  a: { from: 0, to: 2 }\n'
    expect(() => parseSpec(twice)).toThrow('the key a appears twice')
  })
})
