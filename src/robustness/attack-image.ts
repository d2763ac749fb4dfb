import { originOf } from '../optimizer/core/part.ts'
import type { SessionOptions } from '../optimizer/core/session-options.ts'
import { differ } from '../optimizer/core/space.ts'
import type { Phase, Solver, Vector } from '../optimizer/core/types.ts'
import type { AttackAccount } from './account.ts'
import { type AttackProblem, attackProblem, type CleanImage } from './attack-problem.ts'
import {
  type AttackEnd,
  type Attacked,
  type AttackPlace,
  type AttackProgress,
  type AttackTask,
  failureOf,
  isContradicted,
  isOver,
  reasonToStop,
  type Success,
  screenedRecord,
  statusOf,
  unreachedEnd,
} from './attack-task.ts'
import { flatness } from './checks.ts'
import type { Asking } from './confirmation.ts'
import type { Formulation, FormulationState } from './formulation.ts'
import type { Dataset } from './images/dataset.ts'
import { newTally, type Tally } from './models/model.ts'
import {
  type AttackCurve,
  type AttackLimits,
  type AttackPoint,
  type AttackTrack,
  addConfirmations,
  type ConfirmationRecord,
  type ImageRecord,
  isMeasured,
  type LimitRecord,
  noConfirmations,
  type SavedRecord,
  type TriedMethod,
} from './records.ts'
import type { ReadyOptions } from './robustness-options.ts'
import { mostChecks, type SavedOptions, type SavedPicture, savedPicture } from './saved-picture.ts'
import type { ScreenedImage } from './screening.ts'

/** What a session is given beside what the problem of the attack says. */
export type AttackSession = Omit<SessionOptions, 'set' | 'shape' | 'attack'>

/** Points whose pictures may be kept. */
const moments = ['best', 'final', 'first'] as const

/** Attacks one image. */
export async function attackImage(task: AttackTask, image: ScreenedImage, session: AttackSession): Promise<Attacked> {
  const alone = await cleanImageOf(task, image)
  const clean = { ...alone, examples: await examplesFor(task.dataset, image, alone.pixels.length) }
  const problem = problemOf(task, [clean])
  const { account } = problem
  const track = () => account.tracks[0] ?? untracked
  const { ends, methods } = await inTurn(task, problem, session, image)
  const driven = ends.at(-1) as AttackEnd
  const tally = newTally()
  const { signal } = task.control
  const settled = await settle(problem, driven, { signal, tally })
  const wanted = { seed: session.seed, isSuspicious: isDoubted(account.confirmations), signal, tally }
  const { end, saved } =
    track().best === null
      ? { end: settled, saved: undefined }
      : await keepPicture(task, { problem, clean, moments, end: settled }, wanted)
  if (saved !== undefined) account.settle(isOfAnother(saved) ? null : 'best', saved.confirmations)
  const isFooled = track().first !== null
  const isDoubtful = !isFooled && account.confirmations.contradicted > 0
  const { record, picture } = attackedOf(
    { image, clean, track: track(), problem, end, saved },
    { isFooled, isDoubtful },
  )
  // A model that answers with a class gives the same scores nearly everywhere.
  const mayBeFlat = record.status === 'robust' && task.model.scores !== 'labels'
  const flat = mayBeFlat ? await flatness(task.model, clean, session.seed, signal) : undefined
  const { queries, confirmations } = account
  const retries = record.retries + account.retries + tally.retries
  const failedQueries =
    record.failedQueries + account.failedQueries + unansweredOf(task, image.index, end, tally, account)
  const modelCalls = record.modelCalls + queries + askedIn(confirmations) + (flat?.modelCalls ?? 0)
  const counts = { queries, ...confirmationsOf(confirmations), modelCalls, failedQueries, retries }
  return { record: { ...record, ...counts, methods, isFlat: flat?.isFlat, curve: account.curve() }, picture }
}

/**
 * Asks about the success that is to be reported once the attack is over: the best one, or the one before it that was confirmed
 * if the model does not say the same again, or the first. The attack counts none that is not confirmed now.
 */
