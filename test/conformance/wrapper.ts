import { describe, expect, test, vi } from 'vitest'
import {
  type Answers,
  batchedObjective,
  functionObjective,
  minimize,
  minimizeSync,
  type Objective,
  type PointFunction,
  type Queries,
  type Result,
  ZerothError,
  zoAdaMM,
} from '../../src/index.ts'
import { makeAnswers } from '../../src/optimizer/core/answers.ts'

/** What a wrapper makes of an objective, with options under which nothing should change. */
export type Wrap = (objective: Objective) => Objective

const dim = 5
const start = [1, -0.5, 0.25, 2, -1]
const options = { solver: zoAdaMM({ directions: 4 }), seed: 17, maxIterations: 6 }

const curved: PointFunction = (x) => x.reduce((sum, each, i) => sum + (i + 1) * (each - 0.1 * i) * (each - 0.1 * i), 0)

/** One and the same function in three forms. */
export const forms: Readonly<Record<string, () => Objective>> = {
  'a synchronous function': () => functionObjective(curved, { dim }),
  'an asynchronous function': () =>
    functionObjective(async (x, context) => curved(x, context), { dim, concurrency: 2 }),
  'a function of many points': () =>
    batchedObjective(
      async (points) => {
        await null
        return points.map((x) => curved(x, undefined as never) as number)
      },
      { dim, batchSize: 3 },
    ),
}

/** A short seeded run, and the same one without any wrapper. */
export const shortRun = (objective: Objective): Promise<Result> => minimize(objective, start, options)
export const expectedRun: Result = minimizeSync(curved as (x: Float64Array) => number, start, options)

/** Row r at (r, 10 r, 100 r), asked with the sample 100 + r. */
export function rowsToAsk(rows: number, iteration = 7): Queries {
  return {
    key: { seed: 1, iteration },
    rows,
    dim: 3,
    centers: 1,
    sample: (row) => 100 + row,
    write: (row, into, offset = 0) => into.set([row, 10 * row, 100 * row], offset),
  }
}

/** Asks an objective for some rows, with emptied room for the answers as a session has it. */
export function asking(objective: Objective, queries: Queries, signal?: AbortSignal) {
  const answers = makeAnswers(queries.rows)
  answers.values.fill(Number.NaN)
  return { answers, work: objective.evaluate(queries, answers, signal) }
}

/** The answers once they are there. */
export async function answersTo(objective: Objective, queries: Queries, signal?: AbortSignal): Promise<Answers> {
  const { answers, work } = asking(objective, queries, signal)
  await work
  return answers
}

const threeVariables = (f: PointFunction): Objective => functionObjective(f, { dim: 3, concurrency: 2 })
const first: PointFunction = (x) => x[0] as number

