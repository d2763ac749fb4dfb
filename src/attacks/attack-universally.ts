import type { SessionOptions } from '../core/session-options.ts'
import { attackProblem, type Victim } from './attack-problem.ts'
import { type Attacked, type AttackTask, failureOf, isOver, reasonToStop } from './attack-task.ts'
import type { AttackCurve, ImageRecord } from './records.ts'
import { savedPicture } from './saved-picture.ts'
import { screenedRecord } from './screened-record.ts'
import type { Screened } from './screening.ts'

/** The result of a search for one perturbation for all images. */
export interface UniversalAttack {
  readonly images: readonly Attacked[]
  readonly queries: number
  /** Of the search itself: every query classifies every image. */
  readonly modelCalls: number
  readonly curve: AttackCurve
}

/** Seeks one perturbation that fools the model on all images; an image counts as fooled if the last one found fools it. */
export async function attackUniversally(
  { model, dataset, options, control, run }: AttackTask,
  images: readonly Screened[],
  session: Omit<SessionOptions, 'set' | 'shape'>,
): Promise<UniversalAttack> {
  const victims: Victim[] = await Promise.all(
    images.map(async ({ index, label, target }) => {
      const { pixels } = await dataset.read(index)
      return { pixels, label: label ?? 0, target: target ?? undefined }
    }),
  )
  const { form, lambda, kappa, earlyStop } = options
  const problem = attackProblem(model, victims, { form, lambda, kappa })
  const { account } = problem
  const place = { index: -1, title: 'universal' }
  const end = await run(problem, { ...session, set: problem.set, shape: problem.shape }, place, {
    signal: control.signal,
    onIteration() {
      const iteration = account.tracks[0]?.final?.iteration ?? 0
      const fooled = account.tracks.filter(({ final }) => final?.fooled === true).length
      const variables = account.variables('final')
      control.onIteration?.({ ...place, iteration, queries: account.queries, fooled, variables })
      return isOver(account, earlyStop) ? 'stop' : undefined
    },
  })
  control.signal?.throwIfAborted()
  const failure = failureOf(account, end)
  const attacked = images.map(async (image, i): Promise<Attacked> => {
    const victim = victims[i] as Victim
    const track = account.tracks[i] ?? { first: null, best: null, final: null }
    const saved = await savedPicture(model, problem, victim, ['final'], { image: i, signal: control.signal })
    const record: ImageRecord = {
      ...screenedRecord(image),
      ...track,
      status: track.final?.fooled === true ? 'fooled' : failure === null ? 'robust' : 'failed',
      reason: failure,
      modelCalls: image.modelCalls + (saved?.modelCalls ?? 0),
      success8bit: saved?.success ?? null,
      saved: saved?.saved ?? null,
      stopReason: reasonToStop(end, failure),
    }
    return { record, picture: saved === undefined ? undefined : { original: victim.pixels, adversarial: saved.pixels } }
  })
  return {
    images: await Promise.all(attacked),
    queries: account.queries,
    modelCalls: account.queries * images.length,
    curve: account.curve(),
  }
}
