import { describe, expect, test } from 'vitest'
import { fakeModel, threshold } from '../../test/attacks/fake-model.ts'
import { sampleQueries } from '../../test/objectives/sample-queries.ts'
import { makeAnswers } from '../core/answers.ts'
import { ZerothError } from '../core/errors.ts'
import type { Model } from '../models/model.ts'
import { attackProblem, type Victim } from './attack-problem.ts'
import { constrained } from './constrained.ts'
import { savedPicture } from './saved-picture.ts'

const all = ['best', 'final', 'first'] as const

/** One pixel at 100/255 of class 0, which is class 1 above 150.4/255. */
const victim: Victim = { pixels: Float32Array.from([100 / 255]), label: 0 }
const model = (changes: Partial<Model> = {}) => threshold([255], 150.4, changes)

/** The problem after these iterates, each a value of the pixel in 255ths. */
function after(
  bytes: readonly number[],
  asked: Model,
  victims = [victim],
  options: Parameters<typeof attackProblem>[2] = {},
) {
  const problem = attackProblem(asked, victims, options)
  bytes.forEach((byte, i) => {
    const write = (_: number, into: Float32Array | Float64Array, offset = 0) => into.set([(byte - 100) / 255], offset)
    const queries = sampleQueries(1, { key: { seed: 0, iteration: i + 1 }, dim: 1, write })
    void problem.objective.evaluate(queries, makeAnswers(1))
  })
  return problem
}

async function saved(bytes: readonly number[], asked = model(), moments: readonly (typeof all)[number][] = all) {
  const problem = after(bytes, asked)
  asked.calls.length = 0
  return savedPicture(asked, problem, victim, moments)
}