async function settle(problem: AttackProblem, end: AttackEnd, asking: Asking): Promise<AttackEnd> {
  const { account } = problem
  if (statusOf(account, end, {}) === 'unfinished') return end
  let counts = noConfirmations
  const asked: Vector[] = []
  try {
    for (const moment of ['best', 'confirmed', 'first'] as const) {
      const variables = account.variables(moment)
      if (variables === undefined || asked.some((each) => !differ(each, variables))) continue
      asked.push(variables)
      const isSuspicious = isDoubted(addConfirmations(account.confirmations, counts))
      const found = await problem.confirm({ image: 0, of: { variables }, isSuspicious }, asking)
      counts = addConfirmations(counts, found.counts)
      if (!found.isConfirmed) continue
      account.settle(moment, counts)
      return end
    }
    account.settle(null, counts)
    return end
  } catch (error) {
    return unreachedEnd(error)
  }
}

/** Whether an answer was not the same when it was asked for again. */
function isDoubted({ contradicted, changed }: ConfirmationRecord): boolean {
  return contradicted + changed > 0
}

/** Whether another model answered while a picture was sought: what it says of the clean image has changed. */
function isOfAnother(saved: SavedPicture | undefined): boolean {
  return (saved?.confirmations.changed ?? 0) > 0
}

/** Images that were asked about again. */
function askedIn({ successes, clean }: ConfirmationRecord): number {
  return successes + clean
}

/** Left out where nothing was asked again. */
function confirmationsOf(confirmations: ConfirmationRecord): Pick<ImageRecord, 'confirmations'> {
  return askedIn(confirmations) === 0 ? {} : { confirmations }
}

/** Failed queries that an attack which goes on later does not find in its journal: kept, with those of earlier tries. */
function unansweredOf(
  { addUnanswered }: AttackTask,
  index: number,
  { status }: AttackEnd,
  { failedQueries }: Tally,
  { unansweredQueries }: Pick<AttackAccount, 'unansweredQueries'>,
): number {
  const unanswered = unansweredQueries + (status === 'unreached' ? failedQueries : 0)
  return (addUnanswered?.(index, unanswered) ?? unanswered) + (status === 'unreached' ? 0 : failedQueries)
}

/** What a picture is chosen from. */
interface Exposed {
  readonly problem: AttackProblem
  readonly clean: CleanImage
  readonly moments: readonly SavedRecord['from'][]
  readonly end: AttackEnd
}

/** The picture that is kept of an attack that has ended; the model may fall silent even now. */
async function keepPicture(
  { model }: AttackTask,
  { problem, clean, moments, end }: Exposed,
  wanted: SavedOptions,
): Promise<{ readonly end: AttackEnd; readonly saved: SavedPicture | undefined }> {
  if (statusOf(problem.account, end, {}) === 'unfinished') return { end, saved: undefined }
  try {
    return { end, saved: await savedPicture(model, problem, clean, moments, wanted) }
  } catch (error) {
    return { end: unreachedEnd(error), saved: undefined }
  }
}

/** The result of a search for one perturbation for all images. */
interface UniversalAttack {
  readonly images: readonly Attacked[]
  readonly queries: number
  /** What was asked again in the course of the search. */
  readonly confirmations?: ConfirmationRecord | undefined
  /** Of the search itself: every query classifies every image. */
  readonly modelCalls: number
  readonly failedQueries: number
  readonly retries: number
  readonly curve: AttackCurve
}

/** Seeks one perturbation that fools the model on all images; an image counts as fooled if the last one found fools it. */
export async function attackUniversally(
  task: AttackTask,
  images: readonly ScreenedImage[],
  session: AttackSession,
): Promise<UniversalAttack> {
  const cleanImages = await Promise.all(images.map((image) => cleanImageOf(task, image)))
  const problem = problemOf(task, cleanImages)
  const { account } = problem
  const driven = await drive(task, problem, session, { index: -1, title: 'universal' }, () => ({
    fooled: account.tracks.filter(({ final }) => final?.fooled === true).length,
    variables: account.variables('final'),
  }))
  const attacked = images.map(async (image, i): Promise<Attacked> => {
    const clean = cleanImages[i] as CleanImage
    const track = account.tracks[i] ?? untracked
    const tally = newTally()
    const asking = { signal: task.control.signal, tally }
    const asked = await confirmShared(problem, i, driven, asking)
    const isConfirmed = track.final?.fooled === true && asked.isConfirmed
    // One that withstood has nothing to look for.
    const checks = isConfirmed ? mostChecks : 1
    const exposed = { problem, clean, moments: ['final'] as const, end: asked.end }
    const isSuspicious = isDoubted(addConfirmations(account.confirmations, asked.counts))
    const wanted = { image: i, checks, isSuspicious, seed: session.seed, ...asking }
    const { end, saved } = await keepPicture(task, exposed, wanted)
    const isFooled = isConfirmed && !isOfAnother(saved)
    const isDoubtful = !asked.isConfirmed || (isConfirmed && !isFooled)
    const { record, picture } = attackedOf({ image, clean, track, problem, end, saved }, { isFooled, isDoubtful })
    const failedQueries = record.failedQueries + unansweredOf(task, image.index, end, tally, { unansweredQueries: 0 })
    const retried = record.retries + tally.retries
    const methods = triedMethods(session.solver, end, 0, account)
    const again = addConfirmations(asked.counts, saved?.confirmations ?? noConfirmations)
    const modelCalls = record.modelCalls + askedIn(again)
    const counts = { ...confirmationsOf(again), failedQueries, retries: retried, modelCalls }
    return { record: { ...record, ...counts, methods }, picture }
  })
  const { queries, retries } = account
  const failedQueries = account.failedQueries + unansweredOf(task, -1, driven, newTally(), account)
  const all = await Promise.all(attacked)
  const { confirmations } = account
  const modelCalls = queries * images.length + askedIn(confirmations)
  return {
    ...confirmationsOf(confirmations),
    images: all,
    queries,
    modelCalls,
    failedQueries,
    retries,
    curve: account.curve(),
  }
}

