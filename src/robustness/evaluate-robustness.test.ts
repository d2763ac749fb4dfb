import { describe, expect, test } from 'vitest'
import { delayed, fakeModel, threshold } from '../../test/attacks/fake-model.ts'
import { memoryDataset } from '../../test/attacks/memory-dataset.ts'
import { tinyNetwork } from '../../test/networks/tiny-network.ts'
import { memoryFiles } from '../../test/run-store/memory-files.ts'
import { driveRun } from '../app/store/drive-run.ts'
import { createRun, openRun } from '../app/store/open-run.ts'
import { ZerothError } from '../optimizer/core/errors.ts'
import { zoAdaMM, zoSMD } from '../optimizer/methods/presets.ts'
import { entropy } from '../optimizer/parts/mirrors/mirrors.ts'
import { type AttackedPicture, type AttackProgress, driveAttack, type RunAttack } from './attack-task.ts'
import { noiseCalls } from './checks.ts'
import { attackScreened, evaluateRobustness, imageSeed } from './evaluate-robustness.ts'
import { constrained, unconstrained } from './formulations.ts'
import type { Dataset } from './images/dataset.ts'
import { linearModel } from './models/linear.ts'
import type { Images, Model } from './models/model.ts'
import { onnxModel } from './models/onnx.ts'
import type { ImageRecord } from './records.ts'
import type { RobustnessOptions } from './robustness-options.ts'
import { screenImages } from './screening.ts'

const solver = zoAdaMM({ learningRate: { value: 0.05, decay: 'sqrt' } })

/** Class 1 where the two pixels add up to more than 1. */
const boundary = (changes: Partial<Model> = {}) => threshold([1, 1], 1, changes)

/** Images of class 0 near the boundary, but: 2 and 5 are labelled wrongly, and 7 is too far away for what it costs. */
const shades = [0.4, 0.42, 0.44, 0.46, 0.43, 0.41, 0.45, 0.1, 0.39]
const dataset = (changes: Partial<Dataset> = {}) =>
  memoryDataset(
    shades.map((shade, i) => ({ pixels: [shade, shade - 0.01 * i], label: i === 2 || i === 5 ? 1 : 0 })),
    changes,
  )
const options: RobustnessOptions = { solver, maxQueries: 331, lambda: 1, seed: 9 }

const plain = await evaluateRobustness(boundary(), dataset(), options)

