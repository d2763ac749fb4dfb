import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ZerothError } from '../../src/optimizer/core/errors.ts'
import type { ImageShape } from '../../src/optimizer/core/types.ts'
import type { Images, Model } from '../../src/robustness/models/model.ts'

/** A model to be tried, with everything it needs to run. */
export interface ModelHost {
  open(): Promise<Model>
  readonly shape: ImageShape
  readonly classes: number
  /** How far scores may be from those of another batch; 0 where they must be the same to the bit. */
  readonly tolerance: number
  /** What the scores must be, where that can be said. */
  readonly reference?: ((pixels: Float64Array) => number[]) | undefined
  /** A model of the same kind whose network fails, and what its error must name; none where nothing can fail. */
  readonly failing?: { open(): Promise<Model>; readonly names: string } | undefined
  close?(): Promise<void>
}

/** Rows at once; none of them a multiple of another but 1. */
const counts = [1, 2, 3, 7, 33]

/** What every model must do, with scores in both precisions. */
export function modelConforms(start: () => Promise<ModelHost>): void {
  let host: ModelHost
  let model: Model
  beforeAll(async () => {
    host = await start()
    model = await host.open()
  })
  afterAll(async () => {
    await model.close()
    await host.close?.()
  })

  test('says what it takes and gives', () => {
    expect(model.shape).toEqual(host.shape)
    expect(model.classes).toBe(host.classes)
    expect(['logits', 'probabilities']).toContain(model.scores)
    expect(model.bounds).toEqual({ lower: 0, upper: 1 })
    expect(model.batch).toBeGreaterThanOrEqual(1)
    expect(model.runtime).not.toBe('')
    expect(model.warnings).toEqual([])
  })

  describe.each([Float64Array, Float32Array])('with scores in a %o', (Scores) => {
    const predict = async (images: Images, signal?: AbortSignal) => {
      const scores = new Scores(images.rows * model.classes)
      await model.predict(images, scores, signal)
      return scores
    }

    test('gives the scores of each image', async () => {
      const images = randomImages(host.shape, 5)
      const scores = await predict(images)
      expect(scores.every(Number.isFinite)).toBe(true)
      if (host.reference === undefined) return
      const expected = Array.from({ length: 5 }, (_, row) => host.reference?.(pixelsOf(images, row, host.shape)) ?? [])
      expectNear(scores, expected.flat(), Scores === Float32Array ? 1e-5 : host.tolerance)
    })

    test.each(counts)('gives the same scores for %i images at once as for one after the other', async (count) => {
      const images = randomImages(host.shape, count)
      const together = await predict(images)
      for (let row = 0; row < count; row++) {
        const alone = await predict(someImages(images, [row]))
        expectNear(together.subarray(row * host.classes, (row + 1) * host.classes), Array.from(alone), host.tolerance)
      }
    })

    test('gives each image its scores, whatever the order', async () => {
      const images = randomImages(host.shape, 7)
      const order = [3, 6, 0, 5, 1, 4, 2]
      const [straight, mixed] = [await predict(images), await predict(someImages(images, order))]
      const expected = order.flatMap((row) =>
        Array.from(straight.subarray(row * host.classes, (row + 1) * host.classes)),
      )
      expectNear(mixed, expected, host.tolerance)
    })

    test('gives the same scores again', async () => {
      const images = randomImages(host.shape, 3)
      expect(await predict(images)).toEqual(await predict(images))
    })

    test('keeps calls apart that are under way at once', async () => {
      const images = [1, 3, 7].map((count) => randomImages(host.shape, count, count))
      const alone: (Float32Array | Float64Array)[] = []
      for (const each of images) alone.push(await predict(each))
      const together = await Promise.all(images.map((each) => predict(each)))
      together.forEach((scores, i) => {
        expectNear(scores, Array.from(alone[i] ?? []), host.tolerance)
      })
    })

    test('writes nothing where no image is, and leaves the rest of the room alone', async () => {
      const room = new Scores(3 * host.classes).fill(7)
      await model.predict(randomImages(host.shape, 0), room)
      expect(room.every((each) => each === 7)).toBe(true)
      await model.predict(randomImages(host.shape, 2), room)
      expect(room.subarray(2 * host.classes).every((each) => each === 7)).toBe(true)
    })

    test('refuses room that is too small', async () => {
      const images = randomImages(host.shape, 2)
      await expect(asPromise(() => model.predict(images, new Scores(2 * host.classes - 1)))).rejects.toThrow(
        `predict needs room for ${2 * host.classes} scores`,
      )
    })
  })

  test('rejects with the reason of a signal that fired before, and asks for no image', async () => {
    const reason = new Error('enough')
    const images = { rows: 1, write: () => expect.unreachable() }
    const work = asPromise(() => model.predict(images, new Float64Array(host.classes), AbortSignal.abort(reason)))
    await expect(work).rejects.toBe(reason)
  })

  test('stops soon after a signal fires, and works on afterwards', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const images = randomImages(host.shape, 400)
    let written = 0
    const counted: Images = {
      rows: 400,
      write(row, into, offset) {
        if (++written === 3) controller.abort(reason)
        images.write(row, into, offset)
      },
    }
    const work = asPromise(() => model.predict(counted, new Float64Array(400 * host.classes), controller.signal))
    await expect(work).rejects.toBe(reason)
    expect(written).toBeLessThan(400)
    await model.predict(randomImages(host.shape, 1), new Float64Array(host.classes))
  })

  test('rejects with what went wrong while an image was written, and works on afterwards', async () => {
    const error = new Error('no such image')
    const images: Images = {
      rows: 2,
      write() {
        throw error
      },
    }
    await expect(asPromise(() => model.predict(images, new Float64Array(2 * host.classes)))).rejects.toBe(error)
    await model.predict(randomImages(host.shape, 1), new Float64Array(host.classes))
  })

  test('says in one line what failed, by name', async () => {
    if (host.failing === undefined) return
    const broken = await host.failing.open()
    try {
      const images = randomImages(broken.shape, 2)
      const work = asPromise(() => broken.predict(images, new Float64Array(2 * broken.classes)))
      const error = await work.then(
        () => expect.unreachable('it did not fail'),
        (problem: unknown) => problem as ZerothError,
      )
      expect(error).toBeInstanceOf(ZerothError)
      expect(error.code).toBe('query-failed')
      expect(error.message).toContain(host.failing.names)
      expect(error.message).not.toContain('\n')
    } finally {
      await broken.close()
    }
  })

  test('may be opened twice and closed twice', async () => {
    const second = await host.open()
    await second.close()
    await second.close()
    await model.predict(randomImages(host.shape, 1), new Float64Array(host.classes))
  })
}