/** Asks what the last perturbation does to one image in requests of its own: it counts if that is the same. */
async function confirmShared(problem: AttackProblem, image: number, end: AttackEnd, asking: Asking) {
  const { account } = problem
  const variables = account.variables('final')
  const isMeasurable = variables !== undefined && statusOf(account, end, {}) !== 'unfinished'
  if (!isMeasurable) return { isConfirmed: true, counts: noConfirmations, end }
  const isFooled = account.tracks[image]?.final?.fooled === true
  const isSuspicious = isDoubted(account.confirmations)
  try {
    return { ...(await problem.confirm({ image, of: { variables }, isSuspicious, isFooled }, asking)), end }
  } catch (error) {
    return { isConfirmed: true, counts: noConfirmations, end: unreachedEnd(error) }
  }
}

const untracked: AttackTrack = { first: null, best: null, final: null }

async function cleanImageOf(
  { dataset }: AttackTask,
  { index, label, target, seen }: ScreenedImage,
): Promise<CleanImage> {
  const { pixels } = await dataset.read(index)
  return { pixels, label: label ?? 0, target: target ?? undefined, seen: seen ?? null }
}

function problemOf(
  { model, options: { formulation, lambda, kappa } }: AttackTask,
  cleanImages: readonly CleanImage[],
): AttackProblem {
  return attackProblem(model, cleanImages, { formulation, lambda, kappa })
}

/** The share of the queries that a second method has, on images that withstand the first until then. */
const secondShare = 0.25

/** Attacks an image with the method, and with the second one if it withstands the first. */
async function inTurn(
  task: AttackTask,
  problem: AttackProblem,
  session: AttackSession,
  { index, title }: AttackPlace,
): Promise<{ ends: AttackEnd[]; methods: TriedMethod[] }> {
  const { account } = problem
  const { second, maxQueries, maxIterations = Infinity } = task.options
  const isFooled = (): boolean => (account.tracks[0] ?? untracked).first !== null
  const state = () => ({ fooled: isFooled() ? 1 : 0 })
  const share = second === undefined ? 0 : secondShare
  const most = { queries: Math.ceil((1 - share) * maxQueries), iterations: Math.ceil((1 - share) * maxIterations) }
  const isSpent = (): boolean =>
    share > 0 && !isFooled() && (account.queries >= most.queries || account.iterations >= most.iterations)
  const end = await drive(task, problem, session, { index, title }, state, isSpent)
  const tried = triedMethods(session.solver, end, 0, account)
  const left = { queries: maxQueries - account.queries, iterations: maxIterations - account.iterations }
  const isOut = second === undefined || isFooled() || failureOf(account, end) !== null || isContradicted(account)
  if (isOut || left.queries < 1 || left.iterations < 1) return { ends: [end], methods: tried }
  const before = account.queries
  account.nextMethod()
  const limits = { maxQueries: left.queries, ...(left.iterations < Infinity ? { maxIterations: left.iterations } : {}) }
  const own = { ...session, solver: second, ...limits }
  const last = await drive(task, problem, own, { index, title, isSecond: true }, state)
  const further = triedMethods(second, last, before, account).map((each) => ({ ...each, isSecond: true }))
  return { ends: [end, last], methods: [...tried, ...further] }
}

