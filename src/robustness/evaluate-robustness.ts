import { inParallel } from '../optimizer/core/answers.ts'
import { isFatal, messageOf, show, ZerothError } from '../optimizer/core/errors.ts'
import { parseOptions } from '../optimizer/core/options.ts'
import { randomWord } from '../optimizer/kernels/random.ts'
import {
  type AttackSession,
  attackAtLimits,
  attackUniversally,
  limitsOfFormulation,
  limitsOfFormulations,
} from './attack-image.ts'
import {
  type Attacked,
  type AttackedPicture,
  type AttackTask,
  type AttackWatch,
  driveAttack,
  type RunAttack,
  screenedRecord,
} from './attack-task.ts'
import { askCanaries, noiseFloor, noiseWarnings, reliabilityWarnings } from './checks.ts'
import type { Dataset } from './images/dataset.ts'
import { type Model, modelWith, withClassesOf } from './models/model.ts'
import { batchedModel } from './models/model-wrappers.ts'
import type { ScoreKind } from './models/preprocessing.ts'
import type { AttackReport, ImageRecord, NoiseRecord } from './records.ts'
import { type ReadyOptions, type RobustnessOptions, robustnessOptions, settingsWarnings } from './robustness-options.ts'
import { type ScreenedImage, scoresOf, screenImages, screeningWarnings } from './screening.ts'
import { robustnessStatement, summarizeAttack } from './summary.ts'

/** Where the attacks of an evaluation are kept; each of its functions may be left out. */
export interface AttackStore {
  /** The record of an image whose attack an earlier process completed; it is not repeated. */
  known?(index: number): ImageRecord | undefined
  /** Keeps an attacked image, with its pictures where there are any; may add the names of their files. */
  keep?(record: ImageRecord, picture: AttackedPicture | undefined): ImageRecord | Promise<ImageRecord>
  /** Minimises; in memory if left out. */
  readonly run?: RunAttack
  /** Adds queries that were asked in vain to those of an image (-1: a universal attack); returns all, of earlier tries, too. */
  readonly addUnanswered?: (index: number, queries: number) => number
}

/** What screening has found out that every attack must know. */
export interface Briefing {
  /** What the scores of the model are. */
  readonly scores: ScoreKind
  /** The length that probes must have, where noise was found to be much. */
  readonly probe?: number | undefined
}

/** Attacks the images of an evaluation, the same to the bit wherever it runs: here, in threads, or on other machines. */
export interface Executor {
  attack(image: ScreenedImage): Promise<Attacked>
  /** Frees what it holds; no attack is under way then. */
  close(): Promise<void>
}

/** How an evaluation is watched, stopped and stored. */
export interface RobustnessControl extends AttackWatch {
  /** Makes what attacks the images; `inProcessExecutor` if left out. Universal attacks are always made here. */
  readonly executor?: ((briefing: Briefing) => Executor) | undefined
  /** Images attacked at once; 8 if left out. The result does not depend on it. */
  readonly parallel?: number | undefined
  readonly store?: AttackStore | undefined
}

/**
 * Measures a classifier's robustness through queries alone: attacks every image that it classifies correctly, and accounts
 * for each. The result does not depend on how many images are attacked at once. Rejects with the signal's reason where it
 * was stopped; the caller closes the model.
 */
export async function evaluateRobustness(
  model: Model,
  dataset: Dataset,
  given: RobustnessOptions = {},
  control: RobustnessControl = {},
): Promise<AttackReport> {
  const evaluation = prepare(model, dataset, given, control, batchedModel)
  const { count, target } = evaluation.options
  const screened = await screenImages(evaluation.model, dataset, { count, target, signal: control.signal })
  const noise = await noiseFloor(evaluation.model, dataset, screened, evaluation.options, control.signal)
  return attackAll(evaluation, screened, noise)
}

/** The same with images that have been screened, and what was found out about noise then. */
export async function attackScreened(
  model: Model,
  dataset: Dataset,
  screened: readonly ScreenedImage[],
  given: RobustnessOptions,
  control: RobustnessControl = {},
  noise: NoiseRecord | null = null,
): Promise<AttackReport> {
  return attackAll(prepare(model, dataset, given, control, batchedModel), screened, noise)
}

/** Attacks the images of an evaluation in this thread. */
export function inProcessExecutor(
  model: Model,
  dataset: Dataset,
  given: RobustnessOptions,
  control: RobustnessControl,
  briefing: Briefing,
): Executor {
  return executorOf(briefed(prepare(model, dataset, given, control), briefing))
}

function executorOf(evaluation: Evaluation): Executor {
  const { options } = evaluation
  return {
    attack: (image) => attackAtLimits(evaluation, image, sessionOf(options, imageSeed(options.seed, image.index))),
    close: async () => undefined,
  }
}

function briefed(evaluation: Evaluation, { scores, probe }: Briefing): Evaluation {
  return { ...evaluation, model: modelWith(evaluation.model, { scores }), probe }
}

interface Evaluation extends AttackTask {
  readonly control: RobustnessControl
  readonly parallel: number
  readonly store: AttackStore
  /** What the model and the method have to say beforehand. */
  readonly warnings: readonly string[]
}

