import { ZerothError } from '../core/errors.ts'
import type { Output, Type } from '../core/option-type.ts'
import { choice, count, imageDimensions, optional, table } from '../core/options.ts'
import { anyNumber, listOf, oneOf, positiveNumber, tuple, union, wholeFrom } from '../core/schema.ts'
import type { ImageShape } from '../core/types.ts'
import type { ScoreKind } from './model.ts'

const perChannel = (number: Type<number, number>) => union(number, listOf(number, 1))
const range = tuple(anyNumber, anyNumber)
const mean = perChannel(anyNumber)
const std = perChannel(positiveNumber)
const channelOrder = oneOf('RGB', 'BGR')
const scores = oneOf('logits', 'probabilities', 'labels')
const labelOffset = wholeFrom(0)

/** Arrays for the kinds of numbers that networks take. */
export const tensorArrays = {
  float32: Float32Array,
  float64: Float64Array,
  uint8: Uint8Array,
  int8: Int8Array,
} as const

/** A kind of numbers that networks take. */
export type TensorType = keyof typeof tensorArrays

/** Memory that a network reads its images from. */
export type TensorData = Float32Array | Float64Array | Uint8Array | Int8Array

/** Whether numbers of a kind are whole: pixels are rounded for them. */
export function isWholeType(type: TensorType): boolean {
  return type === 'uint8' || type === 'int8'
}

/** What a network wants its images to be like, and what its scores mean. All of it may be left out. */
export const preprocessingOption = table({
  shape: optional(imageDimensions, 'size of an image; needed only where the network leaves it open'),
  layout: optional(choice(['NCHW', 'NHWC'], 'channels before or after the pixels; guessed from the shape')),
  range: optional(range, 'what black and white become before mean and std; [0, 1] if left out'),
  mean: optional(mean, 'what is then subtracted, one number or one per channel of the network; 0 if left out'),
  std: optional(std, 'what it is then divided by, one number or one per channel of the network; 1 if left out'),
  channelOrder: optional(channelOrder, 'the order of three channels; RGB if left out'),
  scores: optional(
    scores,
    'what the network gives: scores, or labels, a class alone; if left out, labels where there is one whole number per image, else logits',
  ),
  labelOffset: optional(labelOffset, 'dummy classes at the front of the scores; 0 if left out'),
  classes: optional(
    count(
      'how many classes are left after them; found out where possible, by the images where the network gives labels',
    ),
  ),
})

/** What a user says about a network. */
export type PreprocessingOption = Output<typeof preprocessingOption>

/** Where the channels are. */
export type Layout = 'NCHW' | 'NHWC'

/** How pixels become what a network is fed, with nothing left open: tensor = factor pixel + shift, by channel. */
export interface Preprocessing {
  readonly shape: ImageShape
  readonly layout: Layout
  readonly channelOrder: 'RGB' | 'BGR'
  readonly scores: ScoreKind
  readonly labelOffset: number
  readonly range: [number, number]
  readonly mean: number | number[]
  readonly std: number | number[]
  /** What these three come to, one per channel, red first. */
  readonly factor: readonly number[]
  readonly shift: readonly number[]
}

/** What is known of a network's input. */
interface NetworkInput {
  readonly shape: ImageShape
  readonly layout: Layout
  readonly type: TensorType
}

/** Channels of an image at most: there are numbers for each. */
const mostChannels = 65_536

/** Values of one image. */
export function imageSize({ channels, height, width }: ImageShape): number {
  return channels * height * width
}

/** Channels, height and width, for people. */
export function shownShape({ channels, height, width }: ImageShape): string {
  return `${channels}x${height}x${width}`
}

/** Fills in what was left open: bytes for a network that takes bytes. `where` is what an error names. */
export function completePreprocessing(
  given: PreprocessingOption,
  { shape, layout, type }: NetworkInput,
  where: string,
): Preprocessing {
  const { shape: _, layout: __, classes: ___, ...said } = mergePreprocessing(standardFor(type), given)
  const known = said as Omit<Preprocessing, 'shape' | 'layout' | 'factor' | 'shift'>
  const { channels } = shape
  if (channels > mostChannels) {
    const what = `images of ${shownShape(shape)} have ${channels} channels`
    throw new ZerothError('invalid-model', `${where}: ${what}; at most ${mostChannels} are supported`)
  }
  if (known.channelOrder === 'BGR' && channels !== 3) {
    throw new ZerothError(
      'invalid-option',
      `${where}: preprocessing.channelOrder BGR needs 3 channels, the images have ${channels}`,
    )
  }
  const [low, high] = known.range
  if (low === high) {
    throw new ZerothError(
      'invalid-option',
      `${where}: preprocessing.range must have two different ends, got [${low}, ${high}]`,
    )
  }
  const means = channelValues(known.mean, channels, 'mean', where)
  const stds = channelValues(known.std, channels, 'std', where)
  const redFirst = (values: readonly number[]) => (known.channelOrder === 'BGR' ? values.toReversed() : values)
  return {
    ...known,
    shape,
    layout,
    factor: redFirst(stds.map((each) => (high - low) / each)),
    shift: redFirst(means.map((each, channel) => (low - each) / (stds[channel] as number))),
  }
}

/** What is meant where nothing is said. */
function standardFor(type: TensorType): PreprocessingOption {
  const ranges: Partial<Record<TensorType, [number, number]>> = { uint8: [0, 255], int8: [-128, 127] }
  return { range: ranges[type] ?? [0, 1], mean: 0, std: 1, channelOrder: 'RGB', scores: 'logits', labelOffset: 0 }
}

/** What the second says, and what only the first says. */
export function mergePreprocessing(first: PreprocessingOption, second: PreprocessingOption): PreprocessingOption {
  const said = Object.entries(second).filter(([, value]) => value !== undefined)
  return { ...first, ...Object.fromEntries(said) }
}

function channelValues(value: number | readonly number[], channels: number, field: string, where: string): number[] {
  if (typeof value === 'number') return new Array<number>(channels).fill(value)
  if (value.length === channels) return [...value]
  const wanted = `must be one number, or a list with one for each channel (${channels})`
  throw new ZerothError('invalid-option', `${where}: preprocessing.${field} ${wanted}, got ${value.length} numbers`)
}
