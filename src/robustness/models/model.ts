import { originalRow, recordFailure, recordValue } from '../../optimizer/core/answers.ts'
import { isFatal, show, ZerothError } from '../../optimizer/core/errors.ts'
import type { Answers, ImageShape, Objective, Queries, Vector } from '../../optimizer/core/types.ts'
import type { Dataset } from '../images/dataset.ts'
import type { Preprocessing, ScoreKind, TensorData, TensorType } from './preprocessing.ts'

/**
 * Images on demand: pixels from 0 to 1 (a byte divided by 255), one channel plane after the other, red first. The rows
 * of a query are images, too.
 */
export interface Images {
  readonly rows: number
  /** Whether they go to the model in a request of their own, without the images of other callers. */
  readonly isAlone?: boolean | undefined
  write(row: number, into: Vector, offset?: number): void
  /**
   * Writes a row and the next one, `into[offset...]` and right behind it; false where it cannot, and nothing was written then.
   * Two at once may cost less than one after the other.
   */
  writeTwo?(row: number, into: Vector, offset: number): boolean
  /**
   * Writes a row as the network takes it, where another thread has prepared it so; false where none has, and nothing was
   * written then.
   */
  writeTensor?(row: number, into: TensorData, offset: number): boolean
  /** Told of every row that is asked about again, before it is: it had brought no scores. */
  askedAgain?(row: number): void
  /** Told of every row whose scores are there, while others of the same call may be under way; not every model does that. */
  answered?(row: number): void
}

/** A classifier at work. */
export interface Model {
  readonly shape: ImageShape
  /** How many scores it gives for an image; the dummy ones that `labelOffset` skips are not counted. */
  readonly classes: number
  readonly scores: ScoreKind
  /** The pixel values it is made for. */
  readonly bounds: { readonly lower: number; readonly upper: number }
  /** Where it takes whole numbers: the pixel values that one step apart become, such as 1/255 for bytes. */
  readonly grid?: number | undefined
  /** Images per call of the network at most. */
  readonly batch: number
  /** Calls of the network that may be under way at once; one if left out. */
  readonly places?: number | undefined
  /** What computes the scores, for the record: the same weights may answer differently elsewhere. */
  readonly runtime: string
  /** Things the user should know about this model. */
  readonly warnings: readonly string[]
  /** How pixels become what the network is fed, where that is known: `measureAccuracy` looks for mistakes in it. */
  readonly preprocessing?: Preprocessing | undefined
  /** The numbers that the network takes, where it is one: with `preprocessing`, what its input is prepared by. */
  readonly tensor?: TensorType | undefined
  /**
   * There where the model answers with a class and nobody has said yet how many classes there are: the same model with so
   * many, in its place. Until then it has 0, and answers nothing.
   */
  readonly withClasses?: ((classes: number) => Model) | undefined
  /**
   * Fills `into` with the scores of every image, `classes` numbers each. Rejects if any of them could not be had (those
   * that could are there then, too), or with the signal's reason. Several calls may be under way at once.
   */
  predict(images: Images, into: Float32Array | Float64Array, signal?: AbortSignal): void | Promise<void>
  /** Frees memory, threads and connections; it may be called twice. */
  close(): void | Promise<void>
}

/** What a model is beside what it does. */
const properties = [
  'shape',
  'classes',
  'scores',
  'bounds',
  'grid',
  'batch',
  'places',
  'runtime',
  'warnings',
  'preprocessing',
  'tensor',
  'withClasses',
] as const satisfies readonly (keyof Model)[]

/**
 * A model with some of its properties replaced. The others are read one by one: those of an object of a class may be its
 * prototype's, which copying the object would lose.
 */
