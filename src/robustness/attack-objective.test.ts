import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { delayed, fakeModel, threshold } from '../../test/attacks/fake-model.ts'
import { sampleQueries } from '../../test/objectives/sample-queries.ts'
import { makeAnswers } from '../optimizer/core/answers.ts'
import { ZerothError } from '../optimizer/core/errors.ts'
import { createSession } from '../optimizer/core/session.ts'
import type { Answers, Precision, Queries } from '../optimizer/core/types.ts'
import { zoAdaMM } from '../optimizer/methods/presets.ts'
import { attackObjective, type Goal, isFooled, readScores, type Weights } from './attack-objective.ts'
import { attackProblem } from './attack-problem.ts'
import type { FormulationState } from './formulation.ts'
import { constrained, unconstrained } from './formulations.ts'
import type { Model } from './models/model.ts'

/** Rows at the given perturbations, the first of them the center. */
const rowsAt = (...rows: readonly number[][]): Queries =>
  sampleQueries(rows.length, {
    dim: rows[0]?.length ?? 0,
    write: (row, into, offset = 0) => into.set(rows[row] as number[], offset),
  })

/** Three classes with the scores 2 x0, x1 and 0.25. */
const three = (changes: Partial<Model> = {}) => fakeModel(2, 3, ([a = 0, b = 0]) => [2 * a, b, 0.25], changes)
const one = [Float32Array.from([0.5, 0.25])]
const two = [Float32Array.from([0.5, 0.25]), Float32Array.from([0.25, 0.75])]
const weights = { lambda: 10, kappa: 0 }

async function evaluated(
  model: Model,
  queries: Queries,
  { originals = one, goals = [{ label: 0 }] as Goal[], given = weights as Weights, form = constrained() } = {},
): Promise<Answers> {
  const posed = form.start(originals)
  const answers = makeAnswers(queries.rows)
  await attackObjective(model, posed, goals, given).evaluate(queries, answers)
  return answers
}

