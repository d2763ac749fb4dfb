import fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  box,
  createSession,
  decodeCheckpoint,
  encodeCheckpoint,
  maximize,
  minimize,
  minimizeMany,
  minimizeSync,
  type NamedPoint,
  namedVariables,
  type Objective,
  points,
  type QueryContext,
  zoAdaMM,
} from '../index.ts'

const variables = { rate: { from: 1e-5, to: 0.1, scale: 'log' }, width: { from: 0, to: 4 } } as const
const ln = Math.log

/** Lowest at rate = 0.003 and width = 2.5. */
const valley = ({ rate, width }: NamedPoint<'rate' | 'width'>): number =>
  (ln(rate) - ln(0.003)) ** 2 + (width - 2.5) ** 2

const asObjective: Objective = {
  dim: 2,
  evaluate(queries, into) {
    for (const [i, [rate = 0, width = 0]] of points(queries).entries()) into.values[i] = valley({ rate, width })
  },
}

describe('variables with names', () => {
  test('the function gets names, the result has them in own units, and the compiler knows them', async () => {
    const result = await minimize(
      ({ rate, width }) => {
        expectTypeOf(rate).toEqualTypeOf<number>()
        return valley({ rate, width })
      },
      { variables: { rate: { from: 1e-5, to: 0.1, scale: 'log' }, width: { from: 0, to: 4 } }, maxQueries: 4000 },
    )
    expectTypeOf(result.variables).toEqualTypeOf<NamedPoint<'rate' | 'width'>>()
    expect(result.variables.rate).toBeCloseTo(0.003, 4)
    expect(result.variables.width).toBeCloseTo(2.5, 2)
    expect(Object.keys(result.variables)).toEqual(['rate', 'width'])
    expect([...result.point]).toEqual(Object.values(result.variables))
    expect(valley(result.variables)).toBe(result.value)
    expect(valley({ rate: result.last.point[0] ?? 0, width: result.last.point[1] ?? 0 })).toBe(result.last.value)
  })

  test('a name that there is not is an error of the compiler', () => {
    // @ts-expect-error: there is no variable depth.
    void (() => minimize(({ depth }) => depth, { variables }))
    // @ts-expect-error: a start has the names of variables.
    void (() => minimize(valley, { depth: 1 }, { variables }))
  })

  test('a run begins in the scaled middle, or where it is told', async () => {
    const asked: NamedPoint[] = []
    const f = (x: NamedPoint): number => asked.push(x)
    const options = { variables, maxIterations: 0 }
    await minimize(f, options)
    await minimize(f, { rate: 0.05 }, options)
    await minimize(f, [1e-5, 4], options)
    expect(asked[0]?.rate).toBeCloseTo(0.001, 15)
    expect(asked[0]?.width).toBe(2)
    expect(asked[1]?.rate).toBeCloseTo(0.05, 15)
    expect(asked[1]?.width).toBe(2)
    expect(asked[2]).toEqual({ rate: 1e-5, width: 4 })
  })

  test('all ways of asking give the same bits', async () => {
    const options = { variables, seed: 3, maxQueries: 200 }
    const one = await minimize(valley, options)
    const later = await minimize(async (x) => valley(x), { ...options, concurrency: 3 })
    const many = await minimize((all) => all.map(valley), { ...options, batched: true, batchSize: 4 })
    const lists = await minimize(asObjective, options)
    for (const other of [later, many, lists, minimizeSync(valley, options)]) expect(other).toEqual(one)
  })

  test('a function may keep its points: each call has its own', () => {
    const seen = new Set<NamedPoint>()
    minimizeSync((x) => valley((seen.add(x), x)), { variables, maxQueries: 50 })
    expect(seen.size).toBeGreaterThan(40)
  })

  test('maximize and minimizeMany take them, too', async () => {
    const best = await maximize((x) => -valley(x), { variables, seed: 3, maxQueries: 500 })
    const { runs } = await minimizeMany(valley, { variables, seeds: [3], maxQueries: 500 })
    expect(best.variables).toEqual(runs[0]?.variables)
    expect(best.value).toBe(-(runs[0]?.value ?? 0))
  })

  test('a checkpoint resumes to the same bits, and only with the same variables', async () => {
    const options = { variables, seed: 5 }
    const whole = await minimize(valley, { ...options, maxIterations: 40 })
    let saved = ''
    const onIteration = (_: unknown, session: { checkpoint(): never }): void => {
      saved = encodeCheckpoint(session.checkpoint())
    }
    await minimize(valley, { ...options, maxIterations: 17, onIteration: onIteration as never })
    const resume = decodeCheckpoint(saved)
    const resumed = await minimize(valley, { ...options, maxIterations: 40, resume })
    expect(resumed.point).toEqual(whole.point)
    expect(resumed.last).toEqual(whole.last)
    const other = { ...variables, width: { from: 0, to: 5 } }
    await expect(minimize(valley, { variables: other, seed: 5, resume })).rejects.toThrow(/resume.set is variables\(/)
  })

  test('a session asks in own units and tells the best by name', () => {
    const session = createSession(
      { width: 1 },
      { solver: zoAdaMM(), variables: namedVariables(variables), maxQueries: 60 },
    )
    while (session.outcome === undefined) {
      session.tell(points(session.ask()).map(([rate = 0, width = 0]) => valley({ rate, width })))
    }
    expect(session.best.variables).toEqual(session.outcome.variables)
    expect(session.outcome.value).toBe(valley(session.outcome.variables as NamedPoint<'rate' | 'width'>))
  })

  test.each(['float64', 'float32'] as const)('no query is ever outside, in %s, whatever the bounds', (precision) => {
    const bound = fc.double({ min: -1e6, max: 1e6, noNaN: true })
    const range = fc.tuple(bound, bound).filter(([a, b]) => a !== b)
    fc.assert(
      fc.property(range, range, fc.boolean(), fc.nat(1000), ([a, b], [c, d], isLog, seed) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        const [low, high] = [Math.min(c, d), Math.max(c, d)].map((each) => (isLog ? 10 ** (each / 1e4) : each))
        if (!((high as number) > (low as number))) return
        const ranges = {
          x: { from, to },
          y: { from: low as number, to: high as number, scale: isLog ? ('log' as const) : ('linear' as const) },
        }
        // Downhill towards a corner, in steps that are far too long.
        const f = ({ x, y }: NamedPoint<'x' | 'y'>, { iteration }: QueryContext): number => {
          expect(x >= from && x <= to && y >= ranges.y.from && y <= ranges.y.to).toBe(true)
          return iteration % 20 < 10 ? x + y : -x - y
        }
        minimizeSync(f, { variables: ranges, seed, precision, maxQueries: 300, solver: zoAdaMM({ learningRate: 1 }) })
      }),
      { numRuns: 60, seed: 1 },
    )
  })
})