/** Images of pixels as good as random from 0 to 1. */
function randomImages({ channels, height, width }: ImageShape, rows: number, seed = 5): Images {
  const dim = channels * height * width
  return {
    rows,
    write(row, into, offset = 0) {
      for (let i = 0; i < dim; i++) {
        const word = Math.imul(i + dim * row + 7919 * seed, 2654435761) >>> 0
        into[offset + i] = ((word ^ (word >>> 15)) >>> 0) / 4294967296
      }
    },
  }
}

function someImages(images: Images, rows: readonly number[]): Images {
  return { rows: rows.length, write: (row, into, offset) => images.write(rows[row] as number, into, offset) }
}

function pixelsOf(images: Images, row: number, { channels, height, width }: ImageShape): Float64Array {
  const pixels = new Float64Array(channels * height * width)
  images.write(row, pixels)
  return pixels
}

function expectNear(found: ArrayLike<number>, expected: readonly number[], tolerance: number): void {
  expect(found.length).toBe(expected.length)
  const worst = expected.reduce((most, each, i) => Math.max(most, Math.abs(each - (found[i] as number))), 0)
  expect(worst).toBeLessThanOrEqual(tolerance)
}

/** A throw becomes a rejection: models need not be asynchronous. */
async function asPromise(work: () => void | Promise<void>): Promise<void> {
  await work()
}