describe('the objective', () => {
  test('is lambda times the attack loss plus the squared distortion', async () => {
    // The pictures are (0.5, 0.25), (0.25, 0.25) and (0, 1): margins 0.75, 0.25 and -1, the last cut off at 0.
    const answers = await evaluated(three(), rowsAt([0, 0], [-0.25, 0], [-0.5, 0.75]))
    expect(Array.from(answers.values)).toEqual([7.5, 2.5 + 0.0625, 0.8125])
    expect(Array.from(answers.failed)).toEqual([0, 0, 0])
  })

  test('of a class alone is below 0 exactly where the goal is reached, whatever lambda, and lower the nearer', async () => {
    const labels = fakeModel(2, 2, ([a = 0]) => (a > 0.25 ? [1, 0] : [0, 1]), { scores: 'labels' })
    const rows = rowsAt([0, 0], [-0.25, 0], [-0.5, 0], [0, 0.5])
    for (const lambda of [0.001, 10]) {
      const { values } = await evaluated(labels, rows, { given: { lambda, kappa: 0 } })
      expect(Array.from(values)).toEqual([lambda, -1 / 1.0625, -1 / 1.25, lambda + 0.25])
    }
    const targeted = await evaluated(labels, rows, { goals: [{ label: 0, target: 1 }] })
    expect(Array.from(targeted.values, (each) => each < 0)).toEqual([false, true, true, false])
    const both = { originals: two, goals: [{ label: 0 }, { label: 1 }] }
    const universal = await evaluated(labels, rowsAt([0.5, 0], [-0.25, 0], [0, 0]), both)
    expect(Array.from(universal.values)).toEqual([5.25, 5 + 0.0625, 10])
  })

  test('rewards being wrong by up to kappa, and lambda weighs the loss alone', async () => {
    const rows = rowsAt([-0.5, 0.75], [-0.5, 0.5])
    const answers = await evaluated(three(), rows, { given: { lambda: 2, kappa: 0.875 } })
    expect(Array.from(answers.values)).toEqual([2 * -0.875 + 0.8125, 2 * -0.75 + 0.5])
  })

  test('of a targeted attack falls as the target comes up', async () => {
    // Scores (1, 0.25, 0.25) and (1, 0.75, 0.25): class 1 is 0.75 and 0.25 behind.
    const answers = await evaluated(three(), rowsAt([0, 0], [0, 0.5]), { goals: [{ label: 0, target: 1 }] })
    expect(Array.from(answers.values)).toEqual([7.5, 2.5 + 0.25])
  })

  test('of several images is the mean of both terms over them', async () => {
    // The second picture has scores (0.5, 0.75, 0.25) and, moved, (0.25, 1, 0.25).
    const goals = [{ label: 0 }, { label: 1 }]
    const rows = rowsAt([0, 0], [-0.125, 0.25])
    const answers = await evaluated(three(), rows, { originals: two, goals })
    const moved = 0.015625 + 0.0625
    expect(Array.from(answers.values)).toEqual([(10 * (0.75 + 0.25)) / 2, (10 * (0.25 + 0.75)) / 2 + moved])
  })

  test('of several images in the tanh form takes the mean of their own distortions', async () => {
    const form = unconstrained()
    const posed = form.start(two)
    const row = [0.5, -1]
    const squares = [0, 1].map((i) => posed.paint(Float64Array.from(row), i, new Float64Array(2), 0))
    expect(squares[0]).not.toBe(squares[1])
    const flat = fakeModel(2, 2, () => [1, 0])
    const goals = [{ label: 0 }, { label: 0 }]
    const answers = await evaluated(flat, rowsAt(row), { originals: two, goals, form })
    expect(answers.values[0]).toBe((10 * 2 + (squares[0] as number) + (squares[1] as number)) / 2)
  })

  test('takes logarithms of probabilities', async () => {
    const sure = fakeModel(2, 2, () => [1, 0], { scores: 'probabilities' })
    const { values } = await evaluated(sure, rowsAt([0, 0]))
    expect(values[0]).toBeCloseTo(10 * (45 * Math.LN10 - Math.LN2), 7)
  })

  test('notes the margin and the class seen at each center, for each image', async () => {
    const goals = [{ label: 0 }, { label: 1 }]
    const queries = { ...rowsAt([0, 0], [0, 0], [-0.25, 0]), centers: 2 }
    const answers = await evaluated(three(), queries, { originals: two, goals, given: { lambda: 1, kappa: 3 } })
    expect(Array.from(answers.notes ?? [])).toEqual([0.75, 0, 0.25, 1, 0.75, 0, 0.25, 1])
  })

  test('knows the norms of the change at a center that it painted in float32, to the bit', async () => {
    const dim = 1003
    const pixels = Float32Array.from({ length: dim }, (_, i) => (i % 256) / 255)
    const rows = [0, 1].map((row) => Float32Array.from(pixels, (pixel, i) => (pixel - 0.3) * 0.01 * ((row + i) % 7)))
    const single = fakeModel(dim, 2, (picture) => [picture[0] ?? 0, 0.5], {
      predict(images, into) {
        const data = new Float32Array(images.rows * dim)
        if (images.rows === 2) images.writeTwo?.(0, data, 0)
        else images.write(0, data)
        for (let row = 0; row < images.rows; row++) into.set([data[row * dim] as number, 0.5], 2 * row)
      },
    })
    const posed = constrained().start([pixels])
    const objective = attackObjective(single, posed, [{ label: 0 }], weights)
    for (const count of [1, 2]) {
      const write: Queries['write'] = (row, into, offset = 0) => into.set(rows[row] as Float32Array, offset)
      const queries = sampleQueries(count, { dim, precision: 'float32', write })
      const answers = makeAnswers(count)
      await objective.evaluate(queries, answers)
      expect(objective.distortionOf?.(answers, 0, 0)).toEqual(posed.distortion(Float64Array.from(rows[0] ?? []), 0))
      expect(objective.distortionOf?.(answers, 1, 0)).toBeUndefined()
      expect(objective.distortionOf?.(makeAnswers(count), 0, 0)).toBeUndefined()
    }
  })

  test('makes a row of a universal attack once, and paints every image with it as one image alone is painted', async () => {
    const dim = 1003
    const originals = [0, 1].map((k) => Float32Array.from({ length: dim }, (_, i) => ((3 * i + 50 * k) % 256) / 255))
    const rows = [0, 1, 2].map((row) => Float32Array.from({ length: dim }, (_, i) => 0.001 * ((row + i) % 7)))
    const made: number[] = []
    const write: Queries['write'] = (row, into, offset = 0) => {
      made.push(row)
      into.set(rows[row] as Float32Array, offset)
    }
    const seen: Float32Array[] = []
    const model = fakeModel(dim, 2, () => [0, 1], {
      predict(images, into) {
        for (let picture = 0; picture < images.rows; picture++) {
          const data = new Float32Array(dim)
          expect(images.writeTwo?.(picture, new Float32Array(2 * dim), 0)).toBe(false)
          images.write(picture, data)
          seen.push(data)
          into.set([0, 1], 2 * picture)
        }
      },
    })
    const posed = constrained().start(originals)
    const objective = attackObjective(model, posed, [{ label: 0 }, { label: 0 }], weights)
    const answers = makeAnswers(3)
    await objective.evaluate(sampleQueries(3, { dim, precision: 'float32', write }), answers)
    expect(made).toEqual([0, 1, 2])
    const expected = rows.flatMap((row) =>
      originals.map((pixels) => pixels.map((pixel, i) => pixel + (row[i] as number))),
    )
    expect(seen).toEqual(expected)
    expect(objective.distortionOf?.(answers, 0, 1)).toEqual(posed.distortion(Float64Array.from(rows[0] ?? []), 1))
  })

  test('takes all digits of rows that have more of them than the run', async () => {
    const rows = [
      [0.125, 0.25],
      [0.1, 0.2],
      [0.1, 0.2],
    ]
    const seen: number[][] = []
    const write: Queries['write'] = (row, into, offset = 0) => into.set(rows[row] as number[], offset)
    const fine = fakeModel(2, 3, (pixels) => {
      seen.push(Array.from(pixels))
      return [0, 0, 0]
    })
    const isFiner = (row: number): boolean => row > 1
    await evaluated(fine, sampleQueries(3, { precision: 'float32', isFiner, write }))
    expect(seen).toEqual([
      [0.625, 0.5],
      [0.5 + Math.fround(0.1), 0.25 + Math.fround(0.2)],
      [0.6, 0.45],
    ])
  })

  test('reads a row where it lies, if it lies somewhere at the precision of the run', async () => {
    const point = Float32Array.of(-0.25, 0.125)
    const refuse = (): never => {
      throw new Error('it need not be written')
    }
    const inPlace = { dim: 2, precision: 'float32', inPlace: () => point } as const
    const lying = await evaluated(three(), sampleQueries(1, { ...inPlace, write: refuse }))
    expect(Array.from(lying.values)).toEqual([2.5 * 0.5 + 0.078125])
    const write: Queries['write'] = (_, into, offset = 0) => into.set(point, offset)
    const written = await evaluated(three(), sampleQueries(1, { ...inPlace, precision: 'float64', write }))
    expect(written.values).toEqual(lying.values)
  })

  test('notes behind that, where it is asked for details, the value of each row if one class alone were the goal', async () => {
    // Scores (1, 0.25, 0.25) and (0, 1, 0.25), the second 0.8125 away: not cut off at 0, and nothing for the own class.
    const detailed = { ...rowsAt([0, 0], [-0.5, 0.75]), detailed: true }
    const { notes } = await evaluated(three(), detailed)
    expect(Array.from(notes ?? [])).toEqual([0.75, 0, Infinity, 7.5, 7.5, Infinity, -10 + 0.8125, -2.5 + 0.8125])
    const both = await evaluated(three(), detailed, { originals: two, goals: [{ label: 0 }, { label: 1 }] })
    expect(both.notes?.length).toBe(4)
  })
})

