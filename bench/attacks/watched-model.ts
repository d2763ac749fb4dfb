import type { Images, Model } from '../../src/robustness/models/index.ts'
import { imagesOf } from './network.ts'
import type { Tracker } from './tracker.ts'

/** A model whose every row is shown to a tracker, where there is one at the moment, in the order in which it was asked. */
export function watched(model: Model, tracker: () => Tracker | undefined): Model {
  return {
    ...model,
    async predict(images, into, signal) {
      const pixels = pixelsOf(images, model)
      await model.predict(imagesOf(pixels, images.rows), into, signal)
      tracker()?.record(pixels, into.subarray(0, images.rows * model.classes), images.rows)
    },
    close: () => model.close(),
  }
}

function pixelsOf(images: Images, { shape }: Model): Float32Array {
  const dim = shape.channels * shape.height * shape.width
  const pixels = new Float32Array(images.rows * dim)
  for (let row = 0; row < images.rows; row++) images.write(row, pixels, row * dim)
  return pixels
}

/** A model that answers with a class and no scores: 1 for the class it sees, 0 for all others. */
export function labelsOnly(model: Model): Model {
  return {
    ...model,
    scores: 'labels' as Model['scores'],
    async predict(images, into, signal) {
      await model.predict(images, into, signal)
      for (let row = 0; row < images.rows; row++) keepHighest(into, row * model.classes, model.classes)
    },
    close: () => model.close(),
  }
}

function keepHighest(scores: Float32Array | Float64Array, from: number, classes: number): void {
  let highest = from
  for (let j = from; j < from + classes; j++) if ((scores[j] as number) > (scores[highest] as number)) highest = j
  scores.fill(0, from, from + classes)
  scores[highest] = 1
}