describe('the picture that is saved', () => {
  test('is the best one, in 8 bits, where that still fools the model', async () => {
    const picture = await saved([100, 180, 150.6, 170])
    // 150.6 becomes 151.
    expect(picture?.pixels[0]).toBe(Math.fround(151 / 255))
    expect(picture).toMatchObject({ success: true, modelCalls: 1, saved: { predicted: 1, from: 'best' } })
    expect(picture?.saved.l2).toBeCloseTo(51 / 255, 7)
    expect(picture?.saved.l2sq).toBeCloseTo((51 / 255) ** 2, 7)
    expect(picture?.saved.linf).toBeCloseTo(51 / 255, 7)
  })

  test('is the last one where the best falls back behind the boundary when it is rounded', async () => {
    const asked = model()
    const picture = await saved([100, 180, 150.45, 170], asked)
    expect(picture?.pixels[0]).toBe(Math.fround(170 / 255))
    expect(picture).toMatchObject({ success: true, modelCalls: 2, saved: { predicted: 1, from: 'final' } })
    expect(asked.calls).toEqual([1, 1])
  })

  test('is the first one where the last does not fool the model either', async () => {
    const picture = await saved([100, 180, 150.45, 120])
    expect(picture?.pixels[0]).toBe(Math.fround(180 / 255))
    expect(picture).toMatchObject({ success: true, modelCalls: 3, saved: { from: 'first' } })
  })

  test('is the best one, as a failure, where none of the three holds in 8 bits: the same bytes are asked about once', async () => {
    const picture = await saved([100, 150.45, 150.48, 150.49])
    expect(picture?.pixels[0]).toBe(Math.fround(150 / 255))
    expect(picture).toMatchObject({ success: false, modelCalls: 1, saved: { predicted: 0, from: 'best' } })
  })

  test('is the best change made larger where its bytes do not fool the model, the smallest that does', async () => {
    const asked = model()
    const picture = (bytes: readonly number[], stretches = [2, 1.01, 1.02]) => {
      const problem = after(bytes, asked)
      asked.calls.length = 0
      return savedPicture(asked, problem, victim, all, { stretches })
    }
    // 150.42 is 150; 1.01 times its change comes to 150.92, which is 151.
    const larger = await picture([100, 180, 150.42, 170])
    expect(larger?.pixels[0]).toBe(Math.fround(151 / 255))
    expect(larger).toMatchObject({ success: true, modelCalls: 2, saved: { from: 'best', stretch: 1.01 } })
    // 155 fools it and is nearer than twice the change.
    const last = await picture([100, 180, 150.42, 155], [2])
    expect(last).toMatchObject({ success: true, modelCalls: 2, saved: { from: 'final' } })
    expect(last?.saved).not.toHaveProperty('stretch')
    // The best itself costs one call, and none of the larger ones is tried.
    expect(await picture([100, 160])).toMatchObject({ modelCalls: 1, saved: { from: 'best' } })
  })

  test('is not made larger than what is allowed, and stays between black and white', async () => {
    const asked = threshold([255], 254.6)
    const bright = { pixels: Float32Array.from([200 / 255]), label: 0 }
    const problem = after([154.65], asked, [bright], { form: constrained() })
    const white = await savedPicture(asked, problem, bright, all, { stretches: [3] })
    expect(white).toMatchObject({ success: true, saved: { from: 'best' } })
    expect(white?.pixels[0]).toBe(1)
    const limited = after([100, 150.45], model(), [victim], { form: constrained({ linf: 50.5 / 255 }) })
    const picture = await savedPicture(model(), limited, victim, ['best'], { stretches: [1.02, 2] })
    expect(picture).toMatchObject({ success: false, modelCalls: 1, saved: { from: 'best' } })
  })

  test('is made larger in other pixels where some have come to their limit', async () => {
    // Class 1 where the two pixels add up to more than 132.5 bytes of change; each may change by 80.5.
    const asked = fakeModel(2, 2, ([x = 0, y = 0]) => [0, 255 * (x + y) - 332.5])
    const pixels = Float32Array.from([100 / 255, 100 / 255])
    const problem = attackProblem(asked, [{ pixels, label: 0 }], { form: constrained({ linf: 80.5 / 255 }) })
    const write = (_: number, into: Float32Array | Float64Array, offset = 0) =>
      into.set([80.5 / 255, 52.1 / 255], offset)
    void problem.objective.evaluate(sampleQueries(1, { dim: 2, write }), makeAnswers(1))
    const picture = await savedPicture(asked, problem, { pixels, label: 0 }, ['best'], { stretches: [1.02, 1.05] })
    // 80 and 52 are not enough; 53.14 is 53.
    expect(Array.from(picture?.pixels ?? [], (each) => Math.round(255 * each))).toEqual([180, 153])
    expect(picture).toMatchObject({ success: true, modelCalls: 2, saved: { stretch: 1.02 } })
  })

  test('is none where no moment has one', async () => {
    expect(await saved([100, 120], model(), ['best', 'first'])).toBeUndefined()
  })

  test('is one of the moments wanted only', async () => {
    expect(await saved([100, 180, 120], model(), ['final'])).toMatchObject({ success: false, saved: { from: 'final' } })
  })

  test('may fool the model by rounding alone, which counts', async () => {
    const picture = await saved([100, 150.6], threshold([255], 150.7), ['final'])
    expect(picture).toMatchObject({ success: true, saved: { predicted: 1 } })
  })
})

describe('success', () => {
  test('of a targeted attack is the target and no other class', async () => {
    const ladder = fakeModel(1, 3, ([x = 0]) => [150.4 - 255 * x, 0, 255 * x - 200])
    const aimed = { ...victim, target: 2 }
    const [near, far] = [after([100, 220], ladder, [aimed]), after([100, 170], ladder, [aimed])]
    expect(await savedPicture(ladder, near, aimed, all)).toMatchObject({ success: true, saved: { predicted: 2 } })
    expect(await savedPicture(ladder, far, aimed, ['final'])).toMatchObject({ success: false, saved: { predicted: 1 } })
  })

  test.each([
    ['largest change of a pixel', { linf: 51.6 / 255 }],
    ['length of the change', { l2: 51.6 / 255 }],
  ])('keeps within the %s: it is rounded towards the original where the nearest byte is beyond', async (_, limits) => {
    const asked = model()
    const problem = after([100, 151.55], asked, [victim], { form: constrained(limits) })
    const picture = await savedPicture(asked, problem, victim, all)
    expect(picture?.pixels[0]).toBe(Math.fround(151 / 255))
    expect(picture).toMatchObject({ success: true, modelCalls: 1 })
    const darker = after([100, 48.45], asked, [victim], { form: constrained(limits) })
    expect((await savedPicture(asked, darker, victim, ['final']))?.pixels[0]).toBe(Math.fround(49 / 255))
  })

  test('counts as a success only with the margin that was asked for', async () => {
    const asked = model()
    const problem = (kappa: number) => after([100, 160.2], asked, [victim], { kappa })
    // 160 is 9.6 beyond the boundary.
    const [near, far] = [9.5, 9.7].map((kappa) => savedPicture(asked, problem(kappa), victim, ['final']))
    expect([(await near)?.success, (await far)?.success]).toEqual([true, false])
  })

  test('is not waited for once the attack is aborted', async () => {
    const problem = after([100, 180], model())
    const abort = new AbortController()
    const hanging = {
      ...model(),
      predict: () =>
        new Promise<void>((_, fail) => {
          abort.signal.addEventListener('abort', () => fail(abort.signal.reason))
        }),
    }
    const work = savedPicture(hanging, problem, victim, all, { signal: abort.signal })
    abort.abort(new Error('enough'))
    await expect(work).rejects.toThrow('enough')
  })

  test('of several images is asked for each of them', async () => {
    const asked = model()
    const victims = [victim, { pixels: Float32Array.from([140 / 255]), label: 0 }]
    const problem = after([100, 120], asked, victims)
    const found = []
    for (const [i, each] of victims.entries())
      found.push(await savedPicture(asked, problem, each, ['final'], { image: i }))
    expect(found.map((each) => each?.success)).toEqual([false, true])
    expect(found.map((each) => Math.round(255 * (each?.pixels[0] as number)))).toEqual([120, 160])
  })
})

