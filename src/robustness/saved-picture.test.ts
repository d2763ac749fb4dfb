import { describe, expect, test } from 'vitest'
import { fakeModel, threshold } from '../../test/attacks/fake-model.ts'
import { sampleQueries } from '../../test/objectives/sample-queries.ts'
import { makeAnswers } from '../optimizer/core/answers.ts'
import { ZerothError } from '../optimizer/core/errors.ts'
import { attackProblem, type CleanImage } from './attack-problem.ts'
import { constrained } from './formulations.ts'
import type { Model } from './models/model.ts'
import { mostChecks, savedPicture } from './saved-picture.ts'

const all = ['best', 'final', 'first'] as const

/** One pixel at 100/255 of class 0, which is class 1 above 150.4/255. */
const image: CleanImage = { pixels: Float32Array.from([100 / 255]), label: 0 }
const model = (changes: Partial<Model> = {}) => threshold([255], 150.4, changes)

/** The problem after these iterates, each a value of the pixel in 255ths. */
function after(
  bytes: readonly number[],
  asked: Model,
  images = [image],
  options: Parameters<typeof attackProblem>[2] = {},
) {
  const problem = attackProblem(asked, images, options)
  bytes.forEach((byte, i) => {
    const write = (_: number, into: Float32Array | Float64Array, offset = 0) => into.set([(byte - 100) / 255], offset)
    const queries = sampleQueries(1, { key: { seed: 0, iteration: i + 1 }, dim: 1, write })
    void problem.objective.evaluate(queries, makeAnswers(1))
  })
  return problem
}

const total = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0)

async function saved(bytes: readonly number[], asked = model(), moments: readonly (typeof all)[number][] = all) {
  const problem = after(bytes, asked)
  asked.calls.length = 0
  return savedPicture(asked, problem, image, moments, moments.length === 1 ? { checks: 1 } : {})
}

