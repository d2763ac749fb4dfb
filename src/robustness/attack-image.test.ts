import { describe, expect, test } from 'vitest'
import { fakeModel, threshold } from '../../test/attacks/fake-model.ts'
import { memoryDataset } from '../../test/attacks/memory-dataset.ts'
import { sampleQueries } from '../../test/objectives/sample-queries.ts'
import { makeAnswers } from '../optimizer/core/answers.ts'
import { ZerothError } from '../optimizer/core/errors.ts'
import { parseOptions } from '../optimizer/core/options.ts'
import { zoAdaMM } from '../optimizer/methods/presets.ts'
import { zoSignSGD } from '../parts.ts'
import { attackImage, attackUniversally, examplesFor } from './attack-image.ts'
import { type AttackProgress, type AttackWatch, driveAttack, failureOf, isOver } from './attack-task.ts'
import { evaluateRobustness } from './evaluate-robustness.ts'
import { constrained } from './formulations.ts'
import type { Dataset } from './images/dataset.ts'
import type { Model } from './models/model.ts'
import { type AttackPoint, noConfirmations } from './records.ts'
import { type RobustnessOptions, robustnessOptions } from './robustness-options.ts'
import type { ScreenedImage } from './screening.ts'

describe('attack-images', () => {
  const image: ScreenedImage = {
    ...{ index: 0, title: 'image 0', label: 0, predicted: 0, target: null, status: 'attacked', reason: null },
    modelCalls: 1,
  }
  const dataset = memoryDataset([{ pixels: [0.4, 0.4], label: 0 }])

  /** Class 1 where the two pixels add up to more than 1: the shortest way there has the squared length 0.02. */
  const boundary = (changes: Partial<Model> = {}) => threshold([1, 1], 1, changes)

  async function attack(
    model: Model,
    given: Partial<RobustnessOptions> = {},
    control: AttackWatch = {},
    run = driveAttack,
  ) {
    const wanted = { solver: zoAdaMM({ learningRate: { value: 0.05, decay: 'sqrt' } }), maxQueries: 551, ...given }
    const options = parseOptions('test', robustnessOptions, wanted)
    const { solver, precision, failures, maxQueries, maxIterations } = options
    const session = { solver, precision, failures, maxQueries, maxIterations, seed: 5, trackBest: true }
    return attackImage({ model, dataset, options, control, run }, image, session)
  }

  const point: AttackPoint = {
    ...{ iteration: 3, queries: 34, margin: -1, predicted: 1, fooled: true, l2sq: 1, l2: 1, linf: 1 },
  }

  describe('an attack on one image', () => {
    test('that succeeds has everything: points, queries, the picture and how it was verified', async () => {
      const model = boundary()
      const { record, picture } = await attack(model, { maxQueries: 551 })
      expect(record).toMatchObject({ status: 'fooled', reason: null, queries: 551, stopReason: 'max-queries' })
      expect(record.first?.iteration).toBeGreaterThan(0)
      expect(record.first?.queries).toBe(11 * (record.first?.iteration ?? 0) + 1)
      expect(record.best?.l2sq).toBeGreaterThan(0.02)
      expect(record.best?.l2sq).toBeLessThan(0.03)
      expect(record.final).toMatchObject({ iteration: 50, queries: 551 })
      expect(record.curve?.iteration).toHaveLength(51)
      expect(record.success8bit).toBe(true)
      expect(record.saved?.predicted).toBe(1)
      const bytes = Array.from(picture?.adversarial ?? [], (each) => 255 * each)
      expect(bytes.every((each) => Math.abs(each - Math.round(each)) < 1e-5)).toBe(true)
      expect(bytes.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(255)
      expect(Array.from(picture?.original ?? [])).toEqual([0.4, 0.4].map(Math.fround))
    })

    test('counts the look before, every query and the check after as calls of the model', async () => {
      const model = boundary()
      const { record } = await attack(model, { maxQueries: 551 })
      const classified = model.calls.reduce((sum, each) => sum + each, 0)
      expect(record.modelCalls).toBe(1 + classified)
      expect(classified).toBeGreaterThan(551)
    })

    test('that does not succeed leaves the image robust, without a picture', async () => {
      const { record, picture } = await attack(threshold([1, 1], 3), { maxQueries: 111 })
      expect(record).toMatchObject({ status: 'robust', reason: null, first: null, best: null, queries: 111 })
      expect(record).toMatchObject({ success8bit: null, saved: null, modelCalls: 117, isFlat: false })
      expect(record.final?.iteration).toBe(10)
      expect(picture).toBeUndefined()
    })

    test('of a model without scores does not look for slopes, which it cannot show', async () => {
      const { record } = await attack(threshold([1, 1], 3, { scores: 'labels' }), { maxQueries: 111 })
      expect(record).toMatchObject({ status: 'robust', queries: 111, modelCalls: 112 })
      expect(record.isFlat).toBeUndefined()
    })

    test('stops early where it is to, after the iteration that saw the success', async () => {
      const { record } = await attack(boundary(), { earlyStop: true })
      const iteration = record.first?.iteration ?? 0
      expect(record).toMatchObject({ status: 'fooled', stopReason: 'early-stop', queries: 11 * (iteration + 1) })
      expect(record.final).toEqual(record.first)
      expect(record.best).toEqual(record.first)
      expect(record.saved?.from).toBe('best')
    })

    test('says where it stands', async () => {
      const seen: AttackProgress[] = []
      const { record } = await attack(boundary(), { maxIterations: 50 }, { onIteration: (at) => seen.push(at) })
      expect(seen).toHaveLength(50)
      expect(seen[0]).toEqual({ index: 0, title: 'image 0', iteration: 0, queries: 11, fooled: 0 })
      expect(seen.at(-1)).toEqual({ index: 0, title: 'image 0', iteration: 49, queries: 550, fooled: 1 })
      expect(seen.findIndex(({ fooled }) => fooled === 1)).toBe(record.first?.iteration)
    })
  })

  describe('a model that stops answering', () => {
    /** Answers the first so many calls. */
    const dying = (calls: number, fail: () => never) => {
      const good = boundary()
      let made = 0
      return boundary({
        predict(images, into, signal) {
          if (++made > calls) return fail()
          return good.predict(images, into, signal)
        },
      })
    }
    const gone = (): never => {
      throw new Error('connection refused')
    }

    test('is given up on, and the image is unfinished for its reason', async () => {
      const { record } = await attack(dying(3, gone))
      expect(record).toMatchObject({ status: 'unfinished', stopReason: 'model-silent', final: null, success8bit: null })
      expect(record.failedQueries).toBe(2 * (11 + 3))
      expect(record.reason).toBe('the model does not answer any more: Error: connection refused')
      // Three iterations, then two that bring nothing, each asked for its center three times more.
      expect(record.queries).toBe(33 + 2 * (11 + 3))
      expect(record.curve?.iteration).toEqual([0, 1, 2])
    })

    test('is unfinished, too, where the image had been fooled by then', async () => {
      const { record } = await attack(dying(40, gone))
      expect(record.status).toBe('unfinished')
      expect(record.first).not.toBeNull()
      expect(record.reason).toContain('does not answer any more')
      expect(record).toMatchObject({ success8bit: null, saved: null })
      expect(record.best?.l2sq).toBeGreaterThan(0.02)
    })

    test('on the way to it ends the attack before the iteration is told, whatever the policy', async () => {
      const lost = () => {
        throw new ZerothError('query-failed', 'ECONNREFUSED', { retryable: true })
      }
      const undisturbed = await attack(boundary())
      for (const failures of ['skip', 'stop', 'worst'] as const) {
        const { record, picture } = await attack(dying(40, lost), { failures })
        expect(record).toMatchObject({ status: 'unfinished', stopReason: 'model-unreachable', saved: null })
        expect(record.reason).toBe('the model does not answer any more: ECONNREFUSED')
        // Two of the 40 calls confirmed the first success.
        expect({ queries: record.queries, failed: record.failedQueries }).toEqual({ queries: 38 * 11, failed: 11 })
        expect(picture).toBeUndefined()
        // What it had reached is there, and is no more than that of the undisturbed attack at that point.
        expect(record.first).toEqual(undisturbed.record.first)
      }
    })

    test('when its picture is to be checked leaves the image unfinished', async () => {
      let made = 0
      const good = boundary()
      const model = boundary({
        predict(images, into, signal) {
          if (images.rows === 1 && ++made > 1) throw new ZerothError('query-failed', 'late', { retryable: true })
          return good.predict(images, into, signal)
        },
      })
      const { record } = await attack(model)
      expect(record).toMatchObject({ status: 'unfinished', stopReason: 'model-unreachable', failedQueries: 1 })
    })

    test('is not given up on because of single points', async () => {
      let made = 0
      const model = fakeModel(2, 2, ([a = 0, b = 0], row) =>
        row === 0 && ++made % 3 === 0 ? [Number.NaN, 0] : [0, a + b - 1],
      )
      const { record } = await attack(model)
      expect(record).toMatchObject({ status: 'fooled', stopReason: 'max-queries', reason: null })
    })

    test('has failed at the first failure where that is to end the attack', async () => {
      const { record } = await attack(dying(3, gone), { failures: 'stop' })
      expect(record).toMatchObject({ status: 'failed', stopReason: 'objective-failed', queries: 44 })
      expect(record.reason).toContain('iteration 4, row 0 of 11): Error: connection refused')
    })

    test('about every picture but the original does not make it robust', async () => {
      const model = fakeModel(2, 2, ([a = 0, b = 0], row) => (row === 0 ? [0, a + b - 1] : [Number.NaN, 0]))
      const { record } = await attack(model)
      expect(record).toMatchObject({ status: 'unfinished', stopReason: 'model-silent', queries: 55 })
      expect(record.reason).toContain('the model does not answer any more: ZerothError: the model answered with scores')
    })
  })

  describe('a run from elsewhere', () => {
    test('that asked nothing shows nothing', async () => {
      const { record } = await attack(boundary(), {}, {}, async () => ({
        status: 'finished',
        stopReason: 'max-queries',
      }))
      expect(record).toMatchObject({ status: 'failed', reason: 'nothing was asked of the model' })
    })

    test('is given the problem, the options with its set, the place and how to stop', async () => {
      const { signal } = new AbortController()
      let given: Parameters<typeof driveAttack> | undefined
      await attack(boundary(), {}, { signal }, async (...all) => {
        given = all
        return driveAttack(...all)
      })
      const [problem, session, place, control] = given ?? []
      expect(session?.set).toBe(problem?.set)
      expect(session).toMatchObject({ seed: 5, maxQueries: 551, precision: 'float32', trackBest: true })
      expect(place).toMatchObject({ index: 0, title: 'image 0' })
      expect(control?.signal).toBe(signal)
    })
  })

  test('an attack that is stopped rejects with the reason of the signal', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const onIteration = () => controller.abort(reason)
    await expect(attack(boundary(), {}, { signal: controller.signal, onIteration })).rejects.toBe(reason)
  })

  describe('an attack is over', () => {
    const account = (count: number, ...fooled: (boolean | null)[]) => ({
      ...{
        queries: 5,
        outage: { count, reason: 'lost' },
        confirmations: noConfirmations,
        settle: () => undefined,
        ...{ failedQueries: 0, retries: 0, unansweredQueries: 0 },
        curve: () => expect.unreachable(),
        variables: () => undefined,
        iterations: 0,
        nextMethod: () => undefined,
      },
      tracks: fooled.map((each) => ({
        first: null,
        best: null,
        final: each === null ? null : { ...point, fooled: each },
      })),
    })

    test('when all images are fooled at once, where that is wanted', () => {
      expect(isOver(account(0, true, true), true)).toBe(true)
      expect(isOver(account(0, true, true), false)).toBe(false)
      expect(isOver(account(0, true, false), true)).toBe(false)
      expect(isOver(account(0, true, null), true)).toBe(false)
    })

    test('when five times in a row no answer came, and then it has failed', () => {
      expect([4, 5].map((count) => isOver(account(count, null), false))).toEqual([false, true])
      const end = { status: 'finished' }
      expect(failureOf(account(4, null), end)).toBeNull()
      expect(failureOf(account(5, null), end)).toBe('the model does not answer any more: lost')
      expect(failureOf(account(0, true), { status: 'failed', error: new Error('odd') })).toBe('odd')
    })

    test('for a reason that reads the same from a journal, which keeps its text', () => {
      const live = { ...account(5, null), outage: { count: 5, reason: new TypeError('odd') } }
      const read = { ...account(5, null), outage: { count: 5, reason: 'TypeError: odd' } }
      expect(failureOf(live, { status: 'finished' })).toBe(failureOf(read, { status: 'finished' }))
    })
  })

  describe('one perturbation for all images', () => {
    /** Class 1 where the two pixels add up to more than 1. */
    const boundary = (changes: Partial<Model> = {}) => threshold([1, 1], 1, changes)

    /** The first two can be fooled by brightening, the third is too dark for it: it would need a change of 0.9 in all. */
    const dataset = memoryDataset([
      { pixels: [0.4, 0.45], label: 0 },
      { pixels: [0.45, 0.4], label: 0 },
      { pixels: [0.05, 0.05], label: 0 },
    ])
    const images = [0, 1, 2].map(
      (index): ScreenedImage => ({
        ...{ index, title: `image ${index}`, label: 0, predicted: 0, target: null, status: 'attacked', reason: null },
        modelCalls: 1,
      }),
    )

    async function attack(
      model: Model,
      given: Partial<RobustnessOptions> = {},
      control: AttackWatch = {},
      run = driveAttack,
      pictures: Dataset = dataset,
    ) {
      const wanted = {
        solver: zoAdaMM({ learningRate: { value: 0.05, decay: 'sqrt' } }),
        universal: true,
        lambda: 1,
        ...given,
      }
      const options = parseOptions('test', robustnessOptions, wanted)
      const session = { solver: options.solver, maxQueries: 331, failures: options.failures, seed: 1, trackBest: true }
      return attackUniversally({ model, dataset: pictures, options, control, run }, images, session)
    }

    describe('one perturbation for several images', () => {
      test('is a query that classifies every image, and both are counted', async () => {
        const model = boundary()
        const { queries, modelCalls, images: attacked, curve } = await attack(model)
        expect([queries, modelCalls]).toEqual([331, 993])
        // 30 iterations and the last point; what confirms each image is single, and so is a look at each saved
        // picture; those that fool the model are confirmed, too.
        const [together, alone] = [model.calls.filter((rows) => rows > 1), model.calls.filter((rows) => rows === 1)]
        expect(together).toEqual([...new Array<number>(30).fill(33), 3])
        expect(alone).toHaveLength(10 + 10 + 2 + 3 + 2 * 10)
        const again = attacked.map(({ record: { confirmations } }) => confirmations)
        const often = { successes: 10, contradicted: 0, clean: 10, changed: 0 }
        expect(again).toEqual([often, often, { ...often, successes: 1, clean: 1 }])
        expect(attacked.map(({ record }) => record.queries)).toEqual([0, 0, 0])
        expect(attacked.map(({ record }) => record.modelCalls)).toEqual([22, 22, 4])
        expect(curve.queries).toEqual(curve.iteration.map((each) => 11 * each + 1))
      })

      test('fools those it can, and counts as it is at its end', async () => {
        const { images: attacked, curve } = await attack(boundary())
        expect(attacked.map(({ record }) => record.status)).toEqual(['fooled', 'fooled', 'robust'])
        for (const { record } of attacked.slice(0, 2)) {
          expect(record.final?.fooled).toBe(true)
          expect(record.success8bit).toBe(true)
          expect(record.saved).toMatchObject({ from: 'final', predicted: 1 })
          expect(record.stopReason).toBe('max-queries')
          expect(record.curve).toBeNull()
        }
        expect(curve.fooled.at(-1)).toBe(2 / 3)
        // All share the perturbation, and so its size.
        expect(new Set(attacked.map(({ record }) => record.final?.l2sq)).size).toBe(1)
        expect(curve.l2sq.at(-1)).toBe(attacked[0]?.record.final?.l2sq)
      })

      test('makes the picture of each image from its own original', async () => {
        const { images: attacked } = await attack(boundary())
        const [one, two] = attacked.map(({ picture }) => picture)
        expect(Array.from(one?.original ?? [])).toEqual([0.4, 0.45].map(Math.fround))
        const change = (picture: typeof one) => (picture?.adversarial[0] as number) - (picture?.original[0] as number)
        expect(Math.abs(change(one) - change(two))).toBeLessThan(2 / 255)
        expect(attacked[2]?.picture?.original[0]).toBe(Math.fround(0.05))
        expect(attacked[2]?.record.success8bit).toBe(false)
      })

      test('counts an image that it fooled only on the way as robust', async () => {
        const steps = [0, 0.1, 0.05]
        const { images: attacked } = await attack(boundary(), {}, {}, async ({ objective }) => {
          steps.forEach((step, i) => {
            const write = (_: number, into: Float32Array | Float64Array, offset = 0) => into.set([step, step], offset)
            void objective.evaluate(sampleQueries(1, { key: { seed: 0, iteration: i + 1 }, write }), makeAnswers(1))
          })
          return { status: 'finished', stopReason: 'max-queries' }
        })
        expect(attacked.map(({ record }) => record.first?.iteration)).toEqual([1, 1, undefined])
        expect(attacked.map(({ record }) => record.status)).toEqual(['robust', 'robust', 'robust'])
        expect(attacked[0]?.record.final).toMatchObject({ iteration: 2, fooled: false })
      })

      test('stops early when all are fooled at once', async () => {
        const bright = memoryDataset([0.4, 0.42, 0.45].map((shade) => ({ pixels: [shade, shade], label: 0 })))
        const {
          images: attacked,
          queries,
          confirmations,
        } = await attack(boundary(), { earlyStop: true }, {}, driveAttack, bright)
        // All of them once more, in requests of their own, before the search ends; and one clean image.
        expect(confirmations).toEqual({ successes: 3, contradicted: 0, clean: 1, changed: 0 })
        expect(attacked.every(({ record }) => record.status === 'fooled')).toBe(true)
        expect(attacked[0]?.record.stopReason).toBe('early-stop')
        expect(queries).toBeLessThan(331)
        expect(queries % 11).toBe(0)
      })

      test('says how many it fools, as image -1', async () => {
        const seen: AttackProgress[] = []
        await attack(boundary(), {}, { onIteration: (at) => seen.push({ ...at, variables: at.variables?.slice() }) })
        expect(seen).toHaveLength(30)
        const variables = seen[0]?.variables?.map(() => 0)
        expect(seen[0]).toEqual({ index: -1, title: 'universal', iteration: 0, queries: 11, fooled: 0, variables })
        expect(seen[1]?.variables).not.toEqual(variables)
        expect(seen.at(-1)).toMatchObject({ iteration: 29, queries: 330, fooled: 2 })
      })

      test('is unfinished for all where the model does not answer', async () => {
        const model = boundary({ predict: async () => Promise.reject(new Error('gone')) })
        const { images: attacked, queries } = await attack(model)
        expect(attacked.map(({ record }) => record.status)).toEqual(['unfinished', 'unfinished', 'unfinished'])
        expect(attacked[0]?.record.reason).toBe('the model does not answer any more: Error: gone')
        expect(attacked[0]?.picture).toBeUndefined()
        expect(queries).toBe(28)
      })

      test('that is stopped rejects with the reason of the signal', async () => {
        const controller = new AbortController()
        const reason = new Error('enough')
        const control = { signal: controller.signal, onIteration: () => controller.abort(reason) }
        await expect(attack(boundary(), {}, control)).rejects.toBe(reason)
      })
    })
  })
})

