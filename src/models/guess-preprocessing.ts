import type { Images, Model } from './model.ts'
import { completePreprocessing, type Preprocessing, type PreprocessingOption } from './preprocessing.ts'

/** Images with their classes. */
export interface Sample {
  readonly pixels: readonly Float32Array[]
  readonly labels: readonly number[]
  /** What the model says to them as it is fed now. */
  readonly predictions: readonly number[]
  /** The lowest and the highest label of all images, not only of these. */
  readonly extremes: readonly [number, number]
}

/** Another description of a network, and how many images it gets right. */
export interface Guess {
  readonly preprocessing: Preprocessing
  /** What must be added to the labels for that. */
  readonly labelShift: number
  readonly correct: number
}

/** What networks are usually fed with. */
const usual: readonly PreprocessingOption[] = [
  { range: [0, 255] },
  { range: [0, 1] },
  { range: [-1, 1] },
  { range: [1, 0] },
  { range: [255, 0] },
]
const usualForColor: readonly PreprocessingOption[] = [
  { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] },
  { range: [0, 255], mean: [103.939, 116.779, 123.68], channelOrder: 'BGR' },
]
const usualForGrey: readonly PreprocessingOption[] = [{ mean: 0.1307, std: 0.3081 }]

/** The labels counted as they are, from one more and from one less. */
const labelShifts = [0, 1, -1]

/** With this share classified correctly, only the best guess is tried in the other order of channels. */
const goodEnough = 0.9

/** Tries what networks are usually fed with, in both orders of channels, and names the best. */
export async function guessPreprocessing(model: Model, sample: Sample, signal?: AbortSignal): Promise<Guess> {
  const now = model.preprocessing ?? plainPreprocessing(model)
  const shifts = labelShifts.filter((each) => each === 0 || mayShift(each, model, now, sample))
  const tryOut = async (other: Preprocessing): Promise<Guess> => {
    const scores = new Float32Array(sample.pixels.length * model.classes)
    await model.predict(imagesFedAs(sample, now, other), scores, signal)
    const predictions = sample.labels.map((_, i) => bestClass(scores, i, model.classes))
    return bestShift(other, shifts, sample.labels, predictions)
  }
  const inThisOrder = usualFor(model, now.channelOrder).filter((each) => !isSame(each, now))
  let best = bestShift(now, shifts, sample.labels, sample.predictions)
  for (const other of inThisOrder) best = better(best, await tryOut(other))
  const isClear = best.correct >= goodEnough * sample.labels.length
  const inOtherOrder = (isClear ? [best.preprocessing] : [now, ...inThisOrder]).flatMap((each) => turned(model, each))
  for (const other of inOtherOrder) best = better(best, await tryOut(other))
  return best
}

/** What networks for images with so many channels are usually fed with. */
export function usualPreprocessing(channels: number): readonly PreprocessingOption[] {
  return [...usual, ...(channels === 3 ? usualForColor : usualForGrey)]
}

function usualFor(model: Model, channelOrder: 'RGB' | 'BGR'): Preprocessing[] {
  return usualPreprocessing(model.shape.channels).map((said) => plainPreprocessing(model, { channelOrder, ...said }))
}

/** The same with the channels in the other order, where there are two. */
function turned(model: Model, { range, mean, std, channelOrder }: Preprocessing): Preprocessing[] {
  if (model.shape.channels !== 3) return []
  return [plainPreprocessing(model, { range, mean, std, channelOrder: channelOrder === 'RGB' ? 'BGR' : 'RGB' })]
}

/** What a model is fed with that says nothing about it. */
export function plainPreprocessing({ shape }: Model, said: PreprocessingOption = {}): Preprocessing {
  return completePreprocessing(said, { shape, layout: 'NCHW', type: 'float32' }, 'preprocessing')
}

/** The first, unless the second is right more often. */
function better(first: Guess, second: Guess): Guess {
  return second.correct > first.correct ? second : first
}

/** Which of the shifts of the labels makes the predictions right most often. */
function bestShift(
  preprocessing: Preprocessing,
  shifts: readonly number[],
  labels: readonly number[],
  predictions: readonly number[],
): Guess {
  const rightWith = (shift: number) => predictions.filter((each, i) => each === (labels[i] as number) + shift).length
  return shifts.map((labelShift) => ({ preprocessing, labelShift, correct: rightWith(labelShift) })).reduce(better)
}

/** Whether every label then is a class that the model has: fewer of them, with one more dummy in front. */
function mayShift(shift: number, { classes }: Model, { labelOffset }: Preprocessing, { extremes }: Sample): boolean {
  const [lowest, highest] = extremes
  const isOfLabels = labelOffset + shift < 0
  return isOfLabels ? lowest + shift >= 0 && highest + shift < classes : highest < classes - shift
}

/** Whether the network gets the same numbers, however they are written. */
function isSame(a: Preprocessing, b: Preprocessing): boolean {
  const isEqual = (x: readonly number[], y: readonly number[]) => x.every((each, i) => each === y[i])
  return a.channelOrder === b.channelOrder && isEqual(a.factor, b.factor) && isEqual(a.shift, b.shift)
}

/** Images changed so that a network which is fed in one way gets what it would get in the other. */
export function imagesFedAs({ pixels }: Pick<Sample, 'pixels'>, current: Preprocessing, other: Preprocessing): Images {
  const { channels, height, width } = current.shape
  const plane = height * width
  const isSwapped = current.channelOrder !== other.channelOrder
  return {
    rows: pixels.length,
    write(row, into, offset = 0) {
      const image = pixels[row] as Float32Array
      for (let channel = 0; channel < channels; channel++) {
        const source = isSwapped ? channels - 1 - channel : channel
        const factor = (other.factor[source] as number) / (current.factor[channel] as number)
        const shift =
          ((other.shift[source] as number) - (current.shift[channel] as number)) / (current.factor[channel] as number)
        for (let i = 0; i < plane; i++) {
          into[offset + channel * plane + i] = (image[source * plane + i] as number) * factor + shift
        }
      }
    },
  }
}

/** The class with the highest score of an image. */
export function bestClass(scores: ArrayLike<number>, row: number, classes: number): number {
  let best = 0
  for (let i = 1; i < classes; i++) {
    if ((scores[row * classes + i] as number) > (scores[row * classes + best] as number)) best = i
  }
  return best
}
