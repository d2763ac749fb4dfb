import { ZerothError } from '../core/errors.ts'
import type { Images, ScoreKind } from './model.ts'
import { type NetworkPlace, tensorWriter } from './network-place.ts'
import type { Preprocessing } from './preprocessing.ts'

/** What is known of a network's answers before they are read. */
interface Answering {
  /** What errors name. */
  readonly where: string
  /** Numbers for each image. */
  readonly outputs: number
  /** Whether they can only be whole. */
  readonly isWhole: boolean
  /** What the user says they are. */
  readonly said: ScoreKind | undefined
}

/** What a user should know of a model that answers with a class alone. */
export const labelsNotice = 'the model answers with a class and no scores: only methods for labels can attack it'

/**
 * What a network's numbers are. One number for each image, nothing said about it, is a class if it is whole on some plain
 * images: the only score of a classifier of two classes would not be.
 */
export async function scoreKind(
  { where, outputs, isWhole, said }: Answering,
  place: NetworkPlace | undefined,
  preprocessing: Preprocessing,
): Promise<ScoreKind> {
  if (outputs > 1 && isWhole && said !== 'labels') {
    const advice = 'set preprocessing.scores to labels where the largest of them is the class'
    throw new ZerothError('invalid-model', `${where} gives ${outputs} whole numbers per image; ${advice}`)
  }
  if (said !== undefined || outputs > 1) return said ?? 'logits'
  const odd = isWhole || place === undefined ? undefined : await oddAnswer(place, preprocessing).catch(() => 'none')
  // A network that cannot be asked says why when it is asked in earnest.
  if (odd === 'none') return 'logits'
  if (odd === undefined) return 'labels'
  throw new ZerothError('invalid-model', `${where} gives one number per image, such as ${odd}: ${noClass}`)
}

const noClass =
  'neither scores of all classes nor a class. The only score of a classifier of two classes must become two: ' +
  'let the network give [0, s] for its logit s, or the class itself (s > 0)'

/** An answer to a plain image that is not whole, where there is one. */
async function oddAnswer(place: NetworkPlace, preprocessing: Preprocessing): Promise<number | undefined> {
  const shades = [0, 0.3, 0.5, 0.8, 1]
  const images: Images = { rows: shades.length, write: (row, into) => void into.fill(shades[row] as number) }
  const write = tensorWriter(preprocessing)
  for (const row of shades.keys()) {
    write(images, row, 1, place.data)
    const answer = Number((await place.run(1))[0])
    if (!Number.isInteger(answer)) return answer
  }
  return undefined
}

/** What a class that a network answered with stands for in the scores. */
interface ClassRange {
  readonly name: string
  readonly classes: number
  readonly labelOffset: number
}

/** Writes the scores of a class: 1 for it and 0 for all others. */
export function writeClass(answer: unknown, into: Float32Array | Float64Array, range: ClassRange): void {
  const { classes, labelOffset, name } = range
  const found = Number(answer) - labelOffset
  if (!Number.isInteger(found) || found < 0 || found >= classes) {
    const wanted = `a whole number from ${labelOffset} to ${labelOffset + classes - 1}`
    const advice = Number.isInteger(found)
      ? '; if it has more classes, set preprocessing.classes'
      : '; are these scores?'
    // No other image fares better: the model is not what it was taken for.
    throw new ZerothError(
      'invalid-option',
      `${name} answered with the class ${Number(answer)} where ${wanted} was wanted${advice}`,
    )
  }
  into.fill(0)
  into[found] = 1
}

/** The class with the highest of some scores; NaN where there is none. */
export function highestOf(scores: ArrayLike<number | bigint>, first: number, count: number): number {
  let best = 0
  for (let i = 0; i < count; i++) {
    const score = Number(scores[first + i])
    if (Number.isNaN(score)) return Number.NaN
    if (score > Number(scores[first + best])) best = i
  }
  return best
}
