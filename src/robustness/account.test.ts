import { describe, expect, test } from 'vitest'
import { delayed, fakeModel, threshold } from '../../test/attacks/fake-model.ts'
import { sampleQueries } from '../../test/objectives/sample-queries.ts'
import { makeAnswers, originalRow, someRows } from '../optimizer/core/answers.ts'
import { driver } from '../optimizer/core/engine.ts'
import { createSession } from '../optimizer/core/session.ts'
import type { Answers, Objective, Queries, SavedMemory } from '../optimizer/core/types.ts'
import { zoAdaMM } from '../optimizer/methods/presets.ts'
import { cached } from '../optimizer/wrappers/cached.ts'
import { type AttackAccount, CurveRecorder } from './account.ts'
import { type Goal, isFooled } from './attack-objective.ts'
import { attackProblem } from './attack-problem.ts'
import type { AttackCurve, AttackPoint } from './records.ts'

describe('account', () => {
  /** Rows of one iteration around a center: the same point again, which is enough for an account. */
  function around(iteration: number, center: readonly number[], rows = 11, changes: Partial<Queries> = {}): Queries {
    return sampleQueries(rows, {
      key: { seed: 1, iteration },
      dim: center.length,
      write: (_, into, offset = 0) => into.set([...center], offset),
      ...changes,
    })
  }

  /** One pixel at 0.25 of class 0, which becomes class 1 above 0.5: the margin at the perturbation d is 0.25 - d. */
  const one = { pixels: Float32Array.from([0.25]), label: 0 }
  const problemOf = (kappa = 0) => attackProblem(threshold([1], 0.5), [one], { kappa })

  /** The iterates after 0, 1, 2, ... updates, ten probes each but for the last. */
  function tell(objective: Objective, iterates: readonly number[]): void {
    iterates.forEach((at, i) => {
      const rows = i === iterates.length - 1 ? 1 : 11
      objective.evaluate(around(i + 1, [at], rows), makeAnswers(rows))
    })
  }

  const iterates = [0, 0.125, 0.5, 0.375, 0.25, 0.4375]
  const at = (iteration: number, d: number) => ({
    ...{ iteration, queries: 11 * iteration + 1, margin: 0.25 - d, predicted: d > 0.25 ? 1 : 0, fooled: d > 0.25 },
    ...{ l2sq: d * d, l2: d, linf: d },
  })

  describe('an attack on one image', () => {
    test('has its first, its best and its last point, iteration 0 being the original', () => {
      const { objective, account } = problemOf()
      tell(objective, iterates)
      expect(account.tracks).toEqual([{ first: at(2, 0.5), best: at(3, 0.375), final: at(5, 0.4375) }])
      expect(account.queries).toBe(56)
    })

    test('keeps the variables of these points', () => {
      const { objective, account } = problemOf()
      tell(objective, iterates)
      const kept = (['first', 'best', 'final'] as const).map((moment) => account.variables(moment)?.[0])
      expect(kept).toEqual([0.5, 0.375, 0.4375])
    })

    test('has no first and no best point as long as the class does not change, a tie included', () => {
      const { objective, account } = problemOf()
      tell(objective, [0, 0.125, 0.25])
      // The margin is 0 there, but the model still sees class 0.
      expect(account.tracks).toEqual([{ first: null, best: null, final: at(2, 0.25) }])
      expect(account.tracks[0]?.final).toMatchObject({ margin: 0, predicted: 0, fooled: false })
      expect(account.variables('first')).toBeUndefined()
      expect(account.variables('best')).toBeUndefined()
      expect(account.variables('final')?.[0]).toBe(0.25)
    })

    test('must be wrong by kappa, not more', () => {
      const { objective, account } = problemOf(0.25)
      tell(objective, [0, 0.375, 0.5, 0.625])
      expect(account.tracks[0]?.first).toMatchObject({ iteration: 2, margin: -0.25 })
    })

    test('in float32 is kept as such, and saved in float64 like any other', () => {
      const { objective, account } = problemOf()
      const float32 = (iteration: number, d: number) => around(iteration, [d], 1, { precision: 'float32' })
      for (const [i, d] of [0, 0.5, 0.375].entries()) objective.evaluate(float32(i + 1, d), makeAnswers(1))
      expect(account.variables('final')).toEqual(Float32Array.of(0.375))
      expect(account.variables('first')).toEqual(Float32Array.of(0.5))
      const vectors = objective.save?.().vectors
      expect(vectors?.center).toEqual(Float64Array.of(0.375))
      expect(vectors?.['best.variables']).toEqual(Float64Array.of(0.375))
    })

    test('keeps the earlier of two points that are equally good', () => {
      const { objective, account } = problemOf()
      tell(objective, [0, 0.5, 0.5, 0.5])
      expect(account.tracks[0]?.best?.iteration).toBe(1)
    })

    test('has its curve, the loss cut off at -kappa', () => {
      const { objective, account } = problemOf(0.125)
      tell(objective, iterates)
      expect(account.curve()).toEqual({
        iteration: [0, 1, 2, 3, 4, 5],
        queries: [1, 12, 23, 34, 45, 56],
        loss: [0.25, 0.125, -0.125, -0.125, 0, -0.125],
        l2sq: iterates.map((d) => d * d),
        linf: iterates,
        fooled: [0, 0, 1, 1, 0, 1],
      })
    })

    test('may be fooled from the beginning', () => {
      const { objective, account } = attackProblem(threshold([1], 0.125), [one])
      tell(objective, [0, -0.25])
      expect(account.tracks[0]?.first).toMatchObject({ iteration: 0, queries: 1, l2sq: 0 })
    })

    test('is told the same by a model that takes its time', async () => {
      const [now, later] = [problemOf(), attackProblem(delayed(threshold([1], 0.5)), [one])]
      for (const [i, d] of iterates.entries()) {
        await now.objective.evaluate(around(i + 1, [d]), makeAnswers(11))
        await later.objective.evaluate(around(i + 1, [d]), makeAnswers(11))
      }
      expect(later.account.tracks).toEqual(now.account.tracks)
      expect(later.account.curve()).toEqual(now.account.curve())
    })
  })

  describe('a targeted attack', () => {
    /** Classes 0, 1 and 2 in turn along the pixel: up to 0.5, up to 0.75, above. */
    const ladder = fakeModel(1, 3, ([x = 0]) => [0, 8 * (x - 0.5), 16 * (x - 0.75) + 2])

    test('is not satisfied with another class than its target', () => {
      const { objective, account } = attackProblem(ladder, [{ ...one, target: 2 }])
      tell(objective, [0, 0.375, 0.625])
      expect(account.tracks[0]?.first).toMatchObject({ iteration: 2, predicted: 2, margin: -1 })
    })

    test('is what an untargeted one is not: the latter has the first class that is wrong', () => {
      const { objective, account } = attackProblem(ladder, [one])
      tell(objective, [0, 0.375, 0.625])
      expect(account.tracks[0]?.first).toMatchObject({ iteration: 1, predicted: 1 })
    })

    test('is reached by the target alone, an untargeted one by every class but the label', () => {
      const seen = (goal: Goal) => [0, 1, 2].map((predicted) => isFooled(goal, { predicted, margin: -1 }, 0))
      expect(seen({ label: 1 })).toEqual([true, false, true])
      expect(seen({ label: 1, target: 2 })).toEqual([false, false, true])
    })

    test('is not reached by a tie, whichever class comes first', () => {
      const tied = (goal: Goal, predicted: number) => isFooled(goal, { predicted, margin: 0 }, 0)
      expect([tied({ label: 1 }, 0), tied({ label: 1, target: 2 }, 2)]).toEqual([false, false])
      expect([-0.5, -0.4].map((margin) => isFooled({ label: 1 }, { predicted: 0, margin }, 0.5))).toEqual([true, false])
    })
  })

  describe('several images that share a perturbation', () => {
    const images = [
      { pixels: Float32Array.from([0.25]), label: 0 },
      { pixels: Float32Array.from([0.375]), label: 0 },
      { pixels: Float32Array.from([0.75]), label: 1 },
    ]

    test('have a track each, and a curve of means', () => {
      const { objective, account } = attackProblem(threshold([1], 0.5), images)
      tell(objective, [0, 0.1875, 0.25, -0.5])
      const points = account.tracks.map(({ first, best, final }) => [first, best, final].map((each) => each?.iteration))
      expect(points).toEqual([
        [undefined, undefined, 3],
        [1, 1, 3],
        [3, 3, 3],
      ])
      expect(account.tracks.map(({ final }) => final?.margin)).toEqual([0.75, 0.625, -0.25])
      expect(account.queries).toBe(34)
      expect(account.curve()).toMatchObject({ fooled: [0, 1 / 3, 1 / 3, 1 / 3], l2sq: [0, 0.03515625, 0.0625, 0.25] })
    })

    test('have the variables of the last point alone', () => {
      const { objective, account } = attackProblem(threshold([1], 0.5), images)
      tell(objective, [0, 0.1875, -0.5])
      expect(account.variables('final')?.[0]).toBe(-0.5)
      expect(account.variables('first')).toBeUndefined()
      expect(account.variables('best')).toBeUndefined()
    })
  })

  describe('a point without an answer', () => {
    /** Answers NaN for the rows named by iteration. */
    function patchy(silent: Readonly<Record<number, readonly number[]>>) {
      let iteration = 0
      const model = fakeModel(1, 2, ([x = 0], row) =>
        silent[iteration]?.includes(row) ? [0, Number.NaN] : [0, x - 0.5],
      )
      const { objective, account } = attackProblem(model, [one])
      const ask = (number: number, d: number, rows = 11): void => {
        iteration = number
        void objective.evaluate(around(number, [d], rows), makeAnswers(rows))
      }
      return { ask, account }
    }
    const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)
    const unanswered = (account: AttackAccount) => account.outage.count

    test('leaves the last point unknown and is no point of the curve; its queries are counted', () => {
      const { ask, account } = patchy({ 2: [0] })
      ask(1, 0)
      ask(2, 0.5)
      expect(account.tracks).toEqual([{ first: null, best: null, final: null }])
      expect(account.variables('final')).toBeUndefined()
      expect(account.queries).toBe(22)
      expect(unanswered(account)).toBe(1)
      ask(3, 0.375)
      expect(account.tracks[0]?.first).toEqual(at(2, 0.375))
      expect(account.curve().iteration).toEqual([0, 2])
      expect(unanswered(account)).toBe(0)
    })

    test('is known once it is asked again alone, by one query more', () => {
      const silent: Record<number, number[]> = { 2: [0] }
      const { ask, account } = patchy(silent)
      ask(1, 0)
      ask(2, 0.5)
      delete silent[2]
      ask(2, 0.5, 1)
      expect(account.tracks[0]?.first).toMatchObject({ iteration: 1, queries: 23, margin: -0.25 })
      expect([account.queries, unanswered(account)]).toEqual([23, 0])
    })

    test('is counted for as long as there is none in a row', () => {
      const { ask, account } = patchy({ 2: [0], 3: [0], 4: [0], 6: [0] })
      const counts = range(1, 8).map((iteration) => {
        ask(iteration, 0)
        return unanswered(account)
      })
      expect(counts).toEqual([0, 1, 2, 3, 0, 1, 0])
      expect(account.outage.reason).toBeUndefined()
    })

    test('is as bad as a point with an answer and none around it', () => {
      const probes = range(1, 11)
      const { ask, account } = patchy({ 1: probes, 2: probes, 3: probes, 4: probes.slice(1) })
      const counts = [1, 2, 3].map((iteration) => {
        ask(iteration, 0)
        return unanswered(account)
      })
      expect(counts).toEqual([1, 2, 3])
      expect(account.tracks[0]?.final?.iteration).toBe(2)
      expect((account.outage.reason as Error).message).toContain('scores that are no numbers')
      // A look at the point alone says nothing about those around it.
      ask(4, 0, 1)
      expect(unanswered(account)).toBe(3)
      ask(4, 0)
      expect(unanswered(account)).toBe(0)
    })

    test('for one sample is known from another', () => {
      const model = fakeModel(1, 2, ([x = 0], row) => (row === 0 ? [0, Number.NaN] : [0, x - 0.5]))
      const { objective, account } = attackProblem(model, [one])
      void objective.evaluate(around(3, [0.5], 22, { centers: 2 }), makeAnswers(22))
      expect(account.tracks[0]?.first).toMatchObject({ iteration: 2, queries: 2, margin: -0.25 })
    })

    test('because it was stopped is no entry at all', async () => {
      const controller = new AbortController()
      const model = threshold([1], 0.5, {
        async predict() {
          controller.abort()
        },
      })
      const { objective, account } = attackProblem(model, [one])
      await objective.evaluate(around(1, [0]), makeAnswers(11), controller.signal)
      expect(account.queries).toBe(0)
      expect(unanswered(account)).toBe(0)
    })
  })

  describe('rows that cost no query', () => {
    const answered = (rows: number, known: readonly number[]): Answers => {
      const answers = makeAnswers(rows)
      for (const row of known) (answers.cached as Uint8Array)[row] = 1
      answers.notes = Float64Array.from([-0.25, 1])
      return answers
    }

    test('are not counted, and a point that was known before costs nothing', () => {
      const { objective, account } = problemOf()
      objective.recall?.(around(1, [0.5]), answered(11, [3, 4]))
      expect(account.queries).toBe(9)
      expect(account.tracks[0]?.final?.queries).toBe(1)
      objective.recall?.(around(2, [0.5]), answered(11, [0]))
      expect(account.queries).toBe(19)
      expect(account.tracks[0]?.final?.queries).toBe(9)
    })
  })

  test('rows that a wrapper asks again say nothing about the point', () => {
    const { objective, account } = problemOf()
    tell(objective, [0, 0.5])
    const again = someRows(around(2, [0.5]), [4, 7])
    expect([again.centers, originalRow(again, 1)]).toEqual([0, 7])
    void objective.evaluate(again, makeAnswers(2))
    expect(account.tracks[0]?.final).toEqual(at(1, 0.5))
    expect(account.outage.count).toBe(0)
    expect(account.queries).toBe(14)
  })

  describe('a whole run', () => {
    const model = () => threshold([1, 0.5, -0.25], 0.6)
    const image = { pixels: Float32Array.from([0.25, 0.5, 0.75]), label: 0 }
    const options = { solver: zoAdaMM({ learningRate: { value: 0.05, decay: 'sqrt' } }), seed: 3, maxIterations: 40 }

    async function run(objective: Objective, problem: ReturnType<typeof attackProblem>) {
      const session = createSession(problem.start, { ...options, set: problem.set })
      const driving = driver(session, objective)
      while (session.outcome === undefined) await driving.turn()
      driving.close()
      return session.outcome
    }
    const shown = (account: AttackAccount) => ({
      tracks: account.tracks,
      queries: account.queries,
      curve: account.curve(),
    })

    test('has the same account when its answers are recalled, and asks nobody', async () => {
      const told: [Queries, Answers][] = []
      const problem = attackProblem(model(), [image])
      const recording: Objective = {
        ...problem.objective,
        evaluate(queries, into) {
          problem.objective.evaluate(queries, into)
          const rows = Array.from({ length: queries.rows }, (_, row) => {
            const point = new Float64Array(3)
            queries.write(row, point)
            return point
          })
          const write: Queries['write'] = (row, to, offset = 0) => to.set(rows[row] as Float64Array, offset)
          told.push([{ ...queries, key: { ...queries.key }, write }, structuredClone(into)])
        },
      }
      const outcome = await run(recording, problem)
      expect(problem.account.tracks[0]?.first?.fooled).toBe(true)
      expect(problem.account.queries).toBe(outcome.queries)

      const silent = model()
      const again = attackProblem(silent, [image])
      for (const [queries, answers] of told) again.objective.recall?.(queries, answers)
      expect(silent.calls).toEqual([])
      expect(shown(again.account)).toEqual(shown(problem.account))
      for (const moment of ['first', 'best', 'final'] as const) {
        expect(again.account.variables(moment)).toEqual(problem.account.variables(moment))
      }
    })

    test('counts what its session counts', async () => {
      const problem = attackProblem(model(), [image])
      const outcome = await run(problem.objective, problem)
      expect([outcome.queries, problem.account.queries]).toEqual([441, 441])
      expect(problem.account.tracks[0]?.final).toMatchObject({ iteration: 40, queries: 441 })
      expect(problem.account.variables('final')).toEqual(outcome.last.point)
    })

    test('behind a cache of rows has the same points', async () => {
      const [plain, behind] = [attackProblem(model(), [image]), attackProblem(model(), [image])]
      await run(plain.objective, plain)
      await run(cached(behind.objective), behind)
      expect(behind.account.tracks[0]?.best).toEqual(plain.account.tracks[0]?.best)
    })
  })

  describe('a saved account', () => {
    const whole = (kappa = 0) => {
      const problem = problemOf(kappa)
      tell(problem.objective, iterates)
      return problem.account
    }
    const everythingOf = (account: AttackAccount) => ({
      tracks: account.tracks,
      queries: account.queries,
      unanswered: account.outage,
      curve: account.curve(),
      variables: (['first', 'best', 'final'] as const).map((moment) => account.variables(moment)),
    })

    test.each(iterates.map((_, i) => i))('after %i iterations is all there is: another goes on from it', (until) => {
      const before = problemOf()
      tell(before.objective, iterates.slice(0, until + 1))
      const saved = before.objective.save?.()
      const { objective, account } = problemOf()
      objective.restore?.(saved as SavedMemory)
      expect(everythingOf(account)).toEqual(everythingOf(before.account))
      expect(objective.save?.()).toEqual(saved)
    })

    test('comes to the same end as one that was told everything', () => {
      const before = problemOf()
      const steps = iterates.map((at, i) => around(i + 1, [at], i === iterates.length - 1 ? 1 : 11))
      for (const queries of steps.slice(0, 3)) before.objective.evaluate(queries, makeAnswers(queries.rows))
      const { objective, account } = problemOf()
      objective.restore?.(before.objective.save?.() as SavedMemory)
      for (const queries of steps.slice(3)) objective.evaluate(queries, makeAnswers(queries.rows))
      expect(everythingOf(account)).toEqual(everythingOf(whole()))
    })

    test('keeps why the model does not answer, as text', () => {
      const silent = attackProblem(
        fakeModel(1, 2, () => {
          throw new TypeError('no route')
        }),
        [one],
      )
      const answers = makeAnswers(2)
      const failed = (iteration: number) => {
        answers.failed.fill(1)
        answers.reasons.fill(new TypeError('no route'))
        silent.objective.recall?.(around(iteration, [0], 2), answers)
      }
      failed(1)
      failed(2)
      const { objective, account } = problemOf()
      objective.restore?.(silent.objective.save?.() as SavedMemory)
      expect(account.outage).toEqual({ count: 2, reason: 'TypeError: no route' })
      expect(account.tracks).toEqual([{ first: null, best: null, final: null }])
    })

    test('of several images has the points of each', () => {
      const two = () => attackProblem(threshold([1], 0.5), [one, { ...one, pixels: Float32Array.from([0.375]) }])
      const before = two()
      tell(before.objective, [0, 0.1875, 0.5])
      const { objective, account } = two()
      objective.restore?.(before.objective.save?.() as SavedMemory)
      expect(everythingOf(account)).toEqual(everythingOf(before.account))
      expect(account.tracks.map(({ first }) => first?.iteration)).toEqual([2, 1])
    })
  })
})

