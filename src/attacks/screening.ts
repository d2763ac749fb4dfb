// Over 250 lines because class, ties, kind of scores and canaries are all read off the same answers.
import { endsRun, messageOf, ZerothError } from '../core/errors.ts'
import type { Dataset } from '../datasets/dataset.ts'
import type { Model } from '../models/model.ts'
import { readScores } from './attack-objective.ts'

/** What is known of an image before it is attacked. */
export interface Screened {
  readonly index: number
  readonly title: string
  readonly label: number | null
  /** The class the model sees in it. */
  readonly predicted: number | null
  /** What a targeted attack aims at. */
  readonly target: number | null
  /** To be attacked, left out because it is misclassified already, or not usable. */
  readonly status: 'attacked' | 'skipped' | 'failed'
  readonly reason: string | null
  readonly modelCalls: number
  /** Calls that brought no answer, each attempt counted, and the ones of them that were made again at once; none if left out. */
  readonly failedQueries?: number | undefined
  readonly retries?: number | undefined
  /** What the model answered, of the first few: they are asked about again at the end. */
  readonly scores?: readonly number[] | undefined
  /** What its scores look like: probabilities, those of 0 and 1 alone, or left out where they are neither. */
  readonly scoresAre?: ScoresLook | undefined
  /** True where all its scores are 0 but one, which is 1: they may be a class in disguise. */
  readonly oneHot?: boolean | undefined
}

/** What the scores of an image look like. */
export type ScoresLook = 'probabilities' | 'saturated'

/** What screening is to find. */
export interface Wanted {
  /** How many images to attack; all if left out. */
  readonly count?: number | undefined
  readonly target?: number | 'next' | undefined
  readonly signal?: AbortSignal | undefined
  /** What is known of the first images already. */
  readonly screened?: readonly Screened[] | undefined
  /** Called with all that is known after each part of the screening, which waits for it. */
  readonly onScreened?: ((screened: readonly Screened[]) => void | Promise<void>) | undefined
}

/** Images per call of the model. */
const chunk = 32

/** Calls in a row that bring nothing after which a model is given up on. */
const patience = 5

/** Images that are asked about again at the end of an evaluation, at most. */
export const mostCanaries = 10

const noNumbers = 'the model answered with scores that are no numbers'

/**
 * Screens the images in their order until enough are found that the model classifies correctly. Each costs one call of the
 * model; no image is screened that is not needed.
 */
export async function screenImages(model: Model, dataset: Dataset, wanted: Wanted): Promise<Screened[]> {
  const screened = [...(wanted.screened ?? [])]
  let silent = 0
  for (;;) {
    const size = Math.min(chunk, missingImages(screened, wanted.count, dataset.count))
    if (size === 0) return screened
    wanted.signal?.throwIfAborted()
    const canaries = mostCanaries - screened.filter(({ scores }) => scores !== undefined).length
    const found = await screenChunk(model, dataset, { first: screened.length, size, canaries }, wanted)
    silent = found.every(isUnanswered) ? silent + 1 : 0
    if (silent === patience) {
      const reason = `the model does not answer: ${found[0]?.reason}`
      throw new ZerothError('query-failed', `${reason} (${patience} calls in a row)`)
    }
    screened.push(...found)
    await wanted.onScreened?.(screened)
  }
}

/** Whether the model gave no answer for an image. */
function isUnanswered({ predicted, modelCalls, reason }: Screened): boolean {
  return predicted === null && modelCalls > 0 && reason !== noNumbers
}

/** How many more images must be screened, at the least, until enough are found or there are no more. */
export function missingImages(screened: readonly Screened[], count: number | undefined, available: number): number {
  const found = screened.filter(({ status }) => status === 'attacked').length
  return Math.max(0, Math.min((count ?? available) - found, available - screened.length))
}

/** Images that are screened together. */
interface Chunk {
  readonly first: number
  readonly size: number
  /** How many of them are asked about again at the end, at most. */
  readonly canaries: number
}