/** Minimises the problem of an attack, reports how far it is, and ends it early where nothing is left to gain. */
async function drive(
  { options, control, run, probe }: AttackTask,
  problem: AttackProblem,
  session: AttackSession,
  place: AttackPlace,
  state: () => Pick<AttackProgress, 'fooled' | 'variables'>,
  isSpent: () => boolean = () => false,
): Promise<AttackEnd> {
  const { account, set, shape } = problem
  const attack = probe === undefined ? problem.attack : { ...problem.attack, probe }
  const { index, title } = place
  const end = await run(problem, { ...session, set, shape, attack }, place, {
    signal: control.signal,
    onIteration() {
      const iteration = account.tracks[0]?.final?.iteration ?? 0
      control.onIteration?.({ index, title, iteration, queries: account.queries, ...state() })
      return isOver(account, options.earlyStop) || isSpent() ? 'stop' : undefined
    },
  }).catch(unreachedEnd)
  control.signal?.throwIfAborted()
  return end
}

/** What is known of an image once its attack has ended. */
interface Ended {
  readonly image: ScreenedImage
  readonly clean: CleanImage
  readonly track: AttackTrack
  readonly problem: AttackProblem
  readonly end: AttackEnd
  readonly saved: SavedPicture | undefined
}

function attackedOf({ image, clean, track, problem, end, saved }: Ended, success: Success): Attacked {
  const { account } = problem
  const status = statusOf(account, end, success)
  const failure = failureOf(account, end)
  const { first, best, final } = track
  const kept = status === 'unconfirmed' ? undefined : saved
  const record: ImageRecord = {
    ...screenedRecord(image),
    ...{ first, best, final },
    status,
    reason: status === 'unconfirmed' ? unconfirmed : failure,
    modelCalls: image.modelCalls + (saved?.modelCalls ?? 0),
    success8bit: kept?.success ?? null,
    saved: kept?.saved ?? null,
    stopReason: reasonToStop(end, failure, account),
  }
  return { record, picture: kept && { original: clean.pixels, adversarial: kept.pixels } }
}

const unconfirmed =
  'the model did not say the same when it was asked again: its answers vary, or the rows of a request get mixed up'

/**
 * Attacks one image within its limit and, where there are smaller ones, within those, the largest first. What withstands a
 * limit withstands the smaller ones, too, and is not attacked there. An image counts as fooled within a limit only by a
 * point that was evaluated and lies within it: one found within a larger limit, or by an attack of its own with the whole
 * budget, which ends at the first success.
 */
export async function attackAtLimits(
  task: AttackTask,
  image: ScreenedImage,
  session: AttackSession,
): Promise<Attacked> {
  const { formulation, smaller } = task.options
  const largest = await attackImage(task, image, session)
  if (smaller === undefined) return largest
  let { record } = largest
  const limits = [attackedLimit(limitsOfFormulation(formulation), record)]
  for (const [i, each] of smaller.entries()) {
    const posed = startAlone(each)
    const known = knownLimit(posed, limits.at(-1) as LimitRecord)
    if (known !== undefined) {
      limits.push(known)
      continue
    }
    const attacked = await attackImage(
      withinFormulation(task, each, `smaller-${i + 1}`, record.queries),
      image,
      session,
    )
    limits.push(attackedLimit(posed.limits ?? {}, attacked.record))
    record = withCost(record, attacked.record, image)
  }
  return { ...largest, record: { ...record, limits } }
}

/** The limits of an evaluation with several, the largest first; none where it has one at most. */
export function limitsOfFormulations({
  formulation,
  smaller,
}: Pick<ReadyOptions, 'formulation' | 'smaller'>): AttackLimits[] {
  return smaller === undefined ? [] : [formulation, ...smaller].map(limitsOfFormulation)
}

/** The limits of one form; none where changes may have any size. */
export function limitsOfFormulation(formulation: Formulation): AttackLimits {
  return startAlone(formulation).limits ?? {}
}

/** A form applied to one pixel: enough to know its limits. */
function startAlone(formulation: Formulation): FormulationState {
  return formulation.start([new Float32Array(1)])
}

/** What an attack says about the limit it was made within. */
function attackedLimit({ linf, l2 }: AttackLimits, { status, queries, best, first }: ImageRecord): LimitRecord {
  const success = status === 'fooled' ? (best ?? first) : null
  return { ...limitOf({ linf, l2 }), status, from: 'attack', queries, success }
}