describe('curve', () => {
  const point = (iteration: number, changes: Partial<AttackPoint> = {}): AttackPoint => ({
    ...{
      iteration,
      queries: 11 * iteration + 1,
      margin: 100 - iteration,
      l2sq: iteration / 8,
      l2: 0,
      linf: iteration / 16,
    },
    ...{ predicted: 3, fooled: iteration >= 100 },
    ...changes,
  })

  function recorded(iterations: Iterable<number>): AttackCurve {
    const recorder = new CurveRecorder()
    for (const iteration of iterations) recorder.add([point(iteration)], 2)
    return recorder.columns()
  }

  const upTo = (last: number) => Array.from({ length: last + 1 }, (_, i) => i)

  describe('a curve', () => {
    test('of nothing has empty columns', () => {
      expect(new CurveRecorder().columns()).toEqual({
        iteration: [],
        queries: [],
        loss: [],
        l2sq: [],
        linf: [],
        fooled: [],
      })
    })

    test('of a short attack has every point, the loss cut off at -kappa', () => {
      const curve = recorded([98, 99, 100, 101, 102, 103])
      expect(curve).toEqual({
        iteration: [98, 99, 100, 101, 102, 103],
        queries: [1079, 1090, 1101, 1112, 1123, 1134],
        loss: [2, 1, 0, -1, -2, -2],
        l2sq: [12.25, 12.375, 12.5, 12.625, 12.75, 12.875],
        linf: [6.125, 6.1875, 6.25, 6.3125, 6.375, 6.4375],
        fooled: [0, 0, 1, 1, 1, 1],
      })
    })

    test('keeps all of 512 points and every second of 513', () => {
      expect(recorded(upTo(511)).iteration).toEqual(upTo(511))
      expect(recorded(upTo(512)).iteration).toEqual(upTo(256).map((i) => 2 * i))
    })

    test('has its last point, whether its turn it is or not', () => {
      expect(recorded(upTo(513)).iteration.slice(-3)).toEqual([510, 512, 513])
      expect(recorded(upTo(514)).iteration.slice(-3)).toEqual([510, 512, 514])
    })

    test.each([1000, 12_345, 40_000])('of %i iterations is evenly spaced, with 257 to 513 points', (last) => {
      const { iteration, queries } = recorded(upTo(last))
      const spacing = iteration[1] as number
      expect(iteration.length).toBeGreaterThan(256)
      expect(iteration.length).toBeLessThanOrEqual(513)
      expect(iteration.slice(0, -1)).toEqual(iteration.slice(0, -1).map((_, i) => i * spacing))
      expect(iteration.at(-1)).toBe(last)
      expect(last - (iteration.at(-2) as number)).toBeLessThanOrEqual(spacing)
      expect(queries).toEqual(iteration.map((each) => 11 * each + 1))
    })

    test('of 40,000 iterations has a point every 128', () => {
      expect(recorded(upTo(40_000)).iteration).toEqual([...upTo(312).map((i) => 128 * i), 40_000])
    })

    test('has a gap where points could not be evaluated', () => {
      expect(recorded([0, 1, 5, 6]).iteration).toEqual([0, 1, 5, 6])
    })

    test('can be read on the way and goes on as if it had not been', () => {
      const recorder = new CurveRecorder()
      for (const i of upTo(600)) {
        recorder.add([point(i)], 0)
        recorder.columns()
      }
      expect(recorder.columns().iteration).toEqual(recorded(upTo(600)).iteration)
    })
  })

  test('a point of several images is their mean, the largest change, and the share that is fooled', () => {
    const recorder = new CurveRecorder()
    const images = [
      point(7, { margin: 3, l2sq: 1, linf: 0.1, fooled: false }),
      point(7, { margin: -5, l2sq: 2, linf: 0.3, fooled: true }),
      point(7, { margin: -0.5, l2sq: 6, linf: 0.2, fooled: true }),
      point(7, { margin: 1, l2sq: 3, linf: 0.25, fooled: false }),
    ]
    recorder.add(images, 1)
    // The losses are 3, -1, -0.5 and 1.
    expect(recorder.columns()).toEqual({
      ...{ iteration: [7], queries: [78], loss: [0.625], l2sq: [3], linf: [0.3], fooled: [0.5] },
    })
  })
})