/** What every wrapper must do, whatever it is for. */
export function wrapperConforms(name: string, wrap: Wrap): void {
  describe(`${name} as a wrapper`, () => {
    test.each(Object.keys(forms))('changes nothing about a run of %s, bit for bit', async (form) => {
      expect(await shortRun(wrap((forms[form] as () => Objective)()))).toEqual(expectedRun)
    })

    test('makes no promise of its own', () => {
      const { answers, work } = asking(wrap(threeVariables(first)), rowsToAsk(5))
      expect(work).toBeUndefined()
      expect(Array.from(answers.values)).toEqual([0, 1, 2, 3, 4])
    })

    test('tells the function the sample, the iteration and the row of its point', async () => {
      const seen: unknown[] = []
      const objective = wrap(
        threeVariables(async (x, { sample, iteration, row }) => {
          seen.push([x[0], row, sample, iteration])
          return 1
        }),
      )
      await answersTo(objective, { ...rowsToAsk(4), original: (row) => 40 + row })
      expect(seen.sort()).toEqual([0, 1, 2, 3].map((row) => [row, 40 + row, 100 + row, 7]))
    })

    test.each(['synchronous', 'asynchronous'])('keeps the failures of a %s function to their rows', async (kind) => {
      const reason = new ZerothError('query-failed', 'gone', { retryable: false })
      const fails: PointFunction = (x) => {
        if (x[0] === 2 || x[0] === 4) throw reason
        return x[0] === 3 ? Infinity : (x[0] as number)
      }
      const objective = wrap(threeVariables(kind === 'synchronous' ? fails : async (x, context) => fails(x, context)))
      const answers = await answersTo(objective, rowsToAsk(6))
      expect(Array.from(answers.failed)).toEqual([0, 0, 1, 0, 1, 0])
      expect(Array.from(answers.values)).toEqual([0, 1, Number.NaN, Infinity, Number.NaN, 5])
      expect(answers.reasons).toEqual([undefined, undefined, reason, undefined, reason, undefined])
      expect(answers.reasons[4]).toBe(reason)
    })

    test.each<[string, Objective['evaluate']]>([
      ['throws', () => raise()],
      ['rejects', async () => raise()],
    ])('takes an objective that %s for one whose rows failed', async (_, evaluate) => {
      const answers = await answersTo(wrap({ dim: 3, evaluate }), rowsToAsk(3))
      expect(Array.from(answers.failed)).toEqual([1, 1, 1])
      expect(answers.reasons[2]).toMatchObject({ message: expect.stringMatching(/fell over$/) })
    })

    test.each(['throws', 'rejects'])('lets an error through that ends the run, where the objective %s', async (how) => {
      const error = new ZerothError('storage-failed', 'disk full')
      const raiseIt = (): never => {
        throw error
      }
      const objective = wrap({ dim: 3, evaluate: how === 'throws' ? raiseIt : async () => raiseIt() })
      const asked = async (): Promise<unknown> => answersTo(objective, rowsToAsk(2))
      await expect(asked()).rejects.toBe(error)
    })

    test('has the dimension of the objective and closes it, as often as it is told to', async () => {
      const close = vi.fn(async () => undefined)
      const objective = wrap({ ...threeVariables(first), close })
      expect(objective.dim).toBe(3)
      await objective.close?.()
      await objective.close?.()
      expect(close).toHaveBeenCalledTimes(2)
      await wrap(threeVariables(first)).close?.()
    })

    test.each(['synchronous', 'asynchronous'])(
      'asks a %s function nothing more once the signal fired',
      async (kind) => {
        const controller = new AbortController()
        const f = vi.fn((x: Float64Array) => {
          controller.abort()
          return kind === 'synchronous' ? (x[0] as number) : Promise.resolve(x[0] as number)
        })
        await asking(wrap(functionObjective(f, { dim: 3 })), rowsToAsk(6), controller.signal).work
        expect(f).toHaveBeenCalledOnce()
      },
    )

    test('asks nothing where the signal fired before, and leaves the rows unanswered', async () => {
      const f = vi.fn(first)
      const answers = await answersTo(wrap(threeVariables(f)), rowsToAsk(3), AbortSignal.abort())
      expect(f).not.toHaveBeenCalled()
      expect(Array.from(answers.values)).toEqual([Number.NaN, Number.NaN, Number.NaN])
      expect(Array.from(answers.failed)).toEqual([0, 0, 0])
    })

    test('passes the signal on, and stops listening to it when it is done', async () => {
      const controller = new AbortController()
      const { signal } = controller
      const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
      const given: (AbortSignal | undefined)[] = []
      const objective: Objective = {
        dim: 3,
        async evaluate({ rows }, into, inner) {
          given.push(inner)
          await null
          into.values.fill(1, 0, rows)
        },
      }
      await answersTo(wrap(objective), rowsToAsk(12), signal)
      expect(remove).toHaveBeenCalledTimes(add.mock.calls.length)
      expect(given.length).toBeGreaterThan(0)
      const last = await heldBack(wrap, signal)
      expect(last()?.aborted).toBe(false)
      controller.abort()
      expect(last()?.aborted).toBe(true)
    })

    test.each([false, true])('says only of all rows that they were kept (failures: %s)', async (failures) => {
      const answers = await answersTo(wrap(keeper(failures)), rowsToAsk(4))
      const wanted = rowsToAsk(4)
      const rows = new Float64Array(12)
      for (let row = 0; row < 4; row++) wanted.write(row, rows, 3 * row)
      if (answers.rowBuffer) expect(answers.rowBuffer).toEqual(rows)
      expect(answers.values[3]).toBe(3)
    })

    test('leaves answers alone that are not to what was asked', async () => {
      const answers = makeAnswers(9)
      answers.values.fill(-5)
      await wrap(threeVariables(async (x) => x[0] as number)).evaluate(rowsToAsk(4), answers)
      expect(Array.from(answers.values)).toEqual([0, 1, 2, 3, -5, -5, -5, -5, -5])
    })

    test('does with no rows at all', async () => {
      expect((await answersTo(wrap(threeVariables(first)), rowsToAsk(0))).values).toHaveLength(0)
    })

    test.each([[3], [undefined], [null], [{}], [first]])('refuses %s for an objective', (given) => {
      expect(() => wrap(given as never)).toThrow(/wraps an objective, got /)
    })
  })
}

/** The signal that an evaluation which never ends was given. */
async function heldBack(wrap: Wrap, signal: AbortSignal): Promise<() => AbortSignal | undefined> {
  let given: AbortSignal | undefined
  const objective: Objective = {
    dim: 3,
    evaluate: (_, __, inner) => {
      given = inner
      return new Promise((resolve) => inner?.addEventListener('abort', () => resolve()))
    },
  }
  void wrap(objective).evaluate(rowsToAsk(1), makeAnswers(1), signal)
  await null
  return () => given
}

/** Keeps the rows it is asked in one and the same memory and says so; row 1 may fail the first time it is asked. */
function keeper(failures: boolean): Objective {
  const memory = new Float64Array(12)
  let failed = !failures
  return {
    dim: 3,
    evaluate(queries, into) {
      for (let row = 0; row < queries.rows; row++) {
        queries.write(row, memory, 3 * row)
        into.values[row] = memory[3 * row] as number
        if (failed || into.values[row] !== 1) continue
        failed = true
        into.failed[row] = 1
        into.values[row] = Number.NaN
      }
      into.rowBuffer = memory.subarray(0, 3 * queries.rows)
    },
  }
}

function raise(): never {
  throw new Error('fell over')
}