describe('attack-at-limits', () => {
  /** Two pixels; class 0 as long as their mean is below 0.5: an image of mean m is fooled from linf 0.5 - m on. */
  function thresholdModel(calls: { count: number } = { count: 0 }): Model {
    return {
      shape: { channels: 1, height: 1, width: 2 },
      classes: 2,
      scores: 'logits',
      bounds: { lower: 0, upper: 1 },
      batch: 16,
      runtime: 'test',
      warnings: [],
      predict(images, scores) {
        const pixels = new Float64Array(2)
        for (let row = 0; row < images.rows; row++) {
          images.write(row, pixels)
          calls.count++
          scores.set([0, (pixels[0] ?? 0) + (pixels[1] ?? 0) - 1], 2 * row)
        }
      },
      close: async () => undefined,
    }
  }

  const images = (...means: readonly number[]): Dataset => ({
    name: 'means',
    count: means.length,
    title: (index) => `${index}.png`,
    label: () => 0,
    read: async (index) => ({
      shape: { channels: 1, height: 1, width: 2 },
      pixels: new Float32Array(2).fill(means[index] ?? 0),
    }),
  })

  const solver = zoSignSGD({ learningRate: 0.02, directions: 2, smoothing: 0.01 })
  const several = {
    solver,
    formulation: constrained({ linf: 0.2 }),
    smaller: [constrained({ linf: 0.1 }), constrained({ linf: 0.05 })],
    maxQueries: 90,
    earlyStop: true,
    seed: 3,
  }

  test('an image counts as fooled within a limit only by a point evaluated within it', async () => {
    const calls = { count: 0 }
    const { summary, images: records } = await evaluateRobustness(
      thresholdModel(calls),
      images(0.2, 0.35, 0.43, 0.47),
      several,
    )
    const statuses = records.map(({ limits = [] }) => limits.map(({ status }) => status))
    expect(statuses).toEqual([
      ['robust', 'robust', 'robust'],
      ['fooled', 'robust', 'robust'],
      ['fooled', 'fooled', 'robust'],
      ['fooled', 'fooled', 'fooled'],
    ])
    for (const { limits = [] } of records) {
      for (const { linf = 0, success } of limits)
        if (success !== null) expect(success.linf).toBeLessThanOrEqual(linf + 1e-6)
    }
    expect(
      summary.limits?.map(({ linf, robustAccuracy, fooled, robust }) => [linf, robustAccuracy, fooled, robust]),
    ).toEqual([
      [0.05, 0.75, 1, 3],
      [0.1, 0.5, 2, 2],
      [0.2, 0.25, 3, 1],
    ])
    expect(summary.robustAccuracy).toBe(0.25)
    expect(summary.modelCalls).toBe(calls.count)
  })

  test('what withstands a limit is not attacked within smaller ones, and each limit has the whole budget', async () => {
    const { summary, images: records } = await evaluateRobustness(thresholdModel(), images(0.2, 0.35), several)
    const [stood, fooled] = records.map(({ limits = [] }) => limits.map(({ from, queries }) => [from, queries]))
    expect(stood?.slice(1)).toEqual([
      ['larger limit', 0],
      ['larger limit', 0],
    ])
    expect(fooled?.[1]?.[0]).toBe('attack')
    for (const { queries, limits = [] } of records) {
      expect(queries).toBe(limits.reduce((sum, each) => sum + each.queries, 0))
      for (const each of limits) expect(each.queries).toBeLessThanOrEqual(90)
    }
    expect(summary.queries).toBe(records.reduce((sum, { queries }) => sum + queries, 0))
  })

  test('the attack within the largest limit is what it is alone', async () => {
    const { smaller: _, ...single } = several
    const alone = await evaluateRobustness(thresholdModel(), images(0.35, 0.43), single)
    const all = await evaluateRobustness(thresholdModel(), images(0.35, 0.43), several)
    expect(all.images.map(({ first, best }) => [first, best])).toEqual(
      alone.images.map(({ first, best }) => [first, best]),
    )
    expect(alone.summary.limits).toBeUndefined()
    expect(alone.images[0]).not.toHaveProperty('limits')
  })

  test('one perturbation for all images has one limit', async () => {
    const work = evaluateRobustness(thresholdModel(), images(0.4), { ...several, universal: true })
    await expect(work).rejects.toThrow('a universal attack has one limit: leave out smaller, or universal')
  })
})

