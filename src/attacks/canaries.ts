import { endsRun } from '../core/errors.ts'
import type { Dataset } from '../datasets/dataset.ts'
import type { Model } from '../models/model.ts'
import { readScores } from './attack-objective.ts'
import type { CanaryRecord } from './records.ts'
import type { FailureTally } from './saved-picture.ts'
import type { Screened } from './screening.ts'

/**
 * How far an answer may be from the one at the beginning, as a share of the range of the scores. Other batches, threads and
 * graphics cards move scores by far less than a hundredth of their range; a network that was trained again moves them by more.
 */
const tolerance = 0.02

/** What asking about clean images again has brought. */
export interface Canaries extends FailureTally {
  readonly record: CanaryRecord
}

/**
 * Asks about the first screened images again once the attacks have ended, outside their budgets. Attacks on a model that has
 * been replaced in between have measured neither the old one nor the new one.
 */
export async function askCanaries(
  model: Model,
  dataset: Dataset,
  screened: readonly Screened[],
  signal: AbortSignal | undefined,
): Promise<Canaries> {
  // A file that is gone says nothing about the model.
  const read = async (index: number) => dataset.read(index).catch(() => undefined)
  const known = screened.filter(({ scores }) => scores !== undefined)
  const pictures = await Promise.all(known.map(({ index }) => read(index)))
  const chosen = known.filter((_, i) => pictures[i] !== undefined)
  const pixels = pictures.flatMap((picture) => (picture === undefined ? [] : [picture.pixels]))
  const scores = new Float64Array(chosen.length * model.classes).fill(Number.NaN)
  const tally = { failedQueries: 0, retries: 0 }
  const images = {
    rows: chosen.length,
    write: (row: number, into: Float32Array | Float64Array, offset = 0) => into.set(pixels[row] ?? [], offset),
    askedAgain() {
      tally.retries++
      tally.failedQueries++
    },
  }
  try {
    if (chosen.length > 0) await model.predict(images, scores, signal)
  } catch (error) {
    signal?.throwIfAborted()
    if (endsRun(error)) throw error
  }
  const now = (i: number) => scores.subarray(i * model.classes, (i + 1) * model.classes)
  const unanswered = chosen.filter((_, i) => now(i).some(Number.isNaN)).length
  tally.failedQueries += unanswered
  const changes = chosen.flatMap((image, i) => changeOf(image, now(i), model) ?? [])
  const record = { asked: chosen.length, changed: changes.length, unanswered, reason: changes[0] ?? null }
  return { record, ...tally }
}

/** How an answer differs from the one at the beginning, where it does; one that did not come does not. */
function changeOf({ title, label, scores = [] }: Screened, now: Float64Array, model: Model): string | undefined {
  if (now.some(Number.isNaN)) return undefined
  const [before, after] = [scores, Array.from(now)].map((each) => comparable(each, model.scores))
  const range = model.scores === 'logits' ? Math.max(...(before ?? [])) - Math.min(...(before ?? [])) : 1
  const moved = (before ?? []).reduce((most, score, i) => Math.max(most, Math.abs(score - (after?.[i] ?? 0))), 0)
  // Scores that are all alike, or infinite, have no range.
  if (moved <= tolerance * (Number.isFinite(range) ? range : 1) + Number.EPSILON) return undefined
  const seen = (from: Float64Array) => readScores(from, 0, model.classes, model.scores, { label: label ?? 0 }).predicted
  const classes = [seen(Float64Array.from(scores)), seen(now)]
  return classes[0] === classes[1]
    ? `${title}: scores moved by up to ${Number(moved.toPrecision(2))}`
    : `${title}: class ${classes[0]} before, class ${classes[1]} now`
}

/** Scores on a scale on which noise is about the same everywhere: of probabilities the square root. */
function comparable(scores: readonly number[], kind: Model['scores']): readonly number[] {
  return kind === 'logits' ? scores : scores.map((score) => Math.sqrt(Math.max(0, score)))
}