const rows = [[0, 0], [-0.25, 0], [-0.5, 0.75], [0.125, 0.25]] // biome-ignore format: a matrix
const goals = [{ label: 0 }, { label: 1 }]
const plain = await evaluated(three(), rowsAt(...rows), { originals: two, goals })

/** The pictures that the rows make of the two images. */
const pictures = rows.flatMap((row) =>
  two.map((_, i) => {
    const picture = new Float64Array(2)
    constrained().start(two).paint(Float64Array.from(row), i, picture, 0)
    return picture
  }),
)

describe('the model', () => {
  test('is called once for a whole iteration, with every row of every image', async () => {
    const model = three()
    await evaluated(model, rowsAt(...Array.from({ length: 11 }, () => [0, 0])))
    const goals = [{ label: 0 }, { label: 1 }]
    await evaluated(model, rowsAt(...Array.from({ length: 11 }, () => [0, 0])), { originals: two, goals })
    expect(model.calls).toEqual([11, 22])
  })

  test.each<[string, (written: number[]) => number[]]>([
    ['backwards', (written) => written.reverse()],
    ['in any order', (written) => written.map((_, i) => (3 * i + 5) % written.length)],
    ['twice', (written) => [...written, ...written.reverse()]],
    ['not at all', () => []],
  ])('may have its pictures written %s', async (_, orderOf) => {
    const jumping: Model = {
      ...three(),
      predict(images, into) {
        const all = Array.from({ length: images.rows }, (_, i) => i)
        for (const row of orderOf(all)) images.write(row, new Float32Array(2))
        return three().predict({ rows: 8, write: (row, to) => to.set(pictures[row] as Float64Array) }, into)
      },
    }
    const answers = await evaluated(jumping, rowsAt(...rows), { originals: two, goals })
    expect(answers).toEqual(plain)
  })

  test('may be asynchronous: the answers are the same, and only then a promise is made', async () => {
    const posed = constrained().start(two)
    const [now, later] = [makeAnswers(4), makeAnswers(4)]
    expect(attackObjective(three(), posed, goals, weights).evaluate(rowsAt(...rows), now)).toBeUndefined()
    await attackObjective(delayed(three()), posed, goals, weights).evaluate(rowsAt(...rows), later)
    expect(now).toEqual(plain)
    expect(later).toEqual(plain)
  })

  test('may have two evaluations under way at once', async () => {
    const objective = attackObjective(delayed(three()), constrained().start(one), [{ label: 0 }], weights)
    const [first, second] = [makeAnswers(1), makeAnswers(2)]
    await Promise.all([
      objective.evaluate(rowsAt([-0.25, 0]), first),
      objective.evaluate(rowsAt([0, 0], [-0.5, 0.75]), second),
    ])
    expect(Array.from(first.values)).toEqual([2.5625])
    expect(Array.from(second.values)).toEqual([7.5, 0.8125])
  })
})

