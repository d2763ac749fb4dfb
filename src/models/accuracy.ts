import { ZerothError } from '../core/errors.ts'
import type { Input } from '../core/option-type.ts'
import { count, flag, optional, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { functionThat, tested } from '../core/schema.ts'
import type { Dataset, Image } from '../datasets/dataset.ts'
import { diagnosis } from './accuracy-diagnosis.ts'
import { checkDataset, checkModel } from './check-given.ts'
import { bestClass } from './guess-preprocessing.ts'
import type { Model } from './model.ts'
import { shownShape } from './network-input.ts'
import { sanityChecks } from './sanity-checks.ts'

const accuracyOptions = table({
  count: optional(count('how many images, from the first on; all of them if left out')),
  signal: optional(
    tested<AbortSignal>((value) => value instanceof AbortSignal, 'must be an AbortSignal'),
    'stops it',
  ),
  onProgress: optional(
    functionThat<(done: number, total: number) => void>('must be a function'),
    'called with the number of images done, and of all',
  ),
  diagnose: flag('whether to look for the mistake where the model is mostly wrong', true),
})

/** How accuracy is measured. */
export type AccuracyOptions = Readonly<Input<typeof accuracyOptions>>

/** How often a classifier is right. */
export interface Accuracy {
  /** The share of labelled images whose class has the highest score; NaN where none is labelled. */
  readonly accuracy: number
  readonly correct: number
  /** Images with a label. */
  readonly count: number
  /** The class with the highest score, for every image. */
  readonly predictions: Int32Array
  /** What is probably wrong. */
  readonly warnings: readonly string[]
}

/** Images in memory at a time. */
const chunk = 64

/**
 * Measures how often a model is right, and says what is probably wrong where it hardly is: other ranges of pixels,
 * other orders of channels and other labels are then tried on a few of the images.
 */
export async function measureAccuracy(
  model: Model,
  dataset: Dataset,
  options: AccuracyOptions = {},
): Promise<Accuracy> {
  checkModel(model, 'measureAccuracy')
  checkDataset(dataset, 'measureAccuracy')
  const {
    count: wanted = dataset.count,
    signal,
    onProgress,
    diagnose,
  } = parseOptions('measureAccuracy', accuracyOptions, options)
  const total = Math.min(wanted, dataset.count)
  const labels = Array.from({ length: total }, (_, index) => dataset.label(index))
  const predictions = new Int32Array(total)
  const checks = sanityChecks(model)
  const read = (indices: readonly number[]) => readImages(model, dataset, indices)
  for (let first = 0; first < total; first += chunk) {
    signal?.throwIfAborted()
    const images = await read(Array.from({ length: Math.min(chunk, total - first) }, (_, i) => first + i))
    const scores = new Float32Array(images.length * model.classes)
    await model.predict(asRows(images), scores, signal)
    images.forEach(({ pixels }, i) => {
      const index = first + i
      predictions[index] = bestClass(scores, i, model.classes)
      checks.image(dataset.title(index), pixels)
      checks.label(dataset.title(index), labels[index])
      checks.scores(dataset.title(index), scores.subarray(i * model.classes, (i + 1) * model.classes))
    })
    onProgress?.(first + images.length, total)
  }
  const count = labels.filter((each) => each !== undefined).length
  const correct = labels.filter((each, index) => each === predictions[index]).length
  const diagnosed = diagnose ? await diagnosis(model, { labels, predictions, count, correct, read }, signal) : []
  const warnings = [...model.warnings, ...classWarnings(model, dataset), ...checks.warnings(), ...diagnosed]
  return { accuracy: correct / count, correct, count, predictions, warnings }
}

function classWarnings({ classes }: Model, { classNames }: Dataset): string[] {
  if (classNames === undefined || classNames.length === classes) return []
  const numbers = `the data set has ${classNames.length} classes and the model ${classes}`
  return [`${numbers}: a label may not mean the same to both`]
}

async function readImages(model: Model, dataset: Dataset, indices: readonly number[]): Promise<Image[]> {
  const images = await Promise.all(indices.map((index) => dataset.read(index)))
  images.forEach(({ shape }, i) => {
    const [given, wanted] = [shownShape(shape), shownShape(model.shape)]
    if (given === wanted) return
    const title = dataset.title(indices[i] as number)
    throw new ZerothError('invalid-data', `${title} of ${dataset.name} is ${given}, but the model takes ${wanted}`)
  })
  return images
}

function asRows(images: readonly Image[]) {
  return {
    rows: images.length,
    write: (row: number, into: Float32Array | Float64Array, offset = 0) =>
      into.set((images[row] as Image).pixels, offset),
  }
}