/** Checks everything that can be checked without asking the model. */
function prepare(
  bare: Model,
  dataset: Dataset,
  given: RobustnessOptions,
  control: RobustnessControl,
  share: (model: Model) => Model = (model) => model,
): Evaluation {
  const model = withClassesOf(bare, dataset)
  const options = parseOptions('evaluateRobustness', robustnessOptions, given)
  const shared = share(model)
  checkTarget(options, model)
  checkLimits(options)
  const parallel = checkParallel(control.parallel ?? usualParallel)
  const warnings = [...model.warnings, ...settingsWarnings(options, model)]
  const { store = {} } = control
  const { run = driveAttack, addUnanswered } = store
  return {
    model: shared,
    dataset,
    options,
    control,
    run,
    ...(addUnanswered && { addUnanswered }),
    parallel,
    store,
    warnings,
  }
}

async function attackAll(
  prepared: Evaluation,
  screened: readonly ScreenedImage[],
  noise: NoiseRecord | null,
): Promise<AttackReport> {
  const { options, control } = prepared
  const scores = scoresOf(screened, prepared.model)
  const evaluation = briefed(prepared, { scores, probe: noise?.probe })
  const attacked = screened.filter(({ status }) => status === 'attacked')
  const left = screened.filter(({ status }) => status !== 'attacked').map(screenedRecord)
  const isShared = options.universal && attacked.length > 0
  const { records, universal } = await (isShared ? attackTogether : attackEach)(evaluation, attacked)
  control.signal?.throwIfAborted()
  const images = [...left, ...records].sort((one, other) => one.index - other.index)
  const { lambda, kappa } = options
  const { model, dataset } = evaluation
  const canaries = attacked.length === 0 ? null : await askCanaries(model, dataset, screened, control.signal)
  const limits = limitsOfFormulations(options)
  const known = { lambda, kappa, limits, scores, canaries, noise, ...(universal === null ? {} : { universal }) }
  const bare = summarizeAttack(images, known)
  const summary = {
    ...bare,
    ...robustnessStatement(bare, { ...options, within: limitsOfFormulation(options.formulation) }),
  }
  const said = [
    ...evaluation.warnings,
    ...screeningWarnings(screened, prepared.model, dataset),
    ...noiseWarnings(noise),
    ...budgetWarnings(images),
    ...reliabilityWarnings(images),
  ]
  return { summary, images, universal, canaries: canaries?.record ?? null, noise, warnings: said }
}

interface AttackedAll extends Pick<AttackReport, 'universal'> {
  readonly records: readonly ImageRecord[]
}

async function attackEach(evaluation: Evaluation, attacked: readonly ScreenedImage[]): Promise<AttackedAll> {
  const { control, parallel, store, model, probe } = evaluation
  const executor = control.executor?.({ scores: model.scores, probe }) ?? executorOf(evaluation)
  const records: ImageRecord[] = []
  const attackOne = async (at: number): Promise<void> => {
    const image = attacked[at] as ScreenedImage
    records[at] = store.known?.(image.index) ?? (await keep(evaluation, image, executor.attack(image)))
  }
  const isWanted = (): boolean => control.signal?.aborted !== true
  await inParallel(attacked.length, parallel, attackOne, isWanted).finally(() => executor.close())
  return { records, universal: null }
}

async function attackTogether(evaluation: Evaluation, attacked: readonly ScreenedImage[]): Promise<AttackedAll> {
  const { options } = evaluation
  const found = await attackUniversally(evaluation, attacked, sessionOf(options, options.seed))
  const kept = found.images.map((each, i) => keep(evaluation, attacked[i] as ScreenedImage, Promise.resolve(each)))
  const { images: _, ...course } = found
  return { records: await Promise.all(kept), universal: { ...course, images: attacked.length } }
}

/** An image whose attack breaks down is accounted for like the others, which continue; one that is stopped is not. */
async function keep(
  { control, store }: Evaluation,
  image: ScreenedImage,
  attack: Promise<Attacked>,
): Promise<ImageRecord> {
  const { record, picture } = await attack.catch((error: unknown): Attacked => {
    control.signal?.throwIfAborted()
    if (concernsAll(error)) throw error
    return { record: { ...screenedRecord(image), status: 'failed', reason: messageOf(error) }, picture: undefined }
  })
  return (await store.keep?.(record, picture)) ?? record
}

/** Whether an error is one of where runs are kept or of how the evaluation is set up: no image fares better. */
function concernsAll(error: unknown): boolean {
  return isFatal(error) || (error instanceof ZerothError && error.code === 'invalid-set')
}

function sessionOf(options: ReadyOptions, seed: number): AttackSession {
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

/** An image without a single iteration is robust in name only. */
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

function checkLimits({ smaller, universal }: ReadyOptions): void {
  if (smaller === undefined || !universal) return
  throw new ZerothError('invalid-option', 'a universal attack has one limit: leave out smaller, or universal')
}

/** The seed of one image's attack: a function of the evaluation's seed and the image's number alone. */
export function imageSeed(seed: number, index: number): number {
  return randomWord({ seed, iteration: 0, row: index }, 'data', 0)
}