describe('a model that does not answer', () => {
  const error = new ZerothError('query-failed', 'refused', { retryable: false })
  const asked = rowsAt([0, 0], [-0.25, 0], [-0.5, 0.75])
  const predicts = (predict: Model['predict']) => three({ predict })

  test.each<[string, Model]>([
    ['throws', predicts(() => { throw error })], // biome-ignore format: one line each
    ['rejects', predicts(async () => { throw error })], // biome-ignore format: one line each
  ])('because it %s fails every row for its reason', async (_, model) => {
    const answers = await evaluated(model, asked)
    expect(Array.from(answers.failed)).toEqual([1, 1, 1])
    expect(answers.reasons).toEqual([error, error, error])
    expect(answers.values.every(Number.isNaN)).toBe(true)
  })

  test('for some images fails their rows alone, for its reason', async () => {
    const some = predicts(async (_, into) => {
      into.set([1, 0, 0], 0)
      into.set([0, 3, 0], 6)
      throw error
    })
    const answers = await evaluated(some, asked)
    expect(Array.from(answers.failed)).toEqual([0, 1, 0])
    expect([answers.values[0], answers.reasons[1], answers.values[2]]).toEqual([10, error, 0.8125])
  })

  test('because the way to it failed ends the evaluation, and no policy passes over it', async () => {
    const unreached = [
      new ZerothError('query-failed', 'lost', { retryable: true }),
      new ZerothError('query-failed', 'no right to ask', { retryable: false, unreached: true }),
      Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } }),
      new DOMException('too late', 'TimeoutError'),
    ]
    for (const reason of unreached) {
      for (const predict of [
        () => {
          throw reason
        },
        async () => {
          throw reason
        },
      ]) {
        // biome-ignore format: one line
        const ended = Promise.resolve().then(() => evaluated(predicts(predict), asked))
        await expect(ended).rejects.toMatchObject({ code: 'unreachable', cause: reason })
      }
    }
  })

  test.each([
    ['NaN', [1, Number.NaN, 0], 'logits'],
    ['Infinity for the own class', [Infinity, 0, 0], 'logits'],
    ['Infinity for another class', [0, Infinity, 0], 'logits'],
    ['-Infinity for the own class', [-Infinity, 0, 0], 'logits'],
    ['Infinity among probabilities', [0.5, Infinity, 0.5], 'probabilities'],
    ['probabilities below 0', [0.5, -1, -2], 'probabilities'],
  ] as const)('with a number but with %s fails that row alone', async (_, odd, scores) => {
    const model = fakeModel(2, 3, (_, row) => (row === 1 ? odd : [1, 0.5, 0]), { scores })
    const answers = await evaluated(model, asked)
    expect(Array.from(answers.failed)).toEqual([0, 1, 0])
    expect(answers.values[1]).toBeNaN()
    expect((answers.reasons[1] as ZerothError).message).toContain('the model answered with scores that are no numbers')
    expect((answers.reasons[1] as ZerothError).retryable).toBe(false)
  })

  test('for one of several images fails the rows of all', async () => {
    const model = fakeModel(2, 3, (_, picture) => (picture === 3 ? [0, 0, Number.NaN] : [1, 0, 0]))
    const answers = await evaluated(model, asked, { originals: two, goals: [{ label: 0 }, { label: 1 }] })
    expect(Array.from(answers.failed)).toEqual([0, 1, 0])
  })

  test('because it was stopped fails nothing', async () => {
    const reason = new Error('enough')
    for (const predict of [
      (_: unknown, __: unknown, signal?: AbortSignal) => signal?.throwIfAborted(),
      async (_: unknown, __: unknown, signal?: AbortSignal) => signal?.throwIfAborted(),
    ]) {
      const answers = makeAnswers(3)
      const objective = attackObjective(predicts(predict), constrained().start(one), [{ label: 0 }], weights)
      await objective.evaluate(asked, answers, AbortSignal.abort(reason))
      expect(Array.from(answers.failed)).toEqual([0, 0, 0])
      expect(answers.notes).toBeNull()
    }
  })
})