async function screenChunk(
  model: Model,
  dataset: Dataset,
  { first, size, canaries }: Chunk,
  { target, signal }: Wanted,
): Promise<Screened[]> {
  const indices = Array.from({ length: size }, (_, i) => first + i)
  const read = await Promise.all(indices.map((index) => readable(model, dataset, index)))
  const usable = read.flatMap((each) => (typeof each.pixels === 'string' ? [] : [each as { pixels: Float32Array }]))
  const scores = new Float64Array(usable.length * model.classes).fill(Number.NaN)
  const retries = new Uint32Array(usable.length)
  const images = {
    rows: usable.length,
    write: (row: number, into: Float32Array | Float64Array, offset = 0) => into.set(usable[row]?.pixels ?? [], offset),
    askedAgain: (row: number) => {
      retries[row] = (retries[row] as number) + 1
    },
  }
  let trouble = noNumbers
  try {
    if (usable.length > 0) await model.predict(images, scores, signal)
  } catch (error) {
    signal?.throwIfAborted()
    if (endsRun(error)) throw error
    trouble = messageOf(error)
  }
  let row = 0
  let kept = 0
  return read.map(({ index, title, label, pixels }): Screened => {
    const about = { index, title, label, target: null, predicted: null }
    if (typeof pixels === 'string' || label === null) {
      return {
        ...about,
        status: 'failed',
        reason: typeof pixels === 'string' ? pixels : 'has no label',
        modelCalls: 0,
      }
    }
    const own = scores.subarray(row * model.classes, (row + 1) * model.classes)
    const { seen, isTied } = classSeen(own, model, label)
    const again = retries[row++] as number
    const counts = { modelCalls: 1, ...failuresOf(again + (seen < 0 ? 1 : 0), again) }
    if (seen < 0) return { ...about, status: 'failed', reason: trouble, ...counts }
    const standing = statusOf(label, { seen, isTied }, aim(target, label, model.classes), dataset.classNames)
    const scoresAre = model.scores === 'labels' ? undefined : lookOf(own)
    return {
      ...about,
      ...standing,
      predicted: seen,
      ...counts,
      ...(kept++ < canaries ? { scores: Array.from(own) } : {}),
      ...(scoresAre === undefined ? {} : { scoresAre }),
      ...(isOneHot(own) ? { oneHot: true } : {}),
    }
  })
}

/** Left out where there are none, so that what is kept of most images stays short. */
function failuresOf(failedQueries: number, retries: number): Pick<Screened, 'failedQueries' | 'retries'> {
  return failedQueries === 0 ? {} : { failedQueries, retries }
}

/**
 * The class the model sees; -1 where it gave no numbers. Where the image's own class is no higher than another, it is that
 * other one: a tie names no class, and what is correct by the luck of an argmax is not counted as correct.
 */
function classSeen(scores: Float64Array, { classes, scores: kind }: Model, label: number) {
  const seen = readScores(scores, 0, classes, kind, { label }).predicted
  const tied = scores.findIndex((score, i) => i !== label && score === scores[label])
  const isTied = seen >= 0 && tied >= 0 && scores[label] === scores[seen]
  return { seen: isTied ? tied : seen, isTied }
}

/** An image with its pixels, or with why it cannot be used. */
async function readable(model: Model, dataset: Dataset, index: number) {
  const title = titleOf(dataset, index)
  const { channels, height, width } = model.shape
  let label: number | null = null
  try {
    label = dataset.label(index) ?? null
    if (label === null) return { index, title, label, pixels: 'has no label' }
    if (!Number.isInteger(label) || label < 0 || label >= model.classes) {
      return { index, title, label, pixels: `its label must be from 0 to ${model.classes - 1}, got ${label}` }
    }
    const { pixels, shape } = await dataset.read(index)
    if (shape.channels !== channels || shape.height !== height || shape.width !== width) {
      const sizes = [shape, model.shape].map((each) => `${each.channels} x ${each.height} x ${each.width}`)
      return {
        index,
        title,
        label,
        pixels: `is ${sizes[0]}, but the model takes ${sizes[1]} (channels x height x width)`,
      }
    }
    return { index, title, label, pixels }
  } catch (error) {
    return { index, title, label, pixels: messageOf(error) }
  }
}

function titleOf(dataset: Dataset, index: number): string {
  try {
    return dataset.title(index)
  } catch {
    return String(index)
  }
}

function aim(target: number | 'next' | undefined, label: number, classes: number): number | null {
  if (target === undefined) return null
  return target === 'next' ? (label + 1) % classes : target
}

