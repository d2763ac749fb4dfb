import type { Image } from '../datasets/dataset.ts'
import { type Guess, guessPreprocessing, plainPreprocessing, type Sample } from './guess-preprocessing.ts'
import type { Model } from './model.ts'

/** What was found out about a model, image by image. */
export interface Measured {
  readonly labels: readonly (number | undefined)[]
  readonly predictions: Int32Array
  /** Images with a label. */
  readonly count: number
  readonly correct: number
  /** Reads some of the images again. */
  read(indices: readonly number[]): Promise<Image[]>
}

/** Below this accuracy it is worth looking for a mistake. */
const low = 0.5

/** Images on which other ways to feed the model are tried. */
const sampleSize = 32

/** Says what is probably wrong where a model is right hardly more often than chance, or often wrong. */
export async function diagnosis(model: Model, measured: Measured, signal: AbortSignal | undefined): Promise<string[]> {
  const { count, correct } = measured
  if (model.classes < 2 || count === 0) return []
  const isChance = nearChance(correct, count, model.classes)
  if (!isChance && correct >= low * count) return []
  const found = await cureFor(model, measured, signal)
  if (!isChance && found === undefined) return []
  const said = `the accuracy is ${percent(correct, count)} on ${images(count)}`
  const chance = isChance ? `, hardly better than chance (${percent(1, model.classes)})` : ''
  return [`${said}${chance}: ${found ?? 'check the preprocessing, the labels and the size of the images'}`]
}

/** Not above what guessing gives by three standard deviations, or less than three times as often right. */
function nearChance(correct: number, count: number, classes: number): boolean {
  const expected = count / classes
  const deviation = Math.sqrt(expected * (1 - 1 / classes))
  return correct <= expected + 3 * deviation || correct < Math.min(3 * expected, low * count)
}

async function cureFor(
  model: Model,
  { labels, predictions, read }: Measured,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const indices = spreadSample(labels, sampleSize)
  const known = labels.filter((each) => each !== undefined)
  // Where all images are of one class, a model that always names it is right.
  if (new Set(known).size < 2) return undefined
  const sample: Sample = {
    pixels: (await read(indices)).map(({ pixels }) => pixels),
    labels: indices.map((index) => labels[index] as number),
    predictions: indices.map((index) => predictions[index] as number),
    extremes: known.reduce(([least, most], each) => [Math.min(least, each), Math.max(most, each)], [Infinity, 0]),
  }
  const guess = await guessPreprocessing(model, sample, signal)
  return isConvincing(guess, sample) ? cureOf(guess, model, sample) : undefined
}

/** Clearly better on the same images than the model as it is, and than one that always names the same class. */
function isConvincing({ correct }: Guess, { labels, predictions }: Sample): boolean {
  const count = labels.length
  const now = labels.filter((label, i) => label === predictions[i]).length
  const constant = Math.max(...labels.map((label) => labels.filter((each) => each === label).length))
  const base = Math.max(now, constant)
  const share = (base + 1) / (count + 2)
  const isSignificant = correct >= share * count + 3 * Math.sqrt(count * share * (1 - share))
  return isSignificant && correct >= base + count / 4
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

/**
 * Which images to look at where not all can be: as many of each class as of any other, as far as there are so many, and
 * those spread over the whole set. Images without a label are left out.
 */
export function spreadSample(labels: readonly (number | undefined)[], size: number): number[] {
  const all = membersByClass(labels)
  const groups = spread(all, Math.min(size, all.length))
  return fairShares(
    groups.map((group) => group.length),
    size,
  )
    .flatMap((share, i) => spread(groups[i] as number[], share))
    .sort((a, b) => a - b)
}

function membersByClass(labels: readonly (number | undefined)[]): number[][] {
  const groups = new Map<number, number[]>()
  labels.forEach((label, index) => {
    if (label === undefined) return
    const group = groups.get(label) ?? []
    groups.set(label, group)
    group.push(index)
  })
  return [...groups].sort(([a], [b]) => a - b).map(([, group]) => group)
}

/** Gives each in turn one more, until all are given away or none can take more. */
function fairShares(most: readonly number[], size: number): number[] {
  const shares = most.map(() => 0)
  for (let left = size, given = -1; left > 0 && given !== 0; left -= given) {
    given = 0
    most.forEach((limit, i) => {
      if ((shares[i] as number) >= limit || given >= left) return
      shares[i] = (shares[i] as number) + 1
      given++
    })
  }
  return shares
}

function spread<T>(list: readonly T[], count: number): T[] {
  return Array.from({ length: count }, (_, i) => list[Math.floor(((i + 0.5) * list.length) / count)] as T)
}
