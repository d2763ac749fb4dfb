import { type Guess, guessPreprocessing, plainPreprocessing, type Sample } from './guess-preprocessing.ts'
import type { Model } from './model.ts'

/** What was counted, with some of the images. */
export interface Tally {
  count: number
  correct: number
  readonly sample: { readonly pixels: Float32Array[]; readonly labels: number[] }
}

/** Below this accuracy it is worth looking for a mistake. */
const low = 0.5

/** Says what is probably wrong where a model is right hardly more often than chance, or often wrong. */
export async function diagnosis(model: Model, tally: Tally, signal: AbortSignal | undefined): Promise<string[]> {
  const { count, correct, sample } = tally
  if (model.classes < 2) return []
  const isChance = nearChance(correct, count, model.classes)
  if (!isChance && correct >= low * count) return []
  const guess = await guessPreprocessing(model, sample, signal)
  const found = isConvincing(guess, sample, tally, model.classes)
  if (!isChance && !found) return []
  const measured = `the accuracy is ${percent(correct, count)} on ${images(count)}`
  const chance = isChance ? `, hardly better than chance (${percent(1, model.classes)})` : ''
  const cure = found ? cureOf(guess, model, sample) : 'check the preprocessing, the labels and the size of the images'
  return [`${measured}${chance}: ${cure}`]
}

/** Not above what guessing gives by three standard deviations, or less than three times as often right. */
function nearChance(correct: number, count: number, classes: number): boolean {
  const expected = count / classes
  const deviation = Math.sqrt(expected * (1 - 1 / classes))
  return correct <= expected + 3 * deviation || correct < Math.min(3 * expected, low * count)
}

/** Clearly better on the same images than the model as it is, and than chance. */
function isConvincing(guess: Guess, { labels }: Sample, { correct, count }: Tally, classes: number): boolean {
  const now = (correct / count) * labels.length
  const gain = Math.max(3, 0.2 * labels.length)
  return guess.correct >= now + gain && !nearChance(guess.correct, labels.length, classes)
}

function cureOf({ preprocessing, labelShift, correct }: Guess, model: Model, { labels }: Sample): string {
  const now = model.preprocessing ?? plainPreprocessing(model)
  const labelOffset = now.labelOffset + labelShift
  const changed = (['range', 'mean', 'std', 'channelOrder'] as const)
    .filter((name) => shown(now[name]) !== shown(preprocessing[name]))
    .map((name) => ({ name, value: shown(preprocessing[name]) }))
  const settings =
    labelShift === 0 || labelOffset < 0 ? changed : [...changed, { name: 'labelOffset', value: labelOffset }]
  const isFromOne = labelOffset < 0
  const what = [...settings.map(({ name, value }) => `${name} ${value}`), ...(isFromOne ? ['labels lower by one'] : [])]
  const where = [...settings.map(({ name }) => `preprocessing.${name}`), ...(isFromOne ? ['the labels'] : [])]
  const then = `it would be ${percent(correct, labels.length)} on ${images(labels.length)}`
  return `with ${what.join(', ')} ${then}; change ${where.join(', ')}`
}

function shown(value: unknown): string {
  return Array.isArray(value) ? `[${value.join(', ')}]` : String(value)
}

function images(count: number): string {
  return count === 1 ? '1 image' : `${count} images`
}

function percent(part: number, whole: number): string {
  return `${Number(((100 * part) / whole).toPrecision(3))} %`
}
