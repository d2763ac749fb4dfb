import { endsRun, messageOf, show, ZerothError } from '../core/errors.ts'
import { inParallel } from '../core/in-parallel.ts'
import { parseOptions } from '../core/parse-options.ts'
import type { SessionOptions } from '../core/session-options.ts'
import type { Vector } from '../core/types.ts'
import type { Dataset } from '../datasets/dataset.ts'
import { coalesced } from '../models/coalesced.ts'
import type { Model } from '../models/model.ts'
import { attackImage } from './attack-image.ts'
import { attackUniversally } from './attack-universally.ts'
import { driveAttack, type RunAttack } from './drive-attack.ts'
import { imageSeed } from './image-seed.ts'
import { lookedRecord } from './looked-record.ts'
import type { AttackReport, ImageRecord } from './records.ts'
import { type ReadyOptions, type RobustnessOptions, robustnessOptions } from './robustness-options.ts'
import { settingsWarnings } from './settings-warnings.ts'
import { summarizeAttack } from './summary.ts'
import { type Looked, survey } from './survey.ts'

/** A picture of an evaluation, before and after. */
export interface AttackedPicture {
  readonly original: Float32Array
  /** As it is kept, in 8 bits. */
  readonly adversarial: Float32Array
}

/** How an evaluation is watched, stopped, stored and taken up. */
export interface RobustnessControl {
  readonly signal?: AbortSignal | undefined
  /** Images attacked at once; 8 if left out. The result does not depend on it. */
  readonly parallel?: number | undefined
  /** What an earlier process found out about the first images; the look goes on behind them if they are not enough. */
  readonly looked?: readonly Looked[] | undefined
  /** Called with all that is known after each part of the look; it waits for that. */
  readonly onLooked?: ((looked: readonly Looked[]) => void | Promise<void>) | undefined
  /** What an earlier process found out about one image; its attack is then not repeated. */
  readonly known?: ((index: number) => ImageRecord | undefined) | undefined
  /** Told of each image once it is done, with its pictures where it was attacked; may add the names of their files. */
  readonly keep?:
    | ((record: ImageRecord, picture: AttackedPicture | undefined) => ImageRecord | Promise<ImageRecord>)
    | undefined
  /** Called after each iteration of an attack. */
  readonly onIteration?: ((at: AttackProgress) => void) | undefined
  /** Minimises; in memory if left out. */
  readonly run?: RunAttack | undefined
}

/** Where an attack stands. */
export interface AttackProgress {
  /** The image's number in the data set; -1 for a universal attack. */
  readonly index: number
  readonly title: string
  readonly iteration: number
  readonly queries: number
  readonly fooled: number
  /** The variables there, of a perturbation that all images share. They change afterwards: keep a copy. */
  readonly variables?: Vector | undefined
}

/**
 * Measures how robust a classifier is against an attacker who can only query it: attacks every image that it classifies
 * correctly, and accounts for each. The result does not depend on how many images are attacked at once. Rejects with the
 * signal's reason where it was stopped; whoever opened the model closes it.
 */
export async function evaluateRobustness(
  model: Model,
  dataset: Dataset,
  given: RobustnessOptions,
  control: RobustnessControl = {},
): Promise<AttackReport> {
  const options = parseOptions('evaluateRobustness', robustnessOptions, given)
  const shared = coalesced(model)
  checkTarget(options, model)
  const parallel = checkParallel(control.parallel ?? usualParallel)
  const settings = settingsWarnings(options, model.shape)
  const looked = await survey(shared, dataset, { ...options, ...control })
  const task = { model: shared, dataset, options, control, run: control.run ?? driveAttack }
  const left = looked.filter(({ standing }) => standing !== 'attacked').map(lookedRecord)
  const victims = looked.filter(({ standing }) => standing === 'attacked')
  const keep = async (image: Looked, attack: Promise<Attacked>): Promise<ImageRecord> => {
    const { record, picture } = await unlessCommon(attack, image, control.signal)
    return (await control.keep?.(record, picture)) ?? record
  }
  const { lambda, kappa } = options
  const warnings = [...model.warnings, ...settings, ...surveyWarnings(looked, model)]
  if (options.universal && victims.length > 0) {
    const found = await attackUniversally(task, victims, sessionOf(options, options.seed))
    const records = await Promise.all(found.images.map((each, i) => keep(victims[i] as Looked, Promise.resolve(each))))
    control.signal?.throwIfAborted()
    const images = inOrder([...left, ...records])
    const { curve, queries, modelCalls } = found
    const universal = { curve, queries, images: victims.length, modelCalls }
    const summary = summarizeAttack(images, { lambda, kappa, universal: found })
    return { summary, images, universal, warnings: [...warnings, ...budgetWarnings(images)] }
  }
  const records: ImageRecord[] = []
  const attackOne = async (at: number): Promise<void> => {
    const image = victims[at] as Looked
    const session = sessionOf(options, imageSeed(options.seed, image.index))
    records[at] = control.known?.(image.index) ?? (await keep(image, attackImage(task, image, session)))
  }
  await inParallel(victims.length, parallel, attackOne, () => control.signal?.aborted !== true)
  control.signal?.throwIfAborted()
  const images = inOrder([...left, ...records])
  const summary = summarizeAttack(images, { lambda, kappa })
  return { summary, images, universal: null, warnings: [...warnings, ...budgetWarnings(images)] }
}

