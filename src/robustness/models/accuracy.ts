import { ZerothError } from '../../optimizer/core/errors.ts'
import {
  count,
  custom,
  flag,
  functionThat,
  type Input,
  optional,
  parseOptions,
  table,
  withDefault,
} from '../../optimizer/core/options.ts'
import type { Dataset, Image } from '../images/dataset.ts'
import { checkDataset, checkModel, type Images, type Model, picturesAsImages, withClassesOf } from './model.ts'
import { completePreprocessing, type Preprocessing, type PreprocessingOption, shownShape } from './preprocessing.ts'

const accuracyOptions = table({
  /** How many images, from the first on; all of them if left out. */
  count: optional(count),
  /** Stops it. */
  signal: optional(custom<AbortSignal>((value) => value instanceof AbortSignal, 'must be an AbortSignal')),
  /** Called with the number of images done, and of all. */
  onProgress: optional(functionThat<(done: number, total: number) => void>('must be a function')),
  /** Whether to look for the mistake where the model is mostly wrong. */
  diagnose: withDefault(flag, true),
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
    await model.predict(picturesAsImages(images.map(({ pixels }) => pixels)), scores, signal)
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

/** What was found out about a model, image by image. */
export interface Measured {
  readonly labels: readonly (number | undefined)[]
  readonly predictions: Int32Array
  /** Images with a label. */
  readonly count: number
  readonly correct: number
  /** Reads some of the images again. */
  read(indices: readonly number[]): Promise<Image[]>
}

/** Below this accuracy it is worth looking for a mistake. */
const low = 0.5

/** Images on which other ways to feed the model are tried. */
const sampleSize = 32

/** Says what is probably wrong where a model is right hardly more often than chance, or often wrong. */
export async function diagnosis(model: Model, measured: Measured, signal: AbortSignal | undefined): Promise<string[]> {
  const { count, correct } = measured
  if (model.classes < 2 || count === 0) return []
  const isChance = nearChance(correct, count, model.classes)
  if (!isChance && correct >= low * count) return []
  const found = await cureFor(model, measured, signal)
  if (!isChance && found === undefined) return []
  const said = `the accuracy is ${percent(correct, count)} on ${images(count)}`
  const chance = isChance ? `, no better than chance (${percent(1, model.classes)})` : ''
  return [`${said}${chance}: ${found ?? 'check the preprocessing, the labels and the size of the images'}`]
}

/** Not above what guessing gives by three standard deviations, or less than three times as often right. */
function nearChance(correct: number, count: number, classes: number): boolean {
  const expected = count / classes
  const deviation = Math.sqrt(expected * (1 - 1 / classes))
  return correct <= expected + 3 * deviation || correct < Math.min(3 * expected, low * count)
}

async function cureFor(
  model: Model,
  { labels, predictions, read }: Measured,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const indices = spreadSample(labels, sampleSize)
  const known = labels.filter((each) => each !== undefined)
  // Where all images are of one class, a model that always names it is right.
  if (new Set(known).size < 2) return undefined
  const sample: Sample = {
    pixels: (await read(indices)).map(({ pixels }) => pixels),
    labels: indices.map((index) => labels[index] as number),
    predictions: indices.map((index) => predictions[index] as number),
    extremes: known.reduce(([least, most], each) => [Math.min(least, each), Math.max(most, each)], [Infinity, 0]),
  }
  const guess = await guessPreprocessing(model, sample, signal)
  return isConvincing(guess, sample) ? cureOf(guess, model, sample) : undefined
}

/** Clearly better on the same images than the model as it is, and than one that always names the same class. */
function isConvincing({ correct }: Guess, { labels, predictions }: Sample): boolean {
  const count = labels.length
  const now = labels.filter((label, i) => label === predictions[i]).length
  const constant = Math.max(...labels.map((label) => labels.filter((each) => each === label).length))
  const base = Math.max(now, constant)
  const share = (base + 1) / (count + 2)
  const isSignificant = correct >= share * count + 3 * Math.sqrt(count * share * (1 - share))
  return isSignificant && correct >= base + count / 4
}

function cureOf({ preprocessing, labelShift, correct }: Guess, model: Model, { labels }: Sample): string {
  const now = model.preprocessing ?? plainPreprocessing(model)
  const labelOffset = now.labelOffset + labelShift
  const changed = (['range', 'mean', 'std', 'channelOrder'] as const)
    .filter((name) => shown(now[name]) !== shown(preprocessing[name]))
    .map((name) => ({ name, value: shown(preprocessing[name]) }))
  const settings =
    labelShift === 0 || labelOffset < 0 ? changed : [...changed, { name: 'labelOffset', value: labelOffset }]
  const isFromOne = labelOffset < 0
  const what = [...settings.map(({ name, value }) => `${name} ${value}`), ...(isFromOne ? ['labels lower by one'] : [])]
  const where = [...settings.map(({ name }) => `preprocessing.${name}`), ...(isFromOne ? ['the labels'] : [])]
  const then = `it would be ${percent(correct, labels.length)} on ${images(labels.length)}`
  return `with ${what.join(', ')} ${then}; change ${where.join(', ')}`
}

function shown(value: unknown): string {
  return Array.isArray(value) ? `[${value.join(', ')}]` : String(value)
}

function images(count: number): string {
  return count === 1 ? '1 image' : `${count} images`
}

function percent(part: number, whole: number): string {
  return `${Number(((100 * part) / whole).toPrecision(3))} %`
}

/**
 * Which images to look at where not all can be: as many of each class as of any other, as far as there are so many, and
 * those spread over the whole set. Images without a label are left out.
 */
export function spreadSample(labels: readonly (number | undefined)[], size: number): number[] {
  const all = membersByClass(labels)
  const groups = spread(all, Math.min(size, all.length))
  return fairShares(
    groups.map((group) => group.length),
    size,
  )
    .flatMap((share, i) => spread(groups[i] as number[], share))
    .sort((a, b) => a - b)
}

function membersByClass(labels: readonly (number | undefined)[]): number[][] {
  const groups = new Map<number, number[]>()
  labels.forEach((label, index) => {
    if (label === undefined) return
    const group = groups.get(label) ?? []
    groups.set(label, group)
    group.push(index)
  })
  return [...groups].sort(([a], [b]) => a - b).map(([, group]) => group)
}

/** Gives each in turn one more, until all are given away or none can take more. */
function fairShares(most: readonly number[], size: number): number[] {
  const shares = most.map(() => 0)
  for (let left = size, given = -1; left > 0 && given !== 0; left -= given) {
    given = 0
    most.forEach((limit, i) => {
      if ((shares[i] as number) >= limit || given >= left) return
      shares[i] = (shares[i] as number) + 1
      given++
    })
  }
  return shares
}

function spread<T>(list: readonly T[], count: number): T[] {
  return Array.from({ length: count }, (_, i) => list[Math.floor(((i + 0.5) * list.length) / count)] as T)
}

/** Images with their classes. */
export interface Sample {
  readonly pixels: readonly Float32Array[]
  readonly labels: readonly number[]
  /** What the model says to them as it is fed now. */
  readonly predictions: readonly number[]
  /** The lowest and the highest label of all images, not only of these. */
  readonly extremes: readonly [number, number]
}

/** Another description of a network, and how many images it gets right. */
export interface Guess {
  readonly preprocessing: Preprocessing
  /** What must be added to the labels for that. */
  readonly labelShift: number
  readonly correct: number
}

/** What networks are usually fed with. */
const usual: readonly PreprocessingOption[] = [
  { range: [0, 255] },
  { range: [0, 1] },
  { range: [-1, 1] },
  { range: [1, 0] },
  { range: [255, 0] },
]
const usualForColor: readonly PreprocessingOption[] = [
  { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] },
  { range: [0, 255], mean: [103.939, 116.779, 123.68], channelOrder: 'BGR' },
]
const usualForGrey: readonly PreprocessingOption[] = [{ mean: 0.1307, std: 0.3081 }]

/** The labels counted as they are, from one more and from one less. */
const labelShifts = [0, 1, -1]

/** With this share classified correctly, only the best guess is tried in the other order of channels. */
const goodEnough = 0.9

/** Tries what networks are usually fed with, in both orders of channels, and names the best. */
async function guessPreprocessing(model: Model, sample: Sample, signal?: AbortSignal): Promise<Guess> {
  const now = model.preprocessing ?? plainPreprocessing(model)
  const shifts = labelShifts.filter((each) => each === 0 || mayShift(each, model, now, sample))
  const tryOut = async (other: Preprocessing): Promise<Guess> => {
    const scores = new Float32Array(sample.pixels.length * model.classes)
    await model.predict(imagesFedAs(sample, now, other), scores, signal)
    const predictions = sample.labels.map((_, i) => bestClass(scores, i, model.classes))
    return bestShift(other, shifts, sample.labels, predictions)
  }
  const inThisOrder = usualFor(model, now.channelOrder).filter((each) => !isSame(each, now))
  let best = bestShift(now, shifts, sample.labels, sample.predictions)
  for (const other of inThisOrder) best = better(best, await tryOut(other))
  const isClear = best.correct >= goodEnough * sample.labels.length
  const inOtherOrder = (isClear ? [best.preprocessing] : [now, ...inThisOrder]).flatMap((each) => turned(model, each))
  for (const other of inOtherOrder) best = better(best, await tryOut(other))
  return best
}

/** What networks for images with so many channels are usually fed with. */
export function usualPreprocessing(channels: number): readonly PreprocessingOption[] {
  return [...usual, ...(channels === 3 ? usualForColor : usualForGrey)]
}

function usualFor(model: Model, channelOrder: 'RGB' | 'BGR'): Preprocessing[] {
  return usualPreprocessing(model.shape.channels).map((said) => plainPreprocessing(model, { channelOrder, ...said }))
}

/** The same with the channels in the other order, where there are two. */
function turned(model: Model, { range, mean, std, channelOrder }: Preprocessing): Preprocessing[] {
  if (model.shape.channels !== 3) return []
  return [plainPreprocessing(model, { range, mean, std, channelOrder: channelOrder === 'RGB' ? 'BGR' : 'RGB' })]
}

/** What a model is fed with that says nothing about it. */
export function plainPreprocessing({ shape }: Model, said: PreprocessingOption = {}): Preprocessing {
  return completePreprocessing(said, { shape, layout: 'NCHW', type: 'float32' }, 'preprocessing')
}

/** The first, unless the second is right more often. */
function better(first: Guess, second: Guess): Guess {
  return second.correct > first.correct ? second : first
}

/** Which of the shifts of the labels makes the predictions right most often. */
function bestShift(
  preprocessing: Preprocessing,
  shifts: readonly number[],
  labels: readonly number[],
  predictions: readonly number[],
): Guess {
  const rightWith = (shift: number) => predictions.filter((each, i) => each === (labels[i] as number) + shift).length
  return shifts.map((labelShift) => ({ preprocessing, labelShift, correct: rightWith(labelShift) })).reduce(better)
}

/** Whether every label then is a class that the model has: fewer of them, with one more dummy in front. */
function mayShift(shift: number, { classes }: Model, { labelOffset }: Preprocessing, { extremes }: Sample): boolean {
  const [lowest, highest] = extremes
  const isOfLabels = labelOffset + shift < 0
  return isOfLabels ? lowest + shift >= 0 && highest + shift < classes : highest < classes - shift
}

/** Whether the network gets the same numbers, however they are written. */
function isSame(a: Preprocessing, b: Preprocessing): boolean {
  const isEqual = (x: readonly number[], y: readonly number[]) => x.every((each, i) => each === y[i])
  return a.channelOrder === b.channelOrder && isEqual(a.factor, b.factor) && isEqual(a.shift, b.shift)
}

/** Images changed so that a network which is fed in one way gets what it would get in the other. */
export function imagesFedAs({ pixels }: Pick<Sample, 'pixels'>, current: Preprocessing, other: Preprocessing): Images {
  const { channels, height, width } = current.shape
  const plane = height * width
  const isSwapped = current.channelOrder !== other.channelOrder
  return {
    rows: pixels.length,
    write(row, into, offset = 0) {
      const image = pixels[row] as Float32Array
      for (let channel = 0; channel < channels; channel++) {
        const source = isSwapped ? channels - 1 - channel : channel
        const factor = (other.factor[source] as number) / (current.factor[channel] as number)
        const shift =
          ((other.shift[source] as number) - (current.shift[channel] as number)) / (current.factor[channel] as number)
        for (let i = 0; i < plane; i++) {
          into[offset + channel * plane + i] = (image[source * plane + i] as number) * factor + shift
        }
      }
    },
  }
}

/** The class with the highest score of an image. */
function bestClass(scores: ArrayLike<number>, row: number, classes: number): number {
  let best = 0
  for (let i = 1; i < classes; i++) {
    if ((scores[row * classes + i] as number) > (scores[row * classes + best] as number)) best = i
  }
  return best
}
