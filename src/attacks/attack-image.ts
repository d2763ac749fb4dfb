import type { SessionOptions } from '../core/session-options.ts'
import { attackProblem } from './attack-problem.ts'
import { type Attacked, type AttackTask, failureOf, isOver, reasonToStop } from './attack-task.ts'
import type { ImageRecord } from './records.ts'
import { savedPicture } from './saved-picture.ts'
import { screenedRecord } from './screened-record.ts'
import type { Screened } from './screening.ts'

/** Points whose pictures may be kept. */
const moments = ['best', 'final', 'first'] as const

/**
 * How much larger the best change may be made where its 8-bit picture does not fool the model. A method that ends right at
 * the boundary needs it nearly always: its first success, the last resort, is far from the smallest.
 */
const stretches = [1.02, 1.05, 1.1, 1.2, 1.4, 2, 3] as const

/** Pictures of an image that are checked at most. */
export const mostChecks = moments.length + stretches.length

/** Attacks one image. */
export async function attackImage(
  { model, dataset, options, control, run }: AttackTask,
  image: Screened,
  session: Omit<SessionOptions, 'set' | 'shape'>,
): Promise<Attacked> {
  const { pixels } = await dataset.read(image.index)
  const victim = { pixels, label: image.label ?? 0, target: image.target ?? undefined }
  const { form, lambda, kappa, earlyStop } = options
  const problem = attackProblem(model, [victim], { form, lambda, kappa })
  const { account } = problem
  const { index, title } = image
  const end = await run(problem, { ...session, set: problem.set, shape: problem.shape }, image, {
    signal: control.signal,
    onIteration() {
      const [track] = account.tracks
      const at = track?.final?.iteration ?? 0
      control.onIteration?.({
        index,
        title,
        iteration: at,
        queries: account.queries,
        fooled: track?.first == null ? 0 : 1,
      })
      return isOver(account, earlyStop) ? 'stop' : undefined
    },
  })
  control.signal?.throwIfAborted()
  const track = account.tracks[0] ?? { first: null, best: null, final: null }
  const { signal } = control
  const saved =
    track.best === null ? undefined : await savedPicture(model, problem, victim, moments, { stretches, signal })
  const failure = failureOf(account, end)
  const record: ImageRecord = {
    ...screenedRecord(image),
    ...track,
    status: track.first !== null ? 'fooled' : failure === null ? 'robust' : 'failed',
    reason: failure,
    queries: account.queries,
    modelCalls: image.modelCalls + account.queries + (saved?.modelCalls ?? 0),
    success8bit: saved?.success ?? null,
    saved: saved?.saved ?? null,
    stopReason: reasonToStop(end, failure),
    curve: account.curve(),
  }
  return { record, picture: saved === undefined ? undefined : { original: pixels, adversarial: saved.pixels } }
}