describe('an attack of T iterations with 10 directions', () => {
  test.each([
    [1, one, 'float64'],
    [1, one, 'float32'],
    [2, two, 'float32'],
  ] as const)('costs 11 T + 1 queries and %i times as many pictures, in T + 1 calls', (count, originals, precision) => {
    const model = three()
    const images = originals.map((pixels) => ({ pixels, label: 0 }))
    const problem = attackProblem(model, images)
    const session = createSession(problem.start, {
      solver: zoAdaMM(),
      set: problem.set,
      maxIterations: 20,
      precision,
    })
    while (session.outcome === undefined) {
      const answers = session.answers()
      problem.objective.evaluate(session.ask(), answers)
      session.tell(answers)
    }
    expect(session.outcome.queries).toBe(221)
    expect(problem.account.queries).toBe(221)
    expect(model.calls).toEqual([...new Array<number>(20).fill(11 * count), count])
  })
})

test.each<Precision>(['float64', 'float32'])(
  'rows are rounded to %s before they become pictures',
  async (precision) => {
    const seen: Float64Array[] = []
    const posed: FormulationState = constrained().start(one)
    const watching = {
      ...posed,
      paint: (delta: Float32Array | Float64Array, ...rest: [number, Float32Array | Float64Array, number]) => {
        seen.push(Float64Array.from(delta))
        return posed.paint(delta, ...rest)
      },
    }
    const model = threshold([1, 1], 0.5)
    const objective = attackObjective(model, watching, [{ label: 1 }], weights)
    const session = createSession([0, 0], { solver: zoAdaMM(), set: posed.set, maxIterations: 2, precision, seed: 4 })
    while (session.outcome === undefined) {
      const answers = session.answers()
      objective.evaluate(session.ask(), answers)
      session.tell(answers)
    }
    const isRounded = seen.every((row) => row.every((each) => Math.fround(each) === each))
    expect(isRounded).toBe(precision === 'float32')
  },
)

const read = (scores: readonly number[], goal: Goal, kind: 'logits' | 'probabilities' = 'logits') =>
  readScores(Float64Array.from(scores), 0, scores.length, kind, goal)

describe('the margin on logits', () => {
  test('is how far the own class is ahead of the best other one', () => {
    expect(read([1, 5, 3], { label: 1 })).toEqual({ margin: 2, predicted: 1 })
    expect(read([1, 5, 3], { label: 2 })).toEqual({ margin: -2, predicted: 1 })
    expect(read([1, 5, 3], { label: 0 })).toEqual({ margin: -4, predicted: 1 })
  })

  test('of a targeted attack is how far the target is behind the best other class, whatever the label', () => {
    expect(read([1, 5, 3], { label: 1, target: 2 })).toEqual({ margin: 2, predicted: 1 })
    expect(read([1, 5, 3], { label: 0, target: 2 }).margin).toBe(2)
    expect(read([1, 5, 3], { label: 2, target: 1 }).margin).toBe(-2)
  })

  test('of a tie is 0, and the first of the best classes is the one seen', () => {
    expect(read([4, 4, 1], { label: 0 })).toEqual({ margin: 0, predicted: 0 })
    expect(read([4, 4, 1], { label: 1 })).toEqual({ margin: 0, predicted: 0 })
    expect(read([4, 4, 1], { label: 2, target: 1 }).margin).toBe(0)
  })

  test('is as large as the logits say', () => {
    expect(read([1000, -1000], { label: 0 }).margin).toBe(2000)
    expect(read([1, 3, -Infinity], { label: 0 })).toEqual({ margin: -2, predicted: 1 })
  })

  test('is read from where the scores of the image begin', () => {
    const scores = Float32Array.from([9, 9, 9, 1, 5, 3, 9, 9, 9])
    expect(readScores(scores, 3, 3, 'logits', { label: 1 })).toEqual({ margin: 2, predicted: 1 })
  })
})