export function modelWith(model: Model, changes: Partial<Model>): Model {
  const read = properties.flatMap((name) => (model[name] === undefined ? [] : [[name, model[name]] as const]))
  const own = Object.fromEntries(read) as unknown as Omit<Model, 'predict' | 'close'>
  const withClasses = model.withClasses?.bind(model)
  return {
    ...own,
    ...(withClasses === undefined ? {} : { withClasses }),
    predict: (images, into, signal) => model.predict(images, into, signal),
    close: () => model.close(),
    ...changes,
  }
}

/** Where a classifier comes from. */
export interface ModelSource {
  /** Loads it, or finds out what the other side serves. */
  open(): Promise<Model>
}

/** Calls that brought no answer, each attempt counted, and the ones of them that were retried at once. */
export interface Tally {
  failedQueries: number
  retries: number
}

/** A tally without failures. */
export function newTally(): Tally {
  return { failedQueries: 0, retries: 0 }
}

/** What a model says about some images. */
export interface ModelAnswer {
  /** `classes` numbers per image; NaN if there was no answer. */
  readonly scores: Float64Array
  /** How often each image was retried. */
  readonly retries: Uint32Array
  /** Why scores are missing, if the call failed. */
  readonly failure?: { readonly reason: unknown } | undefined
}

/**
 * Asks a model about some images outside the course of an attack. A call that fails leaves NaN for the images it did not
 * answer; fatal errors are thrown, and so is the signal's reason. Retries are added to the tally; unanswered images are for
 * the caller to count.
 */
export async function askModel(
  model: Model,
  images: Images,
  { signal, tally }: { readonly signal?: AbortSignal | undefined; readonly tally?: Tally | undefined } = {},
): Promise<ModelAnswer> {
  const scores = new Float64Array(images.rows * model.classes).fill(Number.NaN)
  const retries = new Uint32Array(images.rows)
  const askedAgain = (row: number): void => {
    retries[row] = (retries[row] as number) + 1
    if (tally === undefined) return
    tally.retries++
    tally.failedQueries++
  }
  try {
    if (images.rows > 0) await model.predict({ ...images, askedAgain }, scores, signal)
    return { scores, retries }
  } catch (reason) {
    signal?.throwIfAborted()
    if (isFatal(reason)) throw reason
    return { scores, retries, failure: { reason } }
  }
}

/** Pictures in memory as images for a model. */
export function picturesAsImages(pictures: readonly Float32Array[]): Images {
  return {
    rows: pictures.length,
    write: (row, into, offset = 0) => into.set(pictures[row] as Float32Array, offset),
  }
}

/** Some of the images, in the order given. */
export function someImages(images: Images, rows: readonly number[]): Images {
  return {
    rows: rows.length,
    isAlone: images.isAlone,
    write: (row, into, offset) => images.write(rows[row] as number, into, offset),
    writeTwo(row, into, offset) {
      const first = rows[row] as number
      return rows[row + 1] === first + 1 && images.writeTwo?.(first, into, offset) === true
    },
    writeTensor: (row, into, offset) => images.writeTensor?.(rows[row] as number, into, offset) === true,
    askedAgain: (row) => images.askedAgain?.(rows[row] as number),
    answered: (row) => images.answered?.(rows[row] as number),
  }
}

/** Refuses what is no open model, and says what was forgotten. `owner` is what errors name. */
export function checkModel(model: Model, owner: string): void {
  const given: Partial<Model & ModelSource> = Object(model)
  const refuse = (why: string): never => {
    throw new ZerothError('invalid-model', `${owner}: ${why}`)
  }
  if (isPromise(given)) refuse('the model is a promise: await it')
  if (typeof given.open === 'function') refuse('open the model first: await onnxModel(...).open()')
  if (typeof given.predict === 'function' && typeof given.shape === 'object' && typeof given.classes === 'number')
    return
  refuse(`the model must be an open one, such as await onnxModel(...).open(), got ${show(model)}`)
}