describe('the picture that is saved', () => {
  test('is the best one, in 8 bits, where that still fools the model', async () => {
    const picture = await saved([100, 180, 150.6, 170])
    // 150.6 becomes 151.
    expect(picture?.pixels[0]).toBe(Math.fround(151 / 255))
    expect(picture).toMatchObject({ success: true, modelCalls: 1, saved: { predicted: 1, from: 'best' } })
    // What is said of it does not rest on one answer.
    expect(picture?.confirmations).toEqual({ successes: 5, contradicted: 0, clean: 5, changed: 0 })
    expect(picture?.saved.l2).toBeCloseTo(51 / 255, 7)
    expect(picture?.saved.l2sq).toBeCloseTo((51 / 255) ** 2, 7)
    expect(picture?.saved.linf).toBeCloseTo(51 / 255, 7)
  })

  test('is the best change made a little larger where its bytes do not fool the model, and no first success far away', async () => {
    const asked = model()
    const picture = await saved([100, 220, 150.45, 120], asked)
    // 150.45 is 150; 1.02 times its change comes to 151.46, which is 151.
    expect(picture?.pixels[0]).toBe(Math.fround(151 / 255))
    expect(picture).toMatchObject({ success: true, saved: { predicted: 1, from: 'best', stretch: 1.02 } })
    // The best itself costs one call, and none of the larger ones is tried.
    expect(await saved([100, 160])).toMatchObject({ modelCalls: 1, saved: { from: 'best' } })
  })

  test('keeps the strongest of many changes that are too small for a byte', async () => {
    // Every change rounds to none: 30 pixels move by 0.1 to 0.4 bytes, and class 1 wants a weighted sum of 5.
    const weights = Array.from({ length: 30 }, (_, i) => 0.1 + i / 100)
    const asked = fakeModel(30, 2, (x) => [
      0,
      x.reduce((sum, each, i) => sum + (weights[i] ?? 0) * (255 * each - 100), -2),
    ])
    const pixels = new Float32Array(30).fill(100 / 255)
    const problem = attackProblem(asked, [{ pixels, label: 0 }])
    const enter = (bytes: readonly number[], iteration: number) => {
      const write = (_: number, into: Float32Array | Float64Array, offset = 0) =>
        into.set(
          bytes.map((each) => each / 255),
          offset,
        )
      void problem.objective.evaluate(sampleQueries(1, { key: { seed: 0, iteration }, dim: 30, write }), makeAnswers(1))
    }
    enter(new Array(30).fill(100), 1)
    enter(weights, 2)
    const picture = await savedPicture(asked, problem, { pixels, label: 0 }, all)
    // The first success is at a squared distance of 300,000 bytes, the best one at 1.9.
    expect(picture).toMatchObject({ success: true, saved: { from: 'best' } })
    expect((picture?.saved.l2sq ?? 0) * 255 * 255).toBeLessThan(12)
    expect(picture?.modelCalls).toBeLessThan(20)
  })

  test('is moved a little before it is made much larger', async () => {
    // Class 1 wants a sum of .4 bytes on the left, where every change rounds to none, and no more than 4 on the right, or 30.
    const shape = { channels: 1, height: 8, width: 8 }
    const change = Array.from({ length: 64 }, (_, i) =>
      i % 8 < 4 ? 0.02 + (i % 2 ? 0.44 : -0.44) * Math.sin((i >> 1) / 7) : 4.4,
    )
    const halves = (bytes: readonly number[]) => [0, 4].map((side) => total(bytes.filter((_, i) => (i & 4) === side)))
    const asked = fakeModel(
      64,
      2,
      (x) => {
        const [left = 0, right = 0] = halves(Array.from(x, (each) => 255 * each - 100))
        return [0, right / 32 > 30 ? 1 : left - 0.4 - 30 * Math.max(0, right / 32 - 4.45)]
      },
      { shape },
    )
    const pixels = new Float32Array(64).fill(100 / 255)
    const problem = attackProblem(asked, [{ pixels, label: 0 }])
    const bytes = change.map((each) => each / 255)
    const write = (_: number, into: Float32Array | Float64Array, offset = 0) => into.set(bytes, offset)
    void problem.objective.evaluate(sampleQueries(1, { dim: 64, write }), makeAnswers(1))
    const picture = await savedPicture(asked, problem, { pixels, label: 0 }, all)
    // The change has a squared length of 620 bytes; made larger it fools the model at 30 bytes a pixel, 29,000.
    expect(picture).toMatchObject({ success: true, saved: { from: 'best' } })
    expect((picture?.saved.l2sq ?? 0) * 255 * 255).toBeLessThan(620)
  })

  test('is another point made a little larger where the best one would have to be made much larger', async () => {
    // Class 1 where the first pixel changes by 50.4 to 50.5 bytes or by more than 120, or the second by more than 61.2.
    const asked = fakeModel(2, 2, ([x = 0, y = 0]) => {
      const [first, second] = [255 * x - 100, 255 * y - 100]
      return [0, Math.max(0.05 - Math.abs(first - 50.45), first - 120, second - 61.2)]
    })
    const pixels = Float32Array.from([100 / 255, 100 / 255])
    const problem = attackProblem(asked, [{ pixels, label: 0 }])
    for (const [iteration, change] of [
      [1, [50.45, 0]],
      [2, [0, 61.3]],
    ] as const) {
      const bytes = change.map((each) => each / 255)
      const write = (_: number, into: Float32Array | Float64Array, offset = 0) => into.set(bytes, offset)
      void problem.objective.evaluate(sampleQueries(1, { key: { seed: 0, iteration }, dim: 2, write }), makeAnswers(1))
    }
    const picture = await savedPicture(asked, problem, { pixels, label: 0 }, all)
    expect(Array.from(picture?.pixels ?? [], (each) => Math.round(255 * each))).toEqual([100, 162])
    expect(picture).toMatchObject({ success: true, saved: { from: 'final' } })
  })

  test('is the last one where that is nearer than the larger ones', async () => {
    // Class 1 from 150.4 to 150.5, and above 163.
    const asked = fakeModel(1, 2, ([x = 0]) => [0, Math.max(255 * x - 163, 0.05 - Math.abs(255 * x - 150.45))])
    const picture = await saved([100, 220, 150.45, 164], asked)
    expect(picture?.pixels[0]).toBe(Math.fround(164 / 255))
    expect(picture).toMatchObject({ success: true, saved: { predicted: 1, from: 'final' } })
  })

  test('is the best one, as a failure, where nothing holds in 8 bits: the same bytes are asked about once', async () => {
    const asked = model()
    const limited = after([100, 150.45, 150.48, 150.49], asked, [image], {
      formulation: constrained({ linf: 50.5 / 255 }),
    })
    const picture = await savedPicture(asked, limited, image, all)
    expect(picture?.pixels[0]).toBe(Math.fround(150 / 255))
    expect(picture).toMatchObject({ success: false, saved: { predicted: 0, from: 'best' } })
    expect(picture?.modelCalls).toBeLessThan(5)
  })

  test('is not made larger than what is allowed, and stays between black and white', async () => {
    const asked = threshold([255], 254.6)
    const bright = { pixels: Float32Array.from([200 / 255]), label: 0 }
    const problem = after([154.65], asked, [bright], { formulation: constrained() })
    const white = await savedPicture(asked, problem, bright, all)
    expect(white).toMatchObject({ success: true, saved: { from: 'best' } })
    expect(white?.pixels[0]).toBe(1)
  })

  test('is made larger in other pixels where some have come to their limit', async () => {
    // Class 1 where the two pixels add up to more than 132.5 bytes of change; each may change by 80.5.
    const asked = fakeModel(2, 2, ([x = 0, y = 0]) => [0, 255 * (x + y) - 332.5])
    const pixels = Float32Array.from([100 / 255, 100 / 255])
    const problem = attackProblem(asked, [{ pixels, label: 0 }], { formulation: constrained({ linf: 80.5 / 255 }) })
    const write = (_: number, into: Float32Array | Float64Array, offset = 0) =>
      into.set([80.5 / 255, 52.1 / 255], offset)
    void problem.objective.evaluate(sampleQueries(1, { dim: 2, write }), makeAnswers(1))
    const picture = await savedPicture(asked, problem, { pixels, label: 0 }, ['best'])
    // 80 and 52 are not enough; 53.14 is 53.
    expect(Array.from(picture?.pixels ?? [], (each) => Math.round(255 * each))).toEqual([180, 153])
    expect(picture).toMatchObject({ success: true, saved: { stretch: 1.02 } })
  })

  test('moves what the limit leaves no room to enlarge, up to as many pictures as may be checked', async () => {
    // 256 pixels on the border of an l2 ball, of which the change misses some that count.
    const shape = { channels: 1, height: 16, width: 16 }
    const dim = 256
    const weights = Array.from({ length: dim }, (_, i) => 1 + 0.9 * Math.sin(i / 40))
    const change = weights.map((_, i) => 2.3 + 1.1 * Math.sin(7 * i))
    const pixels = new Float32Array(dim).fill(100 / 255)
    const sum = (bytes: ArrayLike<number>) => weights.reduce((all, each, i) => all + each * (bytes[i] ?? 0), 0)
    const needed = sum(change)
    const asked = fakeModel(dim, 2, (x) => [0, sum(Array.from(x, (each) => 255 * each - 100)) - needed + 0.01], {
      shape,
    })
    const l2 = Math.sqrt(change.reduce((all, each) => all + each * each, 0)) / 255 + 1e-6
    const problem = attackProblem(asked, [{ pixels, label: 0 }], { formulation: constrained({ l2 }) })
    const write = (_: number, into: Float32Array | Float64Array, offset = 0) =>
      into.set(
        change.map((each) => each / 255),
        offset,
      )
    void problem.objective.evaluate(sampleQueries(1, { dim, write }), makeAnswers(1))
    const picture = await savedPicture(asked, problem, { pixels, label: 0 }, all)
    expect(picture?.success).toBe(true)
    expect(picture?.saved.l2).toBeLessThanOrEqual(l2 + 1e-6)
    expect(picture?.modelCalls).toBeGreaterThan(1)
    const hopeless = fakeModel(dim, 2, () => [1, 0], { shape })
    expect(await savedPicture(hopeless, problem, { pixels, label: 0 }, all)).toMatchObject({ success: false })
    expect(hopeless.calls.length).toBeLessThanOrEqual(mostChecks)
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
    const aimed = { ...image, target: 2 }
    const [near, far] = [after([100, 220], ladder, [aimed]), after([100, 170], ladder, [aimed])]
    expect(await savedPicture(ladder, near, aimed, all)).toMatchObject({ success: true, saved: { predicted: 2 } })
    expect(await savedPicture(ladder, far, aimed, ['final'], { checks: 1 })).toMatchObject({
      success: false,
      saved: { predicted: 1 },
    })
  })

  test.each([
    ['largest change of a pixel', { linf: 51.6 / 255 }],
    ['length of the change', { l2: 51.6 / 255 }],
  ])('keeps within the %s: it is rounded towards the original where the nearest byte is beyond', async (_, limits) => {
    const asked = model()
    const problem = after([100, 151.55], asked, [image], { formulation: constrained(limits) })
    const picture = await savedPicture(asked, problem, image, all)
    expect(picture?.pixels[0]).toBe(Math.fround(151 / 255))
    expect(picture).toMatchObject({ success: true, modelCalls: 1 })
    const darker = after([100, 48.45], asked, [image], { formulation: constrained(limits) })
    expect((await savedPicture(asked, darker, image, ['final']))?.pixels[0]).toBe(Math.fround(49 / 255))
  })

  test('counts as a success only with the margin that was asked for', async () => {
    const asked = model()
    const problem = (kappa: number) => after([100, 160.2], asked, [image], { kappa })
    // 160 is 9.6 beyond the boundary.
    const [near, far] = [9.5, 9.7].map((kappa) => savedPicture(asked, problem(kappa), image, ['final'], { checks: 1 }))
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
    const work = savedPicture(hanging, problem, image, all, { signal: abort.signal })
    abort.abort(new Error('enough'))
    await expect(work).rejects.toThrow('enough')
  })

  test('of several images is asked for each of them', async () => {
    const asked = model()
    const images = [image, { pixels: Float32Array.from([140 / 255]), label: 0 }]
    const problem = after([100, 120], asked, images)
    const found = []
    for (const [i, each] of images.entries())
      found.push(await savedPicture(asked, problem, each, ['final'], { image: i, checks: 1 }))
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
    return savedPicture(broken, problem, image, all)
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
    expect(picture).toMatchObject({ success: true, modelCalls: 2, saved: { from: 'best', stretch: 1.02 } })
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

describe('a model that answers wrongly while the picture is sought', () => {
  /** The picture after an honest attack, where calls with these numbers are then answered with the other class. */
  async function misled(bytes: readonly number[], wrong: (call: number) => boolean, moments = [...all]) {
    const honest = model()
    let calls = Number.NEGATIVE_INFINITY
    const lying: Model = {
      ...honest,
      predict(images, into, signal) {
        const work = honest.predict(images, into, signal)
        if (wrong(++calls)) into.set([into[1] as number, into[0] as number])
        return work
      },
    }
    const problem = after(bytes, lying)
    calls = 0
    return savedPicture(lying, problem, image, moments)
  }

  test('once, about a picture that does not fool it: the nearest one that does is kept', async () => {
    // 150.45 is 150, which does not; 1.02 times its change is 151.
    const found = await misled([100, 150.45], (call) => call === 1)
    expect(found?.pixels[0]).toBe(Math.fround(151 / 255))
    expect(found).toMatchObject({ success: true, modelCalls: 2 })
    expect(found?.confirmations).toEqual({ successes: 6, contradicted: 1, clean: 5, changed: 0 })
  })

  test('about each picture the first time: none is said to fool it, and it is not asked without end', async () => {
    const found = await misled([100, 101], (call) => call % 2 === 1, ['final'])
    expect(found).toMatchObject({ success: false, modelCalls: 3 })
    expect(found?.confirmations).toEqual({ successes: 3, contradicted: 3, clean: 0, changed: 0 })
  })

  test('from then on, as another model does: its clean image shows it', async () => {
    // The last point does not fool the first model.
    const found = await misled([100, 150.6, 120], (call) => call > 0, ['final'])
    expect(found).toMatchObject({
      success: false,
      confirmations: { successes: 1, contradicted: 1, clean: 1, changed: 1 },
    })
  })
})

test('all of the 8-bit image is classified, not what the attack made', async () => {
  const seen: number[] = []
  const asked = fakeModel(1, 2, ([x = 0]) => {
    seen.push(x)
    return [0, 255 * x - 150.4]
  })
  const problem = after([100, 160.3], asked)
  seen.length = 0
  await savedPicture(asked, problem, image, all)
  const confirmed = [160, 100, 100, 160, 160, 100, 100, 160, 160, 100]
  expect(seen).toEqual([160, ...confirmed].map((byte) => Math.fround(byte / 255)))
})
