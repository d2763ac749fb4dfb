import type { Model } from '../../src/robustness/models/model.ts'

/** A model that counts what it is asked. */
export interface FakeModel extends Model {
  /** How many images each call was about. */
  readonly calls: number[]
}

/** A model of images in one row of pixels, whose scores are a function of them. */
export function fakeModel(
  pixels: number,
  classes: number,
  scoresOf: (pixels: Float64Array, row: number) => ArrayLike<number>,
  changes: Partial<Model> = {},
): FakeModel {
  const calls: number[] = []
  return {
    shape: { channels: 1, height: 1, width: pixels },
    classes,
    scores: 'logits',
    bounds: { lower: 0, upper: 1 },
    batch: 4,
    runtime: 'test',
    warnings: [],
    calls,
    predict(images, into, signal) {
      signal?.throwIfAborted()
      calls.push(images.rows)
      for (let row = 0; row < images.rows; row++) {
        const picture = new Float64Array(pixels)
        images.write(row, picture)
        into.set(Array.from(scoresOf(picture, row)), row * classes)
      }
    },
    close: () => undefined,
    ...changes,
  }
}

/** The same model behind a wait. */
export function delayed(model: Model): Model {
  return {
    ...model,
    async predict(images, into, signal) {
      await null
      await model.predict(images, into, signal)
    },
  }
}

/** Two classes that a sum of weighted pixels tells apart: class 1 where it is above the threshold. */
export function threshold(weights: readonly number[], limit: number, changes: Partial<Model> = {}): FakeModel {
  const sum = (x: Float64Array) => weights.reduce((total, weight, i) => total + weight * (x[i] as number), 0)
  return fakeModel(weights.length, 2, (x) => [0, sum(x) - limit], changes)
}