/** Refuses what is no data set. */
export function checkDataset(dataset: Dataset, owner: string): void {
  const given: Partial<Dataset> = Object(dataset)
  const refuse = (why: string): never => {
    throw new ZerothError('invalid-data', `${owner}: ${why}`)
  }
  if (isPromise(given)) refuse('the data set is a promise: await it')
  const functions = [given.read, given.label, given.title]
  if (!functions.every((each) => typeof each === 'function')) {
    refuse(`the data set must be one such as await folderDataset(...), got ${show(dataset)}`)
  }
  if (Number.isInteger(given.count) && (given.count as number) >= 0) return
  refuse(`the data set's count must be a whole number of at least 0, got ${show(given.count)}`)
}

function isPromise(given: object): boolean {
  return typeof (given as { then?: unknown }).then === 'function'
}

/** The model with as many classes as its images have, where it answers with a class and nobody said how many there are. */
export function withClassesOf(model: Model, dataset: Dataset): Model {
  return model.withClasses === undefined ? model : model.withClasses(classesOf(dataset))
}

/** How many classes the images of a data set have: as many as there are names, else one more than the largest label. */
function classesOf(dataset: Dataset): number {
  const { classNames, count, name } = dataset
  const named = classNames?.length ?? 0
  if (named > 1) return named
  let largest = -1
  for (let index = 0; index < count; index++) largest = Math.max(largest, dataset.label(index) ?? -1)
  if (largest > 0) return largest + 1
  throw new ZerothError('invalid-model', `${classesNeeded}; the labels of ${show(name)} do not tell`)
}

/** Said where the number of classes is needed and nobody gave it. */
export const classesNeeded =
  'the model answers with a class and no scores: say how many classes there are with preprocessing.classes'

/** What a loss is told beside the scores. */
export interface LossContext {
  readonly row: number
  readonly iteration: number
  readonly sample: number
}

/** A number to make small, from the scores of one image. The next call reuses the scores. */
export type Loss = (scores: Float64Array, context: LossContext) => number

/**
 * A loss of a classifier's scores as a black box: the rows of an iteration are images, classified in one go. The caller
 * that opened the model closes it.
 */
export function classifierObjective(model: Model, loss: Loss): Objective {
  checkModel(model, 'classifierObjective')
  if (typeof loss !== 'function') {
    throw new ZerothError(
      'invalid-objective',
      `classifierObjective: the loss must be a function of the scores of an image, got ${show(loss)}`,
    )
  }
  const { channels, height, width } = model.shape
  const { classes } = model
  let idle: Float64Array = new Float64Array(0)

  /** Records the loss of every image that has scores; the others failed for the reason given. */
  const record = (queries: Queries, into: Answers, scores: Float64Array, reason?: unknown): void => {
    for (let row = 0; row < queries.rows; row++) {
      const own = scores.subarray(row * classes, (row + 1) * classes)
      try {
        if (reason !== undefined && own.some(Number.isNaN)) recordFailure(into, row, reason)
        else recordValue(into, row, loss(own, contextOf(queries, row)))
      } catch (error) {
        recordFailure(into, row, error)
      }
    }
    idle = scores
  }

  return {
    dim: channels * height * width,
    evaluate(queries, into, signal): void | Promise<void> {
      // Taken while in use: two evaluations under way at once must not share it.
      const scores = idle.length >= queries.rows * classes ? idle : new Float64Array(queries.rows * classes)
      idle = new Float64Array(0)
      scores.fill(Number.NaN)
      const fail = (error: unknown): void => {
        if (signal?.aborted !== true) record(queries, into, scores, error)
      }
      try {
        const work = model.predict(queries, scores, signal)
        if (work !== undefined) return work.then(() => record(queries, into, scores), fail)
        record(queries, into, scores)
      } catch (error) {
        fail(error)
      }
      return undefined
    },
  }
}

function contextOf(queries: Queries, row: number): LossContext {
  return { row: originalRow(queries, row), iteration: queries.key.iteration, sample: queries.sample(row) }
}
