import { messageOf, ZerothError } from '../optimizer/core/errors.ts'
import type { Vector } from '../optimizer/core/types.ts'
import { readScores } from './attack-objective.ts'
import { askAlone, sightingOf } from './confirmation.ts'
import { className } from './images/class-names.ts'
import type { Dataset } from './images/dataset.ts'
import { askModel, type Model, newTally, picturesAsImages } from './models/model.ts'
import type { Sighting } from './records.ts'

/** What is known of an image before it is attacked. */
export interface ScreenedImage {
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
  /** Of one to attack: the scores of its class and of the highest other one, to see later whether the model is the same. */
  readonly seen?: Sighting | undefined
  /** What its scores look like: probabilities, those of 0 and 1 alone, or left out where they are neither. */
  readonly scoresAre?: ScoresKind | undefined
  /** True where all its scores are 0 but one, which is 1: they may be a class in disguise. */
  readonly oneHot?: boolean | undefined
}

/** What the scores of an image look like. */
export type ScoresKind = 'probabilities' | 'saturated'

/** What screening is to find. */
export interface Wanted {
  /** How many images to attack; all if left out. */
  readonly count?: number | undefined
  readonly target?: number | 'next' | undefined
  readonly signal?: AbortSignal | undefined
  /** What is known of the first images already. */
  readonly screened?: readonly ScreenedImage[] | undefined
  /** Called with all that is known after each part of the screening, which waits for it. */
  readonly onScreened?: ((screened: readonly ScreenedImage[]) => void | Promise<void>) | undefined
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
 * model, one that seems to be misclassified a second one; no image is screened that is not needed.
 */
export async function screenImages(model: Model, dataset: Dataset, wanted: Wanted): Promise<ScreenedImage[]> {
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
function isUnanswered({ predicted, modelCalls, reason }: ScreenedImage): boolean {
  return predicted === null && modelCalls > 0 && reason !== noNumbers
}

/** How many more images must be screened, at the least, until enough are found, there are no more, or it is hopeless. */
export function missingImages(
  screened: readonly ScreenedImage[],
  count: number | undefined,
  available: number,
): number {
  if (count !== undefined && isHopeless(screened)) return 0
  const found = screened.filter(({ status }) => status === 'attacked').length
  return Math.max(0, Math.min((count ?? available) - found, available - screened.length))
}

/** The images after which screening may be given up, and how many of them must be classified correctly to go on. */
const trial = { images: 100, correct: 5 }

/** Whether the model is wrong about nearly all of the first images, or they cannot be used: more of them would tell no more. */
export function isHopeless(screened: readonly ScreenedImage[]): boolean {
  return screened.length >= trial.images && correctOf(screened.slice(0, trial.images)) < trial.correct
}

function correctOf(screened: readonly ScreenedImage[]): number {
  return screened.filter(({ predicted, label }) => predicted !== null && predicted === label).length
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
): Promise<ScreenedImage[]> {
  const indices = Array.from({ length: size }, (_, i) => first + i)
  const read = await Promise.all(indices.map((index) => readable(model, dataset, index)))
  const usable = read.flatMap(({ pixels }) => (typeof pixels === 'string' ? [] : [pixels]))
  const { scores, retries, failure } = await askModel(model, picturesAsImages(usable), { signal })
  const trouble = failure === undefined ? noNumbers : messageOf(failure.reason)
  const answer = (row: number): Float64Array => scores.subarray(row * model.classes, (row + 1) * model.classes)
  const labels = read.flatMap(({ label, pixels }) => (typeof pixels === 'string' ? [] : [label ?? 0]))
  const doubted = await askAgain(model, { usable, labels, answer }, signal)
  let row = 0
  let kept = 0
  return read.map(({ index, title, label, pixels }): ScreenedImage => {
    const about = { index, title, label, target: null, predicted: null }
    if (typeof pixels === 'string' || label === null) {
      return {
        ...about,
        status: 'failed',
        reason: typeof pixels === 'string' ? pixels : 'has no label',
        modelCalls: 0,
      }
    }
    const own = answer(row)
    const { seen, isTied } = classSeen(own, model, label)
    const doubt = doubted.get(row)
    const again = (retries[row++] as number) + (doubt?.retries ?? 0)
    const unanswered = again + (seen < 0 ? 1 : 0) + (doubt?.seen === -1 ? 1 : 0)
    const counts = { modelCalls: doubt === undefined ? 1 : 2, ...failuresOf(unanswered, again) }
    if (seen < 0) return { ...about, status: 'failed', reason: trouble, ...counts }
    if (doubt !== undefined && doubt.seen !== seen) {
      const then = doubt.seen < 0 ? 'gave no answer' : `saw class ${doubt.seen}`
      return {
        ...about,
        status: 'failed',
        reason: `the model saw class ${seen}, and ${then} when asked again`,
        ...counts,
      }
    }
    const status = statusOf(label, { seen, isTied }, aim(target, label, model.classes), dataset.classNames)
    const scoresAre = model.scores === 'labels' ? undefined : lookOf(own)
    return {
      ...about,
      ...status,
      predicted: seen,
      ...counts,
      ...(kept++ < canaries ? { scores: Array.from(own) } : {}),
      ...(status.status === 'attacked' ? { seen: sightingOf(own, label) } : {}),
      ...(scoresAre === undefined ? {} : { scoresAre }),
      ...(isOneHot(own) ? { oneHot: true } : {}),
    }
  })
}

/** Images with pixels, their labels and what the model answered. */
interface Answered {
  readonly usable: readonly Float32Array[]
  readonly labels: readonly number[]
  readonly answer: (row: number) => Float64Array
}

/** Asks about images that seem to be misclassified again, each in a request of its own: one wrong answer is not to count. */
async function askAgain(model: Model, { usable, labels, answer }: Answered, signal: AbortSignal | undefined) {
  const found = labels.map(async (label, row) => {
    const { seen } = classSeen(answer(row), model, label)
    if (seen < 0 || seen === label) return []
    const tally = newTally()
    const write = (into: Vector, at?: number): void => into.set(usable[row] as Float32Array, at)
    const { scores } = await askAlone(model, write, { signal, tally })
    return [[row, { seen: classSeen(scores, model, label).seen, retries: tally.retries }] as const]
  })
  return new Map((await Promise.all(found)).flat())
}

/** Left out where there are none, so that what is kept of most images stays short. */
function failuresOf(failedQueries: number, retries: number): Pick<ScreenedImage, 'failedQueries' | 'retries'> {
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
): Pick<ScreenedImage, 'status' | 'reason' | 'target'> {
  const called = (index: number): string => {
    // Of some models only the names of some classes are known.
    const name = names?.[index] || String(index)
    return name === String(index) ? `class ${name}` : `${name} (class ${index})`
  }
  if (isTied) {
    return { status: 'skipped', reason: `its class ties with ${called(predicted)} before any attack`, target }
  }
  if (predicted !== label) {
    return { status: 'skipped', reason: `already misclassified as ${called(predicted)}`, target }
  }
  if (target === label) {
    return { status: 'skipped', reason: `is already of the target, ${called(target)}`, target: null }
  }
  return { status: 'attacked', reason: null, target }
}

/**
 * What the sum of probabilities may be off by: half precision, and dummy classes that are left out. Of few images it must be
 * closer: the logits of a single one may lie between 0 and 1 and come near to 1 by chance.
 */
const sumTolerance = { many: 0.01, few: 1e-4 }

/** The probability of the second most likely class below which a model is as good as certain. */
const certain = 1e-30

/** Whether scores are probabilities: none below 0 or above 1, and 1 together. */
export function lookOf(scores: Float64Array): ScoresKind | undefined {
  const sum = scores.reduce((total, each) => total + each, 0)
  const isProbability = (each: number): boolean => each >= 0 && each <= 1 + 1e-6
  if (scores.length < 2 || Math.abs(sum - 1) > sumTolerance.many || !scores.every(isProbability)) return undefined
  return scores.filter((each) => each > certain).length === 1 ? 'saturated' : 'probabilities'
}

/** What the scores of a model are: those of all images look like probabilities, or they are what they were said to be. */
export function scoresOf(screened: readonly ScreenedImage[], { scores }: Pick<Model, 'scores'>): Model['scores'] {
  const seen = screened.filter(({ predicted }) => predicted !== null)
  // Scores of 0 and 1 alone may mean anything.
  const areAll =
    seen.every(({ scoresAre }) => scoresAre !== undefined) &&
    seen.some(({ scoresAre }) => scoresAre === 'probabilities') &&
    (seen.length >= fewest || seen.every(isSure))
  return scores === 'logits' && areAll ? 'probabilities' : scores
}

/** Whether scores that look like probabilities cannot do so by chance. */
function isSure({ scores }: ScreenedImage): boolean {
  const sum = (scores ?? []).reduce((total, each) => total + each, 0)
  return scores === undefined || Math.abs(sum - 1) <= sumTolerance.few
}

/** Whether scores are 0 but for one, which is 1. */
function isOneHot(scores: Float64Array): boolean {
  return scores.every((each) => each === 0 || each === 1) && scores.reduce((sum, each) => sum + each, 0) === 1
}

/** Images that must agree before what their scores look like is taken for what they are. */
const fewest = 4

/** Says so where the scores of all images are a class in disguise: methods that follow slopes would find none. */
function disguiseWarnings(seen: readonly ScreenedImage[], { scores }: Model): string[] {
  if (scores === 'labels' || seen.length < fewest || !seen.every(({ oneHot }) => oneHot === true)) return []
  const what = 'every score is 0 or 1: the model answers with a class only, and methods that follow slopes find none'
  return [`${what}; set preprocessing.scores to labels`]
}

/** What screening says about the model. */
export function screeningWarnings(screened: readonly ScreenedImage[], model: Model, dataset: Dataset): string[] {
  return [...accuracyWarnings(screened, model), ...mixWarnings(screened, dataset), ...scoresWarnings(screened, model)]
}

/** A table or a file may hold its images class by class: then the first ones say nothing about the other classes. */
function mixWarnings(screened: readonly ScreenedImage[], dataset: Dataset): string[] {
  const labels = new Set(screened.flatMap(({ label }) => label ?? []))
  const [only] = labels
  if (only === undefined || labels.size > 1 || screened.length === 1 || screened.length === dataset.count) return []
  const rest = Array.from({ length: dataset.count - screened.length }, (_, i) => screened.length + i)
  if (!rest.some((index) => (dataset.label(index) ?? only) !== only)) return []
  const name = className(only, dataset.classNames)
  const what = `all ${screened.length} images are of class ${name === undefined ? only : `${only} (${name})`}`
  return [`${what}, and the data set has others: shuffle its order, or raise count`]
}

function scoresWarnings(screened: readonly ScreenedImage[], model: Model): string[] {
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

function accuracyWarnings(screened: readonly ScreenedImage[], model: Model): string[] {
  const { classes } = model
  const seen = screened.filter(({ predicted }) => predicted !== null)
  const right = correctOf(seen)
  if (seen.length === 0) return ['no image could be classified: nothing was measured']
  const disguised = disguiseWarnings(seen, model)
  if (seen.length < 5 || right / seen.length > Math.max(0.3, 1.25 / classes)) return disguised
  const hint = 'check its preprocessing, the order of its classes and the labels of the images'
  return [...disguised, `the model classifies only ${right} of ${seen.length} clean images correctly: ${hint}`]
}
