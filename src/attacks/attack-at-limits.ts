import { type AttackSession, attackImage } from './attack-images.ts'
import type { Attacked, AttackTask } from './attack-task.ts'
import type { AttackForm, PosedAttack } from './form.ts'
import type { AttackLimits, AttackPoint, ImageRecord, LimitRecord } from './records.ts'
import type { ReadyOptions } from './robustness-options.ts'
import type { Screened } from './screening.ts'

/**
 * Attacks one image within its limit and, where there are smaller ones, within those, the largest first. What withstands a
 * limit withstands the smaller ones, too, and is not attacked there. An image counts as fooled within a limit only by a
 * point that was evaluated and lies within it: one found within a larger limit, or by an attack of its own with the whole
 * budget, which ends at the first success.
 */
export async function attackAtLimits(task: AttackTask, image: Screened, session: AttackSession): Promise<Attacked> {
  const { form, smaller } = task.options
  const largest = await attackImage(task, image, session)
  if (smaller === undefined) return largest
  let { record } = largest
  const limits = [attackedLimit(limitsOfForm(form), record)]
  for (const [i, each] of smaller.entries()) {
    const posed = posedAlone(each)
    const known = knownLimit(posed, limits.at(-1) as LimitRecord)
    if (known !== undefined) {
      limits.push(known)
      continue
    }
    const attacked = await attackImage(withinForm(task, each, `smaller-${i + 1}`, record.queries), image, session)
    limits.push(attackedLimit(posed.limits ?? {}, attacked.record))
    record = withCost(record, attacked.record, image)
  }
  return { ...largest, record: { ...record, limits } }
}

/** The limits of an evaluation with several, the largest first; none where it has one at most. */
export function limitsOfForms({ form, smaller }: Pick<ReadyOptions, 'form' | 'smaller'>): AttackLimits[] {
  return smaller === undefined ? [] : [form, ...smaller].map(limitsOfForm)
}

/** The limits of one form; none where changes may have any size. */
export function limitsOfForm(form: AttackForm): AttackLimits {
  return posedAlone(form).limits ?? {}
}

/** A form applied to one pixel: enough to know its limits. */
function posedAlone(form: AttackForm): PosedAttack {
  return form.begin([new Float32Array(1)])
}

/** What an attack says about the limit it was made within. */
function attackedLimit({ linf, l2 }: AttackLimits, { status, queries, best, first }: ImageRecord): LimitRecord {
  const success = status === 'fooled' ? (best ?? first) : null
  return { ...limitOf({ linf, l2 }), status, from: 'attack', queries, success }
}

/** What is known of a limit without an attack, from the next larger one. */
function knownLimit(posed: PosedAttack, larger: LimitRecord): LimitRecord | undefined {
  const limit = limitOf(posed.limits ?? {})
  const { status, success } = larger
  if (status !== 'fooled') return { ...limit, status, from: 'larger limit', queries: 0, success: null }
  if (success === null || !isAllowed(posed, success)) return undefined
  return { ...limit, status, from: 'larger success', queries: 0, success }
}

function isAllowed(posed: PosedAttack, point: AttackPoint): boolean {
  return posed.allows?.(point) ?? true
}

function limitOf({ linf, l2 }: AttackLimits): AttackLimits {
  return { ...(linf === undefined ? {} : { linf }), ...(l2 === undefined ? {} : { l2 }) }
}

/** The task of an attack within a smaller limit: it only asks whether there is a success, and has a run of its own. */
function withinForm(task: AttackTask, form: AttackForm, part: string, spent: number): AttackTask {
  const { options, control, run } = task
  return {
    ...task,
    options: { ...options, form, earlyStop: true },
    control: {
      ...control,
      onIteration: (at) =>
        control.onIteration?.({ ...at, queries: at.queries + spent, fooled: Math.max(1, at.fooled) }),
    },
    run: (problem, session, place, watch) => run(problem, session, { ...place, part }, watch),
  }
}

/** The record of an image with what a further attack cost. One that could not be measured there has not been measured. */
function withCost(record: ImageRecord, further: ImageRecord, image: Screened): ImageRecord {
  const { status, reason, stopReason } = further
  const cost = {
    queries: record.queries + further.queries,
    modelCalls: record.modelCalls + further.modelCalls - image.modelCalls,
    failedQueries: record.failedQueries + further.failedQueries - (image.failedQueries ?? 0),
    retries: record.retries + further.retries - (image.retries ?? 0),
  }
  const isMeasured = status === 'fooled' || status === 'robust'
  return { ...record, ...cost, ...(isMeasured ? {} : { status, reason, stopReason }) }
}