/** What an attack on one image came to. */
export interface Attacked {
  readonly record: ImageRecord
  readonly picture: AttackedPicture | undefined
}

/** What every attack of an evaluation is given. */
export interface AttackTask {
  readonly model: Model
  readonly dataset: Dataset
  readonly options: ReadyOptions
  readonly control: RobustnessControl
  readonly run: RunAttack
}

/** An image whose attack breaks down is accounted for like the others, which go on; one that is stopped is not. */
async function unlessCommon(
  attack: Promise<Attacked>,
  image: Looked,
  signal: AbortSignal | undefined,
): Promise<Attacked> {
  try {
    return await attack
  } catch (error) {
    signal?.throwIfAborted()
    if (concernsAll(error)) throw error
    return { record: { ...lookedRecord(image), status: 'failed', reason: messageOf(error) }, picture: undefined }
  }
}

/** Whether an error is one of where runs are kept or of how the evaluation is set up: no image fares better. */
function concernsAll(error: unknown): boolean {
  return endsRun(error) || (error instanceof ZerothError && error.code === 'invalid-set')
}

function sessionOf(options: ReadyOptions, seed: number): Omit<SessionOptions, 'set' | 'shape'> {
  const { solver, precision, maxQueries, maxIterations, failures } = options
  return { solver, precision, maxQueries, maxIterations, failures, seed, trackBest: true }
}

/** Attacks at once unless said otherwise: their queries, about eleven each, fill several batches of most models. */
const usualParallel = 8

function checkParallel(parallel: number): number {
  if (Number.isInteger(parallel) && parallel >= 1) return parallel
  const wanted = 'must be a whole number of at least 1'
  throw new ZerothError('invalid-option', `evaluateRobustness: control.parallel ${wanted}, got ${show(parallel)}`)
}

function inOrder(images: readonly ImageRecord[]): ImageRecord[] {
  return [...images].sort((one, other) => one.index - other.index)
}

function surveyWarnings(looked: readonly Looked[], { classes }: Model): string[] {
  const seen = looked.filter(({ predicted }) => predicted !== null)
  const right = seen.filter(({ predicted, label }) => predicted === label).length
  if (seen.length === 0) return ['no image could be classified: nothing was measured']
  if (seen.length < 5 || right / seen.length > Math.max(0.3, 1.25 / classes)) return []
  const hint = 'check its preprocessing, the order of its classes and the labels of the images'
  return [`the model is right about ${right} of ${seen.length} untouched images: ${hint}`]
}

/** An image that nobody tried to change is robust in name only. */
function budgetWarnings(images: readonly ImageRecord[]): string[] {
  const untried = images.filter(({ status, final }) => status === 'robust' && final?.iteration === 0).length
  if (untried === 0) return []
  return [`the budget allows no iteration of this method: ${untried} images count as robust without an attack`]
}

function checkTarget({ target }: ReadyOptions, { classes }: Model): void {
  if (typeof target !== 'number' || target < classes) return
  throw new ZerothError(
    'invalid-option',
    `target must be a class of the model, from 0 to ${classes - 1}, got ${target}`,
  )
}
