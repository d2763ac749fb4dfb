import { ZerothError } from '../core/errors.ts'
import type { Input } from '../core/option-type.ts'
import { count, flag, optional, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { functionThat, tested } from '../core/schema.ts'
import type { Dataset, Image } from '../datasets/dataset.ts'
import { diagnosis } from './accuracy-diagnosis.ts'
import { bestClass } from './guess-preprocessing.ts'
import { checkDataset, checkModel, type Model } from './model.ts'
import { withClassesOf } from './model-classes.ts'
import { shownShape } from './preprocessing.ts'

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
  given: Model,
  dataset: Dataset,
  options: AccuracyOptions = {},
): Promise<Accuracy> {
  checkModel(given, 'measureAccuracy')
  checkDataset(dataset, 'measureAccuracy')
  const model = withClassesOf(given, dataset)
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

/** Looks at what goes into a model and what comes out, and says what is odd about it. */
interface SanityChecks {
  image(title: string, pixels: Float32Array): void
  label(title: string, label: number | undefined): void
  scores(title: string, scores: Float32Array): void
  warnings(): string[]
}

/** How far a sum of probabilities may be from 1: networks compute in single precision, or in half. */
const sumTolerance = 0.01

/** The checks for one model. */
function sanityChecks({ bounds, classes, scores: kind }: Model): SanityChecks {
  const first: { outside?: string; label?: string; sum?: string } = {}
  let images = 0
  let constant = 0
  let scored = 0
  let alikeProbabilities = 0

  return {
    image(title, pixels) {
      const { low, high } = extremes(pixels)
      images++
      if (low === high) constant++
      if (low >= bounds.lower && high <= bounds.upper) return
      first.outside ??= `${title} has pixels from ${low} to ${high}, outside of the model's ${bounds.lower} to ${bounds.upper}: bytes must be divided by 255`
    },
    label(title, label) {
      if (label === undefined || label < classes) return
      first.label ??= `${title} has the label ${label}, but the model has ${classes} classes, counted from 0`
    },
    scores(title, row) {
      const sum = row.reduce((total, each) => total + each, 0)
      const isAlike = Math.abs(sum - 1) < sumTolerance && row.every((each) => each >= 0 && each <= 1)
      scored++
      if (isAlike) alikeProbabilities++
      else first.sum ??= `the scores of ${title} sum to ${sum.toPrecision(3)}`
    },
    warnings() {
      const warnings = [first.outside, first.label].filter((each) => each !== undefined)
      if (images > 1 && constant === images)
        warnings.push('all images are of one color: they were probably not read well')
      if (kind === 'probabilities' && first.sum !== undefined) {
        warnings.push(`${first.sum}, so they are no probabilities: set preprocessing.scores to logits`)
      }
      // A single score of 1 for two images may well be chance.
      if (kind === 'logits' && classes > 1 && scored > 1 && alikeProbabilities === scored) {
        warnings.push('all scores lie between 0 and 1 and sum to 1: set preprocessing.scores to probabilities')
      }
      return warnings
    },
  }
}

function extremes(pixels: Float32Array): { low: number; high: number } {
  let low = Infinity
  let high = -Infinity
  for (const pixel of pixels) {
    if (pixel < low) low = pixel
    if (pixel > high) high = pixel
  }
  return { low, high }
}