describe('examples', () => {
  const shape = { channels: 1, height: 1, width: 2 }

  /** Images whose pixels are their number over 100; one cannot be read, one has no label. */
  const labels = [0, 1, 1, undefined, 2, 0, 2, 3, 1, 1]
  const dataset: Dataset = {
    name: 'numbers',
    count: labels.length,
    title: String,
    label: (index) => labels[index],
    read: async (index) => {
      if (index === 1) throw new Error('unreadable')
      return { shape, pixels: new Float32Array(2).fill(index / 100) }
    },
  }

  const image = (index: number, target: number | null): ScreenedImage => ({
    index,
    title: String(index),
    label: labels[index] ?? null,
    predicted: labels[index] ?? null,
    target,
    status: 'attacked',
    reason: null,
    modelCalls: 1,
  })

  const numbersOf = async (screened: ScreenedImage, length = 2) =>
    (await examplesFor(dataset, screened, length)).map((pixels) => Math.round(100 * (pixels[0] as number)))

  test('are the first images of the target class that can be read', async () => {
    expect(await numbersOf(image(0, 1))).toEqual([2, 8, 9])
  })

  test('or the first of each of some other classes where any will do', async () => {
    expect(await numbersOf(image(0, null))).toEqual([2, 4, 7])
    expect(await numbersOf(image(2, null))).toEqual([0, 4, 7])
  })

  test('images of another size are none', async () => {
    expect(await numbersOf(image(0, 1), 3)).toEqual([])
  })
})