function statusOf(
  label: number,
  { seen: predicted, isTied }: { seen: number; isTied: boolean },
  target: number | null,
  names: readonly string[] | undefined,
): Pick<Screened, 'status' | 'reason' | 'target'> {
  const called = (index: number): string => {
    // Of some models only the names of some classes are known.
    const name = names?.[index] || String(index)
    return name === String(index) ? name : `${index} (${name})`
  }
  if (isTied) {
    return { status: 'skipped', reason: `its class ties with class ${called(predicted)} before any attack`, target }
  }
  if (predicted !== label) {
    return { status: 'skipped', reason: `misclassified before any attack, as class ${called(predicted)}`, target }
  }
  if (target === label) {
    return { status: 'skipped', reason: `is of the target class ${called(target)} already`, target: null }
  }
  return { status: 'attacked', reason: null, target }
}

/** What the sum of probabilities may be off by: half precision, and dummy classes that are left out. */
const sumTolerance = 0.01

/** The probability of the second most likely class below which a model is as good as certain. */
const certain = 1e-30

/** Whether scores are probabilities: none below 0 or above 1, and 1 together. */
export function lookOf(scores: Float64Array): ScoresLook | undefined {
  const sum = scores.reduce((total, each) => total + each, 0)
  const isProbability = (each: number): boolean => each >= 0 && each <= 1 + 1e-6
  if (scores.length < 2 || Math.abs(sum - 1) > sumTolerance || !scores.every(isProbability)) return undefined
  return scores.filter((each) => each > certain).length === 1 ? 'saturated' : 'probabilities'
}

/** What the scores of a model are: those of all images look like probabilities, or they are what they were said to be. */
export function scoresOf(screened: readonly Screened[], { scores }: Pick<Model, 'scores'>): Model['scores'] {
  const seen = screened.filter(({ predicted }) => predicted !== null)
  // Scores of 0 and 1 alone may mean anything.
  const areAll =
    seen.every(({ scoresAre }) => scoresAre !== undefined) &&
    seen.some(({ scoresAre }) => scoresAre === 'probabilities')
  return scores === 'logits' && areAll ? 'probabilities' : scores
}

/** Whether scores are 0 but for one, which is 1. */
function isOneHot(scores: Float64Array): boolean {
  return scores.every((each) => each === 0 || each === 1) && scores.reduce((sum, each) => sum + each, 0) === 1
}

/** Images that must agree before scores count as a class in disguise. */
const fewest = 4

/** Says so where the scores of all images are a class in disguise: methods that follow slopes would find none. */
function disguiseWarnings(seen: readonly Screened[], { scores }: Model): string[] {
  if (scores === 'labels' || seen.length < fewest || !seen.every(({ oneHot }) => oneHot === true)) return []
  const what = 'every score is 0 or 1: the model answers with a class only, and methods that follow slopes find none'
  return [`${what}; set preprocessing.scores to labels`]
}

/** What screening says about the model. */
export function screeningWarnings(screened: readonly Screened[], model: Model): string[] {
  return [...accuracyWarnings(screened, model), ...scoresWarnings(screened, model)]
}

function scoresWarnings(screened: readonly Screened[], model: Model): string[] {
  const saturated = screened.filter(({ scoresAre }) => scoresAre === 'saturated').length
  const warnings: string[] = []
  if (scoresOf(screened, model) !== model.scores) {
    const said = 'the scores of all images are probabilities, not logits: their logarithms are used'
    warnings.push(`${said} (set preprocessing.scores to probabilities to say so)`)
  }
  if (saturated > 0) {
    const said = `the probabilities of ${saturated} of ${screened.length} untouched images are 0 and 1`
    warnings.push(`${said}: small changes do not show in them, and attacks may miss; export the model with logits`)
  }
  return warnings
}

function accuracyWarnings(screened: readonly Screened[], model: Model): string[] {
  const { classes } = model
  const seen = screened.filter(({ predicted }) => predicted !== null)
  const right = seen.filter(({ predicted, label }) => predicted === label).length
  if (seen.length === 0) return ['no image could be classified: nothing was measured']
  const disguised = disguiseWarnings(seen, model)
  if (seen.length < 5 || right / seen.length > Math.max(0.3, 1.25 / classes)) return disguised
  const hint = 'check its preprocessing, the order of its classes and the labels of the images'
  return [...disguised, `the model is right about ${right} of ${seen.length} untouched images: ${hint}`]
}