describe('the margin on probabilities', () => {
  test('is the difference of logarithms', () => {
    expect(read([0.8, 0.1, 0.1], { label: 0 }, 'probabilities').margin).toBeCloseTo(Math.log(8), 8)
    expect(read([0.8, 0.1, 0.1], { label: 1, target: 2 }, 'probabilities').margin).toBeCloseTo(Math.log(8), 8)
  })

  test('goes on below 1e-10, down to what float32 tells from 0, so that a confident model keeps its slopes', () => {
    const at = (rival: number) => read([1, rival], { label: 0 }, 'probabilities').margin
    expect(at(1e-10)).toBeCloseTo(Math.log(1e10) - Math.log(2), 8)
    expect(at(1e-20) - at(1e-30)).toBeCloseTo(-10 * Math.LN10, 8)
    expect(at(1e-45)).toBe(at(0))
    const { margin } = read([1, 0], { label: 0 }, 'probabilities')
    expect(margin).toBeCloseTo(45 * Math.LN10 - Math.LN2, 8)
    expect(read([0, 1], { label: 0 }, 'probabilities').margin).toBe(-margin)
    expect(read([1, 0], { label: 0, target: 1 }, 'probabilities').margin).toBe(margin)
  })

  test('is that of the logits they come from, as long as they are well above 1e-10', () => {
    const logits = fc.array(fc.double({ min: -4, max: 4, noNaN: true }), { minLength: 2, maxLength: 12 })
    fc.assert(
      fc.property(logits, fc.nat(), (z, which) => {
        const goal = { label: which % z.length }
        const powers = z.map(Math.exp)
        const total = powers.reduce((sum, each) => sum + each, 0)
        const probabilities = powers.map((each) => each / total)
        const [one, other] = [read(z, goal), read(probabilities, goal, 'probabilities')]
        expect(Math.abs(one.margin - other.margin)).toBeLessThan(1e-5)
      }),
      { seed: 6 },
    )
  })
})

describe('scores that are no numbers', () => {
  test.each([
    ['of another class are Infinity', [1, Infinity, 3], { label: 0 }],
    ['of the target are Infinity', [1, Infinity, 3], { label: 0, target: 1 }],
    ['of the own class are -Infinity', [-Infinity, 5, 3], { label: 0 }],
    ['of all other classes are -Infinity', [1, -Infinity, -Infinity], { label: 0 }],
  ] as const)('never fool: those %s', (_, scores, goal) => {
    for (const kind of ['logits', 'probabilities'] as const) {
      const reading = read(scores, goal, kind)
      expect(reading).toEqual({ margin: Number.NaN, predicted: -1 })
      expect(isFooled(goal, reading, 0)).toBe(false)
    }
  })

  test.each([0, 1, 2])('give no margin and no class, also where only class %i has none', (at) => {
    const scores = [1, 5, 3]
    scores[at] = Number.NaN
    expect(read(scores, { label: 1 })).toEqual({ margin: Number.NaN, predicted: -1 })
    expect(read(scores, { label: 1, target: 2 })).toEqual({ margin: Number.NaN, predicted: -1 })
    expect(read(scores, { label: 1 }, 'probabilities').margin).toBeNaN()
  })

  test('that are infinite on both sides give no margin either', () => {
    expect(read([Infinity, Infinity], { label: 0 }).margin).toBeNaN()
  })
})

test('the margin is below 0 where another class is seen, and above 0 where only the own one is', () => {
  const scores = fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 2, maxLength: 10 })
  fc.assert(
    fc.property(scores, fc.nat(), (z, which) => {
      const label = which % z.length
      const { margin, predicted } = read(z, { label })
      if (margin < 0) expect(predicted).not.toBe(label)
      if (margin > 0) expect(predicted).toBe(label)
      if (predicted !== label) expect(margin).toBeLessThanOrEqual(0)
    }),
    { seed: 7 },
  )
})