describe('an evaluation', () => {
  test('attacks every image that is classified correctly and accounts for all, in their order', async () => {
    const { images, summary, universal, warnings } = plain
    expect(images.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    const [f, s, r] = ['fooled', 'skipped', 'robust']
    expect(images.map(({ status }) => status)).toEqual([f, f, s, f, f, s, f, r, f])
    expect(summary).toMatchObject({ looked: 9, attacked: 7, skipped: 2, failed: 0, fooled: 6 })
    expect(summary).toMatchObject({ cleanAccuracy: 7 / 9, robustAccuracy: 1 / 9, attackSuccessRate: 6 / 7 })
    expect(summary.queries).toBe(7 * 331)
    expect([universal, warnings]).toEqual([null, []])
  })

  test('counts every image that the model classifies', async () => {
    const model = boundary()
    const { summary, images, canaries } = await evaluateRobustness(model, dataset(), options)
    const classified = model.calls.reduce((sum, each) => sum + each, 0)
    expect(summary.modelCalls).toBe(classified)
    expect(summary.modelCalls).toBeGreaterThanOrEqual(9 + 7 * 331 + 6)
    expect(canaries).toEqual({ asked: 9 + 5, changed: 0, unanswered: 0, reason: null })
    expect(images.reduce((sum, { modelCalls }) => sum + modelCalls, 9 + 5 + noiseCalls)).toBe(classified)
  })

  test('finds out at its end that the model was replaced meanwhile', async () => {
    const [before, after] = [boundary(), threshold([-1, -1], -0.2)]
    let calls = 0
    const replaced: Model = {
      ...before,
      predict: (...asked) => (++calls < 20 ? before : after).predict(...asked),
    }
    const { canaries } = await evaluateRobustness(replaced, dataset(), options)
    expect(canaries).toMatchObject({ asked: 14, unanswered: 0 })
    expect(canaries?.changed).toBeGreaterThan(5)
  })

  test('attacks as many images as wanted and screens no other', async () => {
    const images = dataset()
    const report = await evaluateRobustness(boundary(), images, { ...options, count: 3 })
    expect(report.images.map(({ status }) => status)).toEqual(['fooled', 'fooled', 'skipped', 'fooled'])
    expect(Math.max(...images.reads)).toBe(3)
  })

  test('gives each image its own seed: it fares the same alone', async () => {
    const seeds: unknown[] = []
    const run: RunAttack = (problem, session, place, control) => {
      seeds.push([place.index, session.seed])
      return driveAttack(problem, session, place, control)
    }
    const known = (index: number) => (index === 4 ? undefined : plain.images[index])
    const again = await evaluateRobustness(boundary(), dataset(), options, { store: { run, known } })
    expect(seeds).toEqual([[4, imageSeed(9, 4)]])
    expect(again).toEqual(plain)
  })

  test('may be targeted at one class, or at the next', async () => {
    const ladder = fakeModel(2, 3, ([a = 0, b = 0]) => [1, 1 + 4 * (a + b - 1), 1 + 8 * (a + b - 1.2)])
    const at = await evaluateRobustness(ladder, dataset(), { ...options, target: 2, lambda: 10, count: 3 })
    expect(at.images.filter(({ target }) => target === 2)).toHaveLength(4)
    for (const { first } of at.images.filter(({ status }) => status === 'fooled')) expect(first?.predicted).toBe(2)
    const next = await evaluateRobustness(ladder, dataset(), { ...options, target: 'next', lambda: 10, count: 3 })
    expect(next.images[0]).toMatchObject({ target: 1, first: { predicted: 1 } })
  })

  test('works in the tanh formulation, too', async () => {
    const brisk = zoAdaMM({ learningRate: { value: 0.2, decay: 'sqrt' } })
    const given = { ...options, solver: brisk, formulation: unconstrained(), lambda: 10, count: 2 }
    const { images } = await evaluateRobustness(boundary(), dataset(), given)
    expect(images.map(({ status }) => status)).toEqual(['fooled', 'fooled'])
  })
})

describe('the result does not depend on how it is worked out', () => {
  test.each([1, 3, 16])('with %i images at once', async (parallel) => {
    expect(await evaluateRobustness(boundary(), dataset(), options, { parallel })).toEqual(plain)
    expect(await evaluateRobustness(delayed(boundary()), dataset(), options, { parallel })).toEqual(plain)
    const few = { ...boundary(), batch: 3 }
    expect(await evaluateRobustness(few, dataset(), options, { parallel })).toEqual(plain)
  })

  test('with several images at once fills the calls of the model', async () => {
    const [alone, together] = [boundary(), boundary()]
    await evaluateRobustness(alone, dataset(), options, { parallel: 1 })
    await evaluateRobustness(together, dataset(), options, { parallel: 7 })
    // The first calls look at the images and, two of them at images that are misclassified again, for noise.
    expect(Math.max(...alone.calls.slice(5))).toBe(11)
    // Seven images, 30 iterations of 11 rows each.
    // One that confirms its success falls behind the others by a call, and on a busy machine by a breath.
    expect(together.calls.filter((rows) => rows === 77).length).toBeGreaterThan(20)
    const shared = ({ calls }: { calls: readonly number[] }) => calls.filter((rows) => rows > 1).length
    expect(shared(together)).toBeLessThan(shared(alone) / 5)
  })

  test('of a linear model with three classes in either form', async () => {
    const shape = { channels: 1, height: 2, width: 3 }
    const weights = [0, 1, 2].map((k) => Array.from({ length: 6 }, (_, i) => Math.cos(3 * k + i)))
    const model = await linearModel({ shape, weights }).open()
    const pictures = Array.from({ length: 36 }, (_, n) =>
      Float32Array.from({ length: 6 }, (_, i) => 0.5 + 0.3 * Math.sin(n * 7 + i * i)),
    )
    const images = { ...dataset(), count: 36, label: (n: number) => n % 3 }
    const read = async (n: number) => ({ shape, pixels: pictures[n] as Float32Array })
    for (const formulation of [undefined, unconstrained()]) {
      const given = { ...options, formulation, lambda: 10 }
      const reports = []
      for (const parallel of [1, 3, 16]) {
        reports.push(await evaluateRobustness(model, { ...images, read }, given, { parallel }))
      }
      expect(reports[1]).toEqual(reports[0])
      expect(reports[2]).toEqual(reports[0])
      expect(reports[0]?.summary.attacked).toBeGreaterThan(7)
    }
  })

  test('of a network, whatever its batches hold', async () => {
    const shape = { channels: 1, height: 28, width: 28 }
    const read = async (n: number) => ({
      shape,
      pixels: Float32Array.from({ length: 784 }, (_, i) => Math.round(255 * (0.5 + 0.5 * Math.sin(n + i * i))) / 255),
    })
    const reports = []
    for (const [batch, parallel] of [
      [16, 1],
      [16, 5],
      [7, 3],
      [1, 2],
    ] as const) {
      // biome-ignore format: one line
      const model = await onnxModel({ bytes: tinyNetwork(), batch }).open()
      // Every class in turn, so that some are right.
      const images = { ...dataset(), count: 30, label: (n: number) => n % 10, read }
      reports.push(await evaluateRobustness(model, images, { ...options, maxQueries: 111, count: 3 }, { parallel }))
      await model.close()
    }
    expect(reports[0]?.summary.attacked).toBeGreaterThan(1)
    for (const report of reports.slice(1)) expect(report).toEqual(reports[0])
  })
})

describe('a signal', () => {
  test('stops everything with its reason, and no further image begins', async () => {
    const reason = new Error('enough')
    const controller = new AbortController()
    const begun: number[] = []
    const kept: ImageRecord[] = []
    const run: RunAttack = (problem, session, place, control) => {
      begun.push(place.index)
      return driveAttack(problem, session, place, control)
    }
    const onIteration = ({ index, iteration }: AttackProgress) => {
      if (index === 1 && iteration === 5) controller.abort(reason)
    }
    const keep = (record: ImageRecord) => {
      kept.push(record)
      return record
    }
    const control = { signal: controller.signal, parallel: 2, store: { run, keep }, onIteration }
    await expect(evaluateRobustness(boundary(), dataset(), options, control)).rejects.toBe(reason)
    expect(begun).toEqual([0, 1])
    // What was stopped is not done: nobody may take it for a failure later.
    expect(kept).toEqual([])
  })

  test('that fired before asks nothing', async () => {
    const model = boundary()
    const reason = new Error('enough')
    const work = evaluateRobustness(model, dataset(), options, { signal: AbortSignal.abort(reason) })
    await expect(work).rejects.toBe(reason)
    expect(model.calls).toEqual([])
  })

  test('that fires after the last attack still rejects', async () => {
    const reason = new Error('enough')
    const controller = new AbortController()
    const keep = (record: ImageRecord) => {
      if (record.index === 8) controller.abort(reason)
      return record
    }
    const control = { signal: controller.signal, parallel: 1, store: { keep } }
    await expect(evaluateRobustness(boundary(), dataset(), options, control)).rejects.toBe(reason)
  })

  test('stops a universal attack, too', async () => {
    const reason = new Error('enough')
    const controller = new AbortController()
    const control = { signal: controller.signal, onIteration: () => controller.abort(reason) }
    const work = evaluateRobustness(boundary(), dataset(), { ...options, universal: true }, control)
    await expect(work).rejects.toBe(reason)
  })
})

describe('one image that fails', () => {
  test('in its attack leaves the others as they are', async () => {
    const good = dataset()
    const read: Dataset['read'] = async (index) => {
      // Good at the first look, gone at the second.
      if (index === 3 && good.reads.includes(3)) throw new ZerothError('invalid-data', 'three.png is gone')
      return good.read(index)
    }
    const { images, summary } = await evaluateRobustness(boundary(), { ...good, read }, options)
    expect(images[3]).toMatchObject({ status: 'failed', reason: 'three.png is gone', queries: 0, predicted: 0 })
    expect(images.filter(({ index }) => index !== 3)).toEqual(plain.images.filter(({ index }) => index !== 3))
    expect(summary).toMatchObject({ attacked: 6, failed: 1, fooled: 5, robustAccuracy: 1 / 9 })
  })

  test('because the model answers about none of its changes leaves the others as they are', async () => {
    // The third pixel, which changes by less than 0.05, says which image it is.
    const images = memoryDataset([0, 0.1, 0.2, 0.3, 0.4].map((c) => ({ pixels: [0.48, 0.48, c], label: 0 })))
    const fussy = (odd: number) =>
      fakeModel(3, 2, ([a = 0, b = 0, c = 0]) => {
        const isOdd = Math.round(10 * c) === odd && c !== Math.fround(odd / 10)
        return isOdd ? [Number.NaN, 0] : [0, a + b - 1]
      })
    const given = { ...options, formulation: constrained({ linf: 0.04 }) }
    const [good, broken] = [
      await evaluateRobustness(fussy(9), images, given),
      await evaluateRobustness(fussy(3), images, given),
    ]
    expect(good.images.map(({ status }) => status)).toEqual(['fooled', 'fooled', 'fooled', 'fooled', 'fooled'])
    expect(broken.images[3]).toMatchObject({ status: 'unfinished', stopReason: 'model-silent', queries: 55 })
    expect(broken.images[3]?.reason).toContain('the model does not answer any more')
    expect(broken.images.filter(({ index }) => index !== 3)).toEqual(good.images.filter(({ index }) => index !== 3))
  })

  test('at the screening leaves the others as they are', async () => {
    const label = (index: number) => (index === 1 ? 7 : index === 2 || index === 5 ? 1 : 0)
    const { images } = await evaluateRobustness(boundary(), dataset({ label }), options)
    expect(images[1]).toMatchObject({ status: 'failed', reason: 'its label must be from 0 to 1, got 7' })
    expect(images.filter(({ index }) => index !== 1)).toEqual(plain.images.filter(({ index }) => index !== 1))
  })
})

describe('what concerns all images ends everything', () => {
  test.each(['storage-failed', 'run-in-use', 'invalid-run', 'invalid-checkpoint'] as const)(
    'an error %s of a run',
    async (code) => {
      const error = new ZerothError(code, 'disk full')
      const begun: number[] = []
      const run: RunAttack = async (problem, session, place, control) => {
        begun.push(place.index)
        if (place.index === 1) throw error
        return driveAttack(problem, session, place, control)
      }
      await expect(evaluateRobustness(boundary(), dataset(), options, { store: { run }, parallel: 2 })).rejects.toBe(
        error,
      )
      expect(begun).toEqual([0, 1])
    },
  )

  test('an error of whoever keeps the records', async () => {
    const error = new Error('disk full')
    const keep = () => Promise.reject(error)
    await expect(evaluateRobustness(boundary(), dataset(), options, { store: { keep } })).rejects.toBe(error)
    await expect(
      evaluateRobustness(boundary(), dataset(), { ...options, universal: true }, { store: { keep } }),
    ).rejects.toBe(error)
  })

  test('a solver that does not fit the problem', async () => {
    const given = { ...options, solver: zoSMD({ mirror: entropy() }) }
    await expect(evaluateRobustness(boundary(), dataset(), given)).rejects.toThrow('entropy')
  })

  test.each([
    [{ target: 2 }, {}, 'target must be a class of the model, from 0 to 1, got 2'],
    [{ lambda: -1 }, {}, 'evaluateRobustness.lambda must be above 0, got -1'],
    [{ cuont: 3 }, {}, 'evaluateRobustness has no option cuont; did you mean count?'],
    [{}, { parallel: 0 }, 'evaluateRobustness: control.parallel must be a whole number of at least 1, got 0'],
    [{}, { parallel: 1.5 }, 'evaluateRobustness: control.parallel must be a whole number of at least 1, got 1.5'],
  ])('the options %o with %o', async (given, control, message) => {
    const model = boundary()
    await expect(evaluateRobustness(model, dataset(), { ...options, ...given }, control)).rejects.toThrow(message)
    expect(model.calls).toEqual([])
  })

  test('what is no open model', async () => {
    const source = linearModel({ shape: { channels: 1, height: 1, width: 2 }, weights: [[1, 2]] })
    await expect(evaluateRobustness(source as never, dataset(), options)).rejects.toThrow('open the model first')
  })
})

describe('hooks', () => {
  test('are told of each attacked image with its pictures, and may add to its record', async () => {
    const kept: [number, boolean][] = []
    const keep = async (record: ImageRecord, picture: AttackedPicture | undefined) => {
      kept.push([record.index, picture !== undefined])
      return { ...record, files: { original: `${record.index}.png` } }
    }
    const { images } = await evaluateRobustness(boundary(), dataset(), options, { store: { keep }, parallel: 1 })
    expect(kept).toEqual([[0, true], [1, true], [3, true], [4, true], [6, true], [7, false], [8, true]]) // biome-ignore format: pairs
    expect(images[4]?.files).toEqual({ original: '4.png' })
    expect(images[2]?.files).toBeNull()
  })

  test('are not needed to attack images that have been screened', async () => {
    const screened = await screenImages(boundary(), dataset(), {})
    expect(screened).toHaveLength(9)
    const model = boundary()
    expect(await attackScreened(model, dataset(), screened, options, {}, plain.noise)).toEqual(plain)
    // Screening would have been the first call, with all of them at once.
    expect(model.calls[0]).not.toBe(9)
  })

  test('that know everything spare all queries but those about noise and the canaries, and the report is the same', async () => {
    const model = boundary()
    const asked: number[] = []
    const known = (index: number) => {
      asked.push(index)
      return plain.images[index]
    }
    expect(await evaluateRobustness(model, dataset(), options, { store: { known } })).toEqual(plain)
    // Two are misclassified, which is asked again, and five canaries are asked about on their own.
    expect(model.calls).toEqual([9, 1, 1, noiseCalls - 3, 3, 9, 1, 1, 1, 1, 1])
    expect(asked).toEqual([0, 1, 3, 4, 6, 7, 8])
  })

  test('hear of every iteration of every image', async () => {
    const counts = new Map<string, number>()
    const onIteration = ({ title }: AttackProgress) => void counts.set(title, (counts.get(title) ?? 0) + 1)
    await evaluateRobustness(boundary(), dataset(), options, { onIteration })
    expect([...counts].sort()).toEqual([0, 1, 3, 4, 6, 7, 8].map((index) => [`image ${index}`, 30]))
  })
})

describe('a run that is stored', () => {
  /** Keeps each attack in a run of its own, in memory; after so many batches the machine is gone. */
  function stored(files: ReturnType<typeof memoryFiles>, batches = Infinity): RunAttack {
    let left = batches
    return async ({ objective, start }, session, { index }, control) => {
      const about = { id: `${index}`, created: '2026-01-01T00:00:00Z', zeroth: '0', spec: {} }
      const folder = `image-${index}`
      const isThere = files.list(folder).length > 0
      const store = isThere
        ? await openRun(folder, { files, fromStart: true })
        : await createRun(folder, about, { files })
      const mortal: typeof objective = {
        ...objective,
        evaluate(queries, into, signal) {
          if (left-- <= 0) throw new ZerothError('storage-failed', 'the machine is gone')
          return objective.evaluate(queries, into, signal)
        },
      }
      try {
        const { status, stopReason } = await driveRun(store, mortal, start, session, control)
        return { status, stopReason }
      } finally {
        await store.close()
      }
    }
  }

  test('and interrupted in the middle of an image has the report of one that was not', async () => {
    for (const batches of [3, 37, 100]) {
      const files = memoryFiles()
      const records = new Map<number, ImageRecord>()
      const store = {
        known: (index: number) => records.get(index),
        keep: (record: ImageRecord) => {
          records.set(record.index, record)
          return record
        },
      }
      const work = evaluateRobustness(boundary(), dataset(), options, {
        parallel: 1,
        store: { ...store, run: stored(files, batches) },
      })
      await expect(work).rejects.toThrow('the machine is gone')
      expect(records.size).toBe(Math.floor(batches / 31))
      const model = boundary()
      const control = { parallel: 1, store: { ...store, run: stored(files) } }
      expect(await evaluateRobustness(model, dataset(), options, control)).toEqual(plain)
      // Nothing is asked twice.
      const asked = model.calls.slice(5).filter((rows) => rows > 1)
      expect(asked.length).toBeLessThanOrEqual(7 * 30)
    }
  })
})

describe('a universal attack', () => {
  test('has one curve for all images and no queries of their own', async () => {
    const model = boundary()
    const given = { ...options, universal: true, count: 4, lambda: 10 }
    const { images, summary, universal } = await evaluateRobustness(model, dataset(), given)
    expect(universal).toMatchObject({ queries: 331, images: 4 })
    expect(universal?.curve.iteration).toEqual(Array.from({ length: 31 }, (_, i) => i))
    expect(summary).toMatchObject({ attacked: 4, fooled: 4, queries: 331 })
    expect(summary.modelCalls).toBe(model.calls.reduce((sum, each) => sum + each, 0))
    // One image is misclassified; all four and a clean one confirm that they are fooled at once, and each five times at the end; the
    // saved picture of each is confirmed in the same way, and five canaries.
    const again = 1 + (4 + 1) + 2 * 4 * (5 + 5) + 5
    expect(summary.modelCalls).toBe(5 + noiseCalls + 4 * 331 + 4 + 5 + again)
    expect(summary.confirmations).toEqual({ successes: 4 + 40, contradicted: 0, clean: 1 + 40, changed: 0 })
    expect(images.map(({ status }) => status)).toEqual(['fooled', 'fooled', 'skipped', 'fooled', 'fooled'])
    expect(images[0]?.queries).toBe(0)
  })

  test('takes the seed of the evaluation, and keeps each image', async () => {
    const kept: number[] = []
    let seed: number | undefined
    const run: RunAttack = (problem, session, place, control) => {
      seed = session.seed
      return driveAttack(problem, session, place, control)
    }
    const keep = (record: ImageRecord) => {
      kept.push(record.index)
      return record
    }
    await evaluateRobustness(boundary(), dataset(), { ...options, universal: true }, { store: { run, keep } })
    expect([seed, kept]).toEqual([9, [0, 1, 3, 4, 6, 7, 8]])
  })

  test('on no image at all is an evaluation with nothing to attack', async () => {
    const wrong = dataset({ label: () => 1 })
    const { universal, summary } = await evaluateRobustness(boundary(), wrong, { ...options, universal: true })
    expect([universal, summary.attacked, summary.skipped]).toEqual([null, 0, 9])
  })
})

describe('warnings', () => {
  const warned = async (model: Model, images: Dataset, given = options) =>
    (await evaluateRobustness(model, images, { ...given, maxQueries: 12 })).warnings

  test('say once what the method has to say about its settings', async () => {
    const blurred = { ...options, solver: zoAdaMM({ smoothing: 1e-6 }) }
    const { warnings } = await evaluateRobustness(boundary(), dataset(), blurred)
    expect(warnings.filter((each) => each.startsWith('smoothing 0.000001 is small for float32'))).toHaveLength(1)
  })

  test('include those of the model', async () => {
    expect(await warned(boundary({ warnings: ['careful'] }), dataset())).toEqual(['careful'])
  })

  test('say that a model that is nearly always wrong is fed wrongly', async () => {
    const label = (index: number) => (index < 7 ? 1 : 0)
    expect(await warned(boundary(), dataset({ label }))).toEqual([
      'the model classifies only 2 of 9 clean images correctly: check its preprocessing, the order of its classes and the labels of the images',
    ])
  })

  test('say that the images are all of one class if the data set has others', async () => {
    const two = dataset({ label: (index) => (index < 7 ? 0 : 1) })
    const { warnings } = await evaluateRobustness(boundary(), two, { ...options, count: 2 })
    expect(warnings).toContain(
      'all 2 images are of class 0, and the data set has others: shuffle its order, or raise count',
    )
    expect((await evaluateRobustness(boundary(), two, options)).warnings.join()).not.toContain('of class 0')
    const one = dataset({ label: () => 0 })
    expect((await evaluateRobustness(boundary(), one, { ...options, count: 2 })).warnings).toEqual([])
  })

  test('do not doubt a model of two classes that is always right', async () => {
    expect(await warned(boundary(), dataset({ label: () => 0 }))).toEqual([])
  })

  test('say that nothing was measured where no image could be classified', async () => {
    const nothing = ['no image could be classified: nothing was measured']
    expect(await warned(boundary({ predict: async () => Promise.reject(new Error('gone')) }), dataset())).toEqual(
      nothing,
    )
    expect(await warned(boundary(), memoryDataset([]))).toEqual(nothing)
  })

  test('say that the budget allows no attack', async () => {
    const { warnings, summary } = await evaluateRobustness(boundary(), dataset(), { ...options, maxQueries: 11 })
    expect(summary).toMatchObject({ attacked: 7, fooled: 0, queries: 7 })
    expect(warnings).toEqual([
      'the budget allows no iteration of this method: 7 images count as robust without an attack',
    ])
  })
})

test('the seed of an image depends on the seed of the evaluation and on its number alone', () => {
  const forwards = [0, 1, 2, 3].map((index) => imageSeed(7, index))
  const backwards = [3, 2, 1, 0].map((index) => imageSeed(7, index)).reverse()
  expect(backwards).toEqual(forwards)
  expect(forwards).toEqual([3811593939, 3059234334, 3341457293, 2579152463])
})

test('10,000 images have 10,000 seeds, all of them seeds a session takes', () => {
  const seeds = Array.from({ length: 10_000 }, (_, index) => imageSeed(0, index))
  expect(new Set(seeds).size).toBe(10_000)
  expect(seeds.every((seed) => Number.isSafeInteger(seed) && seed >= 0)).toBe(true)
})

test('another evaluation has other seeds for the same images, also where its seed is beyond 32 bits', () => {
  const of = (seed: number) => [0, 1, 2].map((index) => imageSeed(seed, index))
  expect(of(1)).not.toEqual(of(2))
  expect(of(2 ** 40)).not.toEqual(of(0))
})

test('a model that is an instance of a class is attacked: what it has from its prototype is there', async () => {
  class Sums implements Model {
    readonly #weight = 4
    get shape() {
      return { channels: 1, height: 1, width: 2 }
    }
    get classes() {
      return 2
    }
    get scores() {
      return 'logits' as const
    }
    get bounds() {
      return { lower: 0, upper: 1 }
    }
    get batch() {
      return 8
    }
    get runtime() {
      return 'test'
    }
    get warnings() {
      return []
    }
    predict(images: Images, into: Float32Array | Float64Array): void {
      const picture = new Float64Array(2)
      for (let row = 0; row < images.rows; row++) {
        images.write(row, picture)
        into.set([0, this.#weight * ((picture[0] as number) - 0.5)], 2 * row)
      }
    }
    close(): void {}
  }
  const dataset = memoryDataset([{ pixels: [0.4, 0.5], label: 0 }])
  const { summary } = await evaluateRobustness(new Sums(), dataset, { maxQueries: 60 })
  expect(summary).toMatchObject({ attacked: 1, fooled: 1 })
})
