import { ZerothError } from '../core/errors.ts'
import type { Dataset, Image } from '../datasets/dataset.ts'
import { diagnosis, type Tally } from './accuracy-diagnosis.ts'
import { bestClass } from './guess-preprocessing.ts'
import type { Model } from './model.ts'
import { shownShape } from './network-input.ts'
import { sanityChecks } from './sanity-checks.ts'

/** How accuracy is measured. */
export interface AccuracyOptions {
  /** How many images, from the first on; all of them if left out. */
  readonly count?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  /** False where nothing else is to be asked when the model is mostly wrong. */
  readonly diagnose?: boolean | undefined
}

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

/** Images on which other ways to feed the model are tried. */
const sampleSize = 32

/**
 * Measures how often a model is right, and says what is probably wrong where it hardly is: other ranges of pixels,
 * other orders of channels and other labels are then tried on a few of the images.
 */
export async function measureAccuracy(
  model: Model,
  dataset: Dataset,
  options: AccuracyOptions = {},
): Promise<Accuracy> {
  const { signal, onProgress, diagnose = true } = options
  const total = Math.min(options.count ?? dataset.count, dataset.count)
  const predictions = new Int32Array(total)
  const checks = sanityChecks(model)
  const tally: Tally = { count: 0, correct: 0, sample: { pixels: [], labels: [] } }
  for (let first = 0; first < total; first += chunk) {
    signal?.throwIfAborted()
    const images = await readImages(model, dataset, first, Math.min(first + chunk, total))
    const scores = new Float32Array(images.length * model.classes)
    await model.predict(asRows(images), scores, signal)
    images.forEach(({ pixels }, i) => {
      const index = first + i
      const label = dataset.label(index)
      const predicted = bestClass(scores, i, model.classes)
      predictions[index] = predicted
      checks.image(dataset.title(index), pixels)
      checks.label(dataset.title(index), label)
      checks.scores(dataset.title(index), scores.subarray(i * model.classes, (i + 1) * model.classes))
      count(tally, pixels, label, predicted)
    })
    onProgress?.(first + images.length, total)
  }
  const diagnosed = diagnose && tally.count > 0 ? await diagnosis(model, tally, signal) : []
  return {
    accuracy: tally.correct / tally.count,
    correct: tally.correct,
    count: tally.count,
    predictions,
    warnings: [...model.warnings, ...classWarnings(model, dataset), ...checks.warnings(), ...diagnosed],
  }
}

function count(tally: Tally, pixels: Float32Array, label: number | undefined, predicted: number): void {
  if (label === undefined) return
  tally.count++
  if (label === predicted) tally.correct++
  if (tally.sample.labels.length >= sampleSize) return
  tally.sample.pixels.push(pixels)
  tally.sample.labels.push(label)
}

function classWarnings({ classes }: Model, { classNames }: Dataset): string[] {
  if (classNames === undefined || classNames.length === classes) return []
  const numbers = `the data set has ${classNames.length} classes and the model ${classes}`
  return [`${numbers}: a label may not mean the same to both`]
}

async function readImages(model: Model, dataset: Dataset, first: number, end: number): Promise<Image[]> {
  const indices = Array.from({ length: end - first }, (_, i) => first + i)
  const images = await Promise.all(indices.map((index) => dataset.read(index)))
  images.forEach(({ shape }, i) => {
    const [given, wanted] = [shownShape(shape), shownShape(model.shape)]
    if (given === wanted) return
    const title = dataset.title(first + i)
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
