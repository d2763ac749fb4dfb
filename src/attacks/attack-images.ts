import type { SessionOptions } from '../core/session-options.ts'
import type { AttackAccount } from './account.ts'
import { type AttackProblem, attackProblem, type Victim } from './attack-problem.ts'
import {
  type AttackEnd,
  type Attacked,
  type AttackPlace,
  type AttackProgress,
  type AttackTask,
  failureOf,
  isOver,
  reasonToStop,
  screenedRecord,
  statusOf,
  unreachedEnd,
} from './attack-task.ts'

import { examplesFor } from './examples.ts'
import { flatness } from './flatness.ts'
import type { AttackCurve, AttackTrack, ImageRecord, SavedRecord, TriedMethod } from './records.ts'
import {
  type FailureTally,
  mostChecks,
  noFailures,
  type SavedOptions,
  type SavedPicture,
  savedPicture,
} from './saved-picture.ts'

import type { Screened } from './screening.ts'
import { triedMethods } from './tried-methods.ts'

/** What a session is given beside what the problem of the attack says. */
export type AttackSession = Omit<SessionOptions, 'set' | 'shape' | 'attack'>

/** Points whose pictures may be kept. */
const moments = ['best', 'final', 'first'] as const

/** Attacks one image. */
export async function attackImage(task: AttackTask, image: Screened, session: AttackSession): Promise<Attacked> {
  const alone = await victimOf(task, image)
  const victim = { ...alone, examples: await examplesFor(task.dataset, image, alone.pixels.length) }
  const problem = problemOf(task, [victim])
  const { account } = problem
  const track = () => account.tracks[0] ?? untracked
  const { ends, methods } = await inTurn(task, problem, session, image)
  const driven = ends.at(-1) as AttackEnd
  const tally = noFailures()
  const { signal } = task.control
  const wanted = { seed: session.seed, signal, tally }
  const { end, saved } =
    track().best === null
      ? { end: driven, saved: undefined }
      : await keepPicture(task, { problem, victim, moments, end: driven }, wanted)
  const { record, picture } = attackedOf({ image, victim, track: track(), problem, end, saved }, track().first !== null)
  const flat = record.status === 'robust' ? await flatness(task.model, victim, session.seed, signal) : undefined
  const { queries } = account
  const retries = record.retries + account.retries + tally.retries
  const failedQueries =
    record.failedQueries + account.failedQueries + askedInVain(task, image.index, end, tally, account)
  const modelCalls = record.modelCalls + queries + (flat?.modelCalls ?? 0)
  const counts = { queries, modelCalls, failedQueries, retries }
  return { record: { ...record, ...counts, methods, isFlat: flat?.isFlat, curve: account.curve() }, picture }
}

/** Failed queries that an attack which goes on later does not find in its journal: kept, with those of earlier tries. */
function askedInVain(
  { lost }: AttackTask,
  index: number,
  { status }: AttackEnd,
  { failedQueries }: FailureTally,
  { lostQueries }: Pick<AttackAccount, 'lostQueries'>,
): number {
  const inVain = lostQueries + (status === 'unreached' ? failedQueries : 0)
  return (lost?.(index, inVain) ?? inVain) + (status === 'unreached' ? 0 : failedQueries)
}

/** What a picture is chosen from. */
interface Exposed {
  readonly problem: AttackProblem
  readonly victim: Victim
  readonly moments: readonly SavedRecord['from'][]
  readonly end: AttackEnd
}

/** The picture that is kept of an attack that has ended; the model may fall silent even now. */
async function keepPicture(
  { model }: AttackTask,
  { problem, victim, moments, end }: Exposed,
  wanted: SavedOptions,
): Promise<{ readonly end: AttackEnd; readonly saved: SavedPicture | undefined }> {
  if (statusOf(problem.account, end, false) === 'unfinished') return { end, saved: undefined }
  try {
    return { end, saved: await savedPicture(model, problem, victim, moments, wanted) }
  } catch (error) {
    return { end: unreachedEnd(error), saved: undefined }
  }
}

/** The result of a search for one perturbation for all images. */
export interface UniversalAttack {
  readonly images: readonly Attacked[]
  readonly queries: number
  /** Of the search itself: every query classifies every image. */
  readonly modelCalls: number
  readonly failedQueries: number
  readonly retries: number
  readonly curve: AttackCurve
}

/** Seeks one perturbation that fools the model on all images; an image counts as fooled if the last one found fools it. */
export async function attackUniversally(
  task: AttackTask,
  images: readonly Screened[],
  session: AttackSession,
): Promise<UniversalAttack> {
  const victims = await Promise.all(images.map((image) => victimOf(task, image)))
  const problem = problemOf(task, victims)
  const { account } = problem
  const driven = await drive(task, problem, session, { index: -1, title: 'universal' }, () => ({
    fooled: account.tracks.filter(({ final }) => final?.fooled === true).length,
    variables: account.variables('final'),
  }))
  const attacked = images.map(async (image, i): Promise<Attacked> => {
    const victim = victims[i] as Victim
    const track = account.tracks[i] ?? untracked
    const tally = noFailures()
    const isFooled = track.final?.fooled === true
    // One that withstood has nothing to look for.
    const checks = isFooled ? mostChecks : 1
    const exposed = { problem, victim, moments: ['final'] as const, end: driven }
    const wanted = { image: i, checks, seed: session.seed, signal: task.control.signal, tally }
    const { end, saved } = await keepPicture(task, exposed, wanted)
    const { record, picture } = attackedOf({ image, victim, track, problem, end, saved }, isFooled)
    const failedQueries = record.failedQueries + askedInVain(task, image.index, end, tally, { lostQueries: 0 })
    const retried = record.retries + tally.retries
    const methods = triedMethods(session.solver, end, 0, account)
    return { record: { ...record, failedQueries, retries: retried, methods }, picture }
  })
  const { queries, retries } = account
  const failedQueries = account.failedQueries + askedInVain(task, -1, driven, noFailures(), account)
  const all = await Promise.all(attacked)
  const modelCalls = queries * images.length
  return { images: all, queries, modelCalls, failedQueries, retries, curve: account.curve() }
}

const untracked: AttackTrack = { first: null, best: null, final: null }

async function victimOf({ dataset }: AttackTask, { index, label, target }: Screened): Promise<Victim> {
  const { pixels } = await dataset.read(index)
  return { pixels, label: label ?? 0, target: target ?? undefined }
}

function problemOf({ model, options: { form, lambda, kappa } }: AttackTask, victims: readonly Victim[]): AttackProblem {
  return attackProblem(model, victims, { form, lambda, kappa })
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
  const isOut = second === undefined || isFooled() || failureOf(account, end) !== null
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
  readonly image: Screened
  readonly victim: Victim
  readonly track: AttackTrack
  readonly problem: AttackProblem
  readonly end: AttackEnd
  readonly saved: SavedPicture | undefined
}

function attackedOf({ image, victim, track, problem, end, saved }: Ended, isFooled: boolean): Attacked {
  const failure = failureOf(problem.account, end)
  const record: ImageRecord = {
    ...screenedRecord(image),
    ...track,
    status: statusOf(problem.account, end, isFooled),
    reason: failure,
    modelCalls: image.modelCalls + (saved?.modelCalls ?? 0),
    success8bit: saved?.success ?? null,
    saved: saved?.saved ?? null,
    stopReason: reasonToStop(end, failure),
  }
  return { record, picture: saved && { original: victim.pixels, adversarial: saved.pixels } }
}