describe('a model that does not classify the picture', () => {
  /** Answers as the other model does until the attack is over. */
  function failingAfter(fail: () => Promise<never> | undefined, good: () => boolean = () => false) {
    const asked = model()
    let over = false
    const predict: Model['predict'] = (images, into, signal) => {
      if (over && !good()) {
        into.fill(Number.NaN)
        return fail()
      }
      return asked.predict(images, into, signal)
    }
    const broken = { ...asked, predict }
    const problem = after([100, 180, 160, 170], broken)
    over = true
    return savedPicture(broken, problem, victim, all)
  }

  test('with NaN has not been fooled by it: there is no picture', async () => {
    expect(await failingAfter(() => undefined)).toBeUndefined()
  })

  test('because it fails loses nothing but the picture', async () => {
    expect(await failingAfter(async () => Promise.reject(new Error('gone')))).toBeUndefined()
  })

  test('the first time may classify the next', async () => {
    let asked = 0
    const picture = await failingAfter(
      () => undefined,
      () => ++asked > 1,
    )
    expect(picture).toMatchObject({ success: true, modelCalls: 2, saved: { from: 'final' } })
  })

  test('because it is not set up as it should be says so', async () => {
    const error = new ZerothError('invalid-option', 'no token')
    await expect(failingAfter(async () => Promise.reject(error))).rejects.toBe(error)
  })
})

test('pictures of any number of channels have 8 bits a channel', async () => {
  const shape = { channels: 5, height: 1, width: 2 }
  const asked = fakeModel(10, 2, (x) => [0, (x[9] as number) - 0.5], { shape })
  const pixels = Float32Array.from({ length: 10 }, (_, i) => (10 * i) / 255)
  const problem = attackProblem(asked, [{ pixels, label: 0 }])
  const delta = Float64Array.from({ length: 10 }, (_, i) => (i === 9 ? 60.3 : 1.8) / 255)
  const write = (_: number, into: Float32Array | Float64Array, offset = 0) => into.set(delta, offset)
  void problem.objective.evaluate(sampleQueries(1, { dim: 10, write }), makeAnswers(1))
  const picture = await savedPicture(asked, problem, { pixels, label: 0 }, all)
  const bytes = Array.from(picture?.pixels ?? [], (each) => Math.round(255 * each))
  expect(bytes).toEqual([2, 12, 22, 32, 42, 52, 62, 72, 82, 150])
  expect(picture?.success).toBe(true)
})

test('all of the 8-bit image is classified, not what the attack made', async () => {
  const seen: number[] = []
  const asked = fakeModel(1, 2, ([x = 0]) => {
    seen.push(x)
    return [0, 255 * x - 150.4]
  })
  const problem = after([100, 160.3], asked)
  seen.length = 0
  await savedPicture(asked, problem, victim, all)
  expect(seen).toEqual([Math.fround(160 / 255)])
})