/** What is known of a limit without an attack, from the next larger one. */
function knownLimit(posed: FormulationState, larger: LimitRecord): LimitRecord | undefined {
  const limit = limitOf(posed.limits ?? {})
  const { status, success } = larger
  if (status !== 'fooled') return { ...limit, status, from: 'larger limit', queries: 0, success: null }
  if (success === null || !isAllowed(posed, success)) return undefined
  return { ...limit, status, from: 'larger success', queries: 0, success }
}

function isAllowed(posed: FormulationState, point: AttackPoint): boolean {
  return posed.allows?.(point) ?? true
}

function limitOf({ linf, l2 }: AttackLimits): AttackLimits {
  return { ...(linf === undefined ? {} : { linf }), ...(l2 === undefined ? {} : { l2 }) }
}

/** The task of an attack within a smaller limit: it only asks whether there is a success, and has a run of its own. */
function withinFormulation(task: AttackTask, formulation: Formulation, part: string, spent: number): AttackTask {
  const { options, control, run } = task
  return {
    ...task,
    options: { ...options, formulation, earlyStop: true },
    control: {
      ...control,
      onIteration: (at) =>
        control.onIteration?.({ ...at, queries: at.queries + spent, fooled: Math.max(1, at.fooled) }),
    },
    run: (problem, session, place, watch) => run(problem, session, { ...place, part }, watch),
  }
}

/** The record of an image with what a further attack cost. One that could not be measured there has not been measured. */
function withCost(record: ImageRecord, further: ImageRecord, image: ScreenedImage): ImageRecord {
  const { status, reason, stopReason } = further
  const cost = {
    queries: record.queries + further.queries,
    ...confirmationsOf(
      addConfirmations(record.confirmations ?? noConfirmations, further.confirmations ?? noConfirmations),
    ),
    modelCalls: record.modelCalls + further.modelCalls - image.modelCalls,
    failedQueries: record.failedQueries + further.failedQueries - (image.failedQueries ?? 0),
    retries: record.retries + further.retries - (image.retries ?? 0),
  }
  return { ...record, ...cost, ...(isMeasured(further) ? {} : { status, reason, stopReason }) }
}

/** Examples that are read for an image at most. */
const most = 3

/**
 * Pictures of the data set that probably do what an attack wants of an image: the first ones of the target class, or the
 * first of each of some other classes. Reading them asks the model nothing; which ones they are depends on the image alone.
 */
export async function examplesFor(dataset: Dataset, image: ScreenedImage, length: number): Promise<Float32Array[]> {
  const found: Float32Array[] = []
  const classes = new Set<number>()
  for (let index = 0; index < dataset.count && found.length < most; index++) {
    const label = labelOf(dataset, index)
    if (index === image.index || label === undefined || !isWanted(image, label, classes)) continue
    const pixels = await pixelsOf(dataset, index)
    if (pixels?.length !== length) continue
    classes.add(label)
    found.push(pixels)
  }
  return found
}

function isWanted({ label, target }: ScreenedImage, other: number, classes: ReadonlySet<number>): boolean {
  return target === null ? other !== label && !classes.has(other) : other === target
}

/** A label or a picture that cannot be read is none. */
function labelOf(dataset: Dataset, index: number): number | undefined {
  try {
    return dataset.label(index)
  } catch {
    return undefined
  }
}

async function pixelsOf(dataset: Dataset, index: number): Promise<Float32Array | undefined> {
  try {
    return (await dataset.read(index)).pixels
  } catch {
    return undefined
  }
}

/** The methods of one run of an attack: those a method says it put in a row, or the method itself, by its name. */
function triedMethods(
  solver: Solver | undefined,
  { phases }: { readonly phases?: readonly Phase[] | undefined },
  before: number,
  { queries, tracks }: Pick<AttackAccount, 'queries' | 'tracks'>,
): TriedMethod[] {
  const name = (solver === undefined ? undefined : originOf(solver)?.name) ?? 'a method of your own'
  const parts = phases === undefined || phases.length === 0 ? [{ method: name, queries: queries - before }] : phases
  const first = tracks[0]?.first?.queries ?? Infinity
  let asked = before
  return parts.map(({ method, queries: own }) => {
    const from = asked
    asked += own
    return { method, queries: own, fooled: first > from && first <= asked }
  })
}