describe('what is refused', () => {
  const f = (): number => 0
  test.each<[string, unknown, RegExp]>([
    ['no variables', {}, /^minimize.variables must hold at least one variable, got/],
    ['a list', [[0, 1]], /^minimize.variables must be an object of variables, as in \{ rate:/],
    ['a pair', { a: [0, 1] }, /^minimize.variables.a must be \{ from, to, scale \}, got Array\(2\)/],
    ['no end', { a: { from: 0 } }, /^minimize.variables.a.to is required/],
    ['ends in the wrong order', { a: { from: 1, to: 0 } }, /^minimize.variables.a.to must be above from, 1, got 0/],
    ['equal ends', { a: { from: 1, to: 1 } }, /^minimize.variables.a.to must be above from, 1, got 1/],
    [
      'infinite ends',
      { a: { from: 0, to: Infinity } },
      /^minimize.variables.a.to must be a finite number, got Infinity/,
    ],
    ['NaN', { a: { from: Number.NaN, to: 1 } }, /^minimize.variables.a.from must be a finite number, got NaN/],
    ['too wide a range', { a: { from: -1e308, to: 1e308 } }, /^minimize.variables.a.to is too far from -1e\+308/],
    [
      'log from 0',
      { a: { from: 0, to: 1, scale: 'log' } },
      /^minimize.variables.a.from must be above 0 for the scale log, got 0/,
    ],
    [
      'an unknown scale',
      { a: { from: 0, to: 1, scale: 'ln' } },
      /^minimize.variables.a.scale must be one of "linear", "log", got "ln"/,
    ],
    [
      'an unknown option',
      { a: { from: 0, too: 1, to: 1 } },
      /^minimize.variables.a has no option too; did you mean to\?/,
    ],
    [
      'an empty name',
      { '': { from: 0, to: 1 } },
      /^minimize.variables. cannot be the name of a variable \(""\): a name begins with a letter/,
    ],
    ['a number as a name', { 7: { from: 0, to: 1 } }, /^minimize.variables.7 cannot be the name of a variable/],
    ['a name of JavaScript', { constructor: { from: 0, to: 1 } }, /cannot be the name of a variable \("constructor"\)/],
    [
      'whole numbers',
      { a: { from: 0, to: 9, type: 'integer' } },
      /^minimize.variables.a.type is not supported: variables are continuous.*round inside the objective/,
    ],
    ['steps', { a: { from: 0, to: 9, step: 1 } }, /^minimize.variables.a.step is not supported/],
    ['choices', { a: { choices: ['x', 'y'] } }, /^minimize.variables.a.choices is not supported.*one run per choice/],
  ])('%s', async (_, given, message) => {
    await expect(minimize(f, { variables: given as never })).rejects.toThrow(message)
  })

  test.each<[string, unknown, RegExp]>([
    ['a start outside', { rate: 1 }, /^start.rate must be a number from 0.00001 to 0.1, got 1$/],
    ['a start that is no number', { width: 'wide' }, /^start.width must be a number from 0 to 4, got "wide"$/],
    ['NaN', [0.01, Number.NaN], /^start.width must be a number from 0 to 4, got NaN$/],
    ['a hole', [0.01, undefined], /^start.width must be a number from 0 to 4, got null$/],
    ['an unknown name', { with: 1 }, /^start.with is no variable; did you mean width\? \(known: rate, width\)$/],
    ['a list that is too short', [0.01], /^the start must have one number for each of rate, width, got 1 of them$/],
    ['a number', 3, /^the start must be a list of numbers or an object with some of rate, width, got 3$/],
  ])('%s', async (_, start, message) => {
    await expect(minimize(f, start as never, { variables })).rejects.toThrow(message)
  })

  test('a set besides', async () => {
    const both = { variables, set: box({ lower: 0 }) }
    await expect(minimize(f, both)).rejects.toThrow(
      /^the options set and variables exclude each other: each variable has its own bounds/,
    )
  })

  test('an objective with another number of variables', async () => {
    const objective = { dim: 3, evaluate: () => undefined }
    await expect(minimize(objective, { variables })).rejects.toThrow('the objective has 3 variables, but 2 are named')
  })

  test('a session is told how variables are made', () => {
    const plain = { solver: zoAdaMM(), variables: variables as never }
    expect(() => createSession({}, plain)).toThrow('session.variables must be made by namedVariables')
  })
})
