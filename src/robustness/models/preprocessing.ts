import { ZerothError } from '../../optimizer/core/errors.ts'
import {
  count,
  imageDimensions,
  integerFrom,
  listOf,
  number,
  type Output,
  oneOf,
  optional,
  positive,
  type Type,
  table,
  tuple,
  union,
} from '../../optimizer/core/options.ts'
import type { ImageShape } from '../../optimizer/core/types.ts'

const perChannel = (number: Type<number, number>) => union(number, listOf(number, 1))
const range = tuple(number, number)
const mean = perChannel(number)
const std = perChannel(positive)
const channelOrder = oneOf('RGB', 'BGR')
const scores = oneOf('logits', 'probabilities', 'labels')
const labelOffset = integerFrom(0)

/** What the scores of a model are; labels: 1 for the class it answers with and 0 for all others. */
export type ScoreKind = Output<typeof scores>

/** What a user should know of a model that answers with a class alone. */
export const labelsNotice = 'the model answers with a class and no scores: only methods for labels can attack it'

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
  /** Size of an image; needed only where the network leaves it open. */
  shape: optional(imageDimensions),
  /** Channels before or after the pixels; guessed from the shape. */
  layout: optional(oneOf('NCHW', 'NHWC')),
  /** What black and white become before mean and std; [0, 1] if left out. */
  range: optional(range),
  /** What is then subtracted, one number or one per channel of the network; 0 if left out. */
  mean: optional(mean),
  /** What it is then divided by, one number or one per channel of the network; 1 if left out. */
  std: optional(std),
  /** The order of three channels; RGB if left out. */
  channelOrder: optional(channelOrder),
  /**
   * What the network gives: scores, or labels, a class alone; if left out, labels where there is one whole number per
   * image, else logits.
   */
  scores: optional(scores),
  /** Dummy classes at the front of the scores; 0 if left out. At least 0. */
  labelOffset: optional(labelOffset),
  /**
   * How many classes are left after them; found out where possible, by the images where the network gives labels. At
   * least 1.
   */
  classes: optional(count),
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
  { shape, layout, type }: Pick<NetworkInput, 'shape' | 'layout'> & { readonly type: TensorType },
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

/** The lengths of a tensor's sides; undefined where the network leaves one open. */
export type Sides = readonly (number | undefined)[]

/** How a network takes its images. */
export interface NetworkInput {
  readonly shape: ImageShape
  readonly layout: Layout
  /** How many images it takes at a time, where that is fixed. */
  readonly fixedBatch: number | undefined
  /** The sides of a tensor with that many images. */
  sides(count: number): number[]
}

/** What each side of the tensor stands for. */
interface Reading {
  /** Whether the first side counts images; a network without such a side takes one image at a time. */
  readonly counts: boolean
  /** The sides of one image: with its channels, grey without them, or all pixels in a row. */
  readonly form: 'full' | 'grey' | 'flat'
  readonly image: Sides
  /** Sides of length 1 around pixels in a row, where there are some. */
  readonly around?: { readonly before: number; readonly behind: number }
}

type Refuse = (why: string) => never

/** Finds out how images fit the input of a network. `where` names it in errors. */
export function networkInput(sides: Sides, given: PreprocessingOption, where: string): NetworkInput {
  const refuse: Refuse = (why) => {
    throw new ZerothError('invalid-model', `${where} takes ${shownSides(sides)}: ${why}`)
  }
  const { counts, form, image, around } = readSides(sides, given.shape, refuse)
  const layout = form === 'full' ? layoutOf(image, given, refuse) : (given.layout ?? 'NCHW')
  const shape = form === 'flat' ? flatShape(image, given.shape, refuse) : shapeOf(image, form, layout, given, refuse)
  const inner = [...ones(around?.before), ...innerSides(shape, form, layout), ...ones(around?.behind)]
  return {
    shape,
    layout,
    fixedBatch: counts ? sides[0] : 1,
    sides: (count) => (counts ? [count, ...inner] : inner),
  }
}

function ones(count = 0): number[] {
  return new Array<number>(count).fill(1)
}

/** The length of each side, `?` where it is open. */
function shownSides(sides: Sides): string {
  return `[${sides.map((side) => side ?? '?').join(', ')}]`
}

function readSides(sides: Sides, shape: ImageShape | undefined, refuse: Refuse): Reading {
  const [first, ...rest] = sides
  const row = rowIn(rest, sides.length, shape)
  if (row !== undefined) return row
  if (sides.length === 4) return { counts: true, form: 'full', image: rest }
  if (sides.length === 2) return { counts: true, form: 'flat', image: rest }
  if (sides.length === 1) return { counts: false, form: 'flat', image: sides }
  if (sides.length !== 3) return refuse('images have 1 to 4 sides here')
  const isImage = first !== undefined && (isChannels(first, shape) || isChannels(sides[2], shape))
  return isImage ? { counts: false, form: 'full', image: sides } : { counts: true, form: 'grey', image: rest }
}

/** Up to so many values may be the channels of an image of one pixel; more are pixels in a row. */
const fewValues = 4

/**
 * Pixels in a row with further sides of length 1, as in [1, 784, 1]. Four sides may as well be an image of one line: they are
 * a row only where the shape that is given says so.
 */
function rowIn(rest: Sides, length: number, shape: ImageShape | undefined): Reading | undefined {
  const at = rest.findIndex((side) => side !== 1)
  const size = rest[at]
  const isAlone = rest.length > 1 && size !== undefined && rest.every((side, i) => i === at || side === 1)
  if (!isAlone || size <= fewValues) return undefined
  const { channels, height, width } = shape ?? { channels: 0, height: 0, width: 0 }
  const isLine = Math.max(channels, height, width) === size
  if (isLine || (length === 4 && channels * height * width !== size)) return undefined
  return { counts: true, form: 'flat', image: [size], around: { before: at, behind: rest.length - 1 - at } }
}

function isChannels(side: number | undefined, shape: ImageShape | undefined): boolean {
  return shape === undefined ? side === 1 || side === 3 : side === shape.channels
}

function layoutOf(image: Sides, given: PreprocessingOption, refuse: Refuse): Layout {
  if (given.layout !== undefined) return given.layout
  const likely = (['NCHW', 'NHWC'] as const).filter((layout) => {
    const [channels, height, width] = channelsFirst(image, layout)
    if (given.shape === undefined) return isChannels(channels, undefined)
    return fits(channels, given.shape.channels) && fits(height, given.shape.height) && fits(width, given.shape.width)
  })
  if (likely.length === 1) return likely[0] as Layout
  if (likely.length === 0 && given.shape !== undefined) {
    return refuse(`preprocessing.shape ${shownShape(given.shape)} does not fit`)
  }
  return refuse('set preprocessing.layout to NCHW (channels first) or NHWC (channels last)')
}

function shapeOf(
  image: Sides,
  form: 'full' | 'grey',
  layout: Layout,
  { shape }: PreprocessingOption,
  refuse: Refuse,
): ImageShape {
  const [channels, height, width] = form === 'grey' ? [1, ...image] : channelsFirst(image, layout)
  const known = {
    channels: channels ?? shape?.channels,
    height: height ?? shape?.height,
    width: width ?? shape?.width,
  }
  const open = Object.entries(known).flatMap(([name, side]) => (side === undefined ? [name] : []))
  if (open.length > 0) refuse(`preprocessing.shape must say the size, the network leaves ${open.join(' and ')} open`)
  const found = known as ImageShape
  if (shape !== undefined && shownShape(shape) !== shownShape(found)) {
    refuse(`preprocessing.shape ${shownShape(shape)} does not fit, the network has ${shownShape(found)}`)
  }
  return found
}

function flatShape(image: Sides, shape: ImageShape | undefined, refuse: Refuse): ImageShape {
  if (shape === undefined) return refuse('preprocessing.shape must say which channels, height and width that is')
  const size = imageSize(shape)
  if (!fits(image[0], size)) refuse(`preprocessing.shape ${shownShape(shape)} has ${size} values`)
  return shape
}

function innerSides(shape: ImageShape, form: Reading['form'], layout: Layout): number[] {
  const { channels, height, width } = shape
  if (form === 'flat') return [imageSize(shape)]
  if (form === 'grey') return [height, width]
  return layout === 'NCHW' ? [channels, height, width] : [height, width, channels]
}

function channelsFirst(image: Sides, layout: Layout): Sides {
  return layout === 'NCHW' ? image : [image[2], image[0], image[1]]
}

function fits(side: number | undefined, length: number): boolean {
  return side === undefined || side === length
}

/** An input or output of a network. */
export interface NetworkValue {
  readonly name: string
  /** The kind of its numbers, as its runtime calls it. */
  readonly type: string
  readonly sides: Sides
}

/** What is wanted of a network's inputs or outputs. */
interface Wanted<Type extends string> {
  readonly kind: 'input' | 'output'
  /** Its name; the only one if left out. */
  readonly name: string | undefined
  /** The kinds of numbers that will do. */
  readonly types: readonly Type[]
}

/** The input that takes images or the output that gives scores: the only one, or the one that is named. */
export function chooseValue<Type extends string>(
  all: readonly NetworkValue[],
  { kind, name, types }: Wanted<Type>,
  network: string,
): NetworkValue & { readonly type: Type } {
  const refuse = (why: string): never => {
    throw new ZerothError('invalid-model', `${network} ${why}`)
  }
  const names = all.map((each) => each.name).join(', ')
  // Classifiers of scikit-learn and many others give a class beside the scores.
  const fractions = kind === 'output' ? all.filter(({ type }) => type.startsWith('float')) : []
  const usual = all.length === 1 ? all[0] : fractions.length === 1 ? fractions[0] : undefined
  const found = name === undefined ? usual : all.find((each) => each.name === name)
  if (found === undefined && name !== undefined) return refuse(`has no ${kind} ${name} (its ${kind}s: ${names})`)
  if (found === undefined)
    return refuse(
      `has ${all.length} ${kind}s (${names}): choose one with the option ${kind} (--${kind})${hintFor(all)}`,
    )
  const type = types.find((each) => each === found.type)
  if (type !== undefined) return { ...found, type }
  return refuse(
    `has the ${kind} ${found.name} of type ${found.type}; supported are ${types.join(', ')}${hintFor([found])}`,
  )
}

/** What helps against a list of dictionaries, which skl2onnx makes of scores unless it is told not to. */
function hintFor(values: readonly NetworkValue[]): string {
  const odd = values.find(({ type }) => type === 'no tensor')
  return odd === undefined ? '' : `; ${odd.name} is not a tensor: if skl2onnx made it, export with zipmap=False`
}

/**
 * Scores per image in an output with these sides; undefined where the network leaves that open. Scores lie in a row: several
 * sides are what detectors and segmenting networks give, of which an attack would take every number for a class.
 */
export function scoresPerImage(sides: Sides, fixedBatch: number | undefined, where: string): number | undefined {
  // Without a side for the images there is one image.
  const perImage = sides.length === 1 && fixedBatch === 1 ? sides : sides.slice(1)
  if (perImage.filter((side) => side !== undefined && side > 1).length > 1) {
    const why =
      'a classifier gives one row of scores for each image; this is what a detector or a segmenting network gives'
    throw new ZerothError('invalid-model', `${where} has the sides ${shownSides(sides)}: ${why}`)
  }
  return perImage.reduce<number | undefined>(
    (product, side) => (product === undefined || side === undefined ? undefined : product * side),
    1,
  )
}

/** Scores per image at most: more than any classifier has, and few enough to keep those of many images. */
const mostScores = 1_000_000

/** Refuses more scores than can be kept, and a number of them that does not fit what was said about them. */
export function checkScores(outputs: number, given: PreprocessingOption, where: string): void {
  const { labelOffset = 0, classes } = given
  // A class alone says nothing about how many there are.
  if (given.scores === 'labels' && outputs === 1) return
  const left = outputs - labelOffset
  if (outputs > mostScores) {
    const said = `${where} gives ${outputs} scores per image`
    throw new ZerothError('invalid-model', `${said}; at most ${mostScores} are supported`)
  }
  if (left < 1) {
    throw new ZerothError(
      'invalid-model',
      `${where} gives ${outputs} scores per image: preprocessing.labelOffset ${labelOffset} leaves none of them`,
    )
  }
  if (classes === undefined || classes === left) return
  const offset = outputs > classes ? `; set preprocessing.labelOffset to ${outputs - classes} to skip the first` : ''
  throw new ZerothError(
    'invalid-model',
    `${where} gives ${left} scores per image, but preprocessing.classes says ${classes}${offset}`,
  )
}

/** What a user should know about a network before asking it anything. */
export function networkWarnings(type: TensorType, outputs: number, { labelOffset, scores }: Preprocessing): string[] {
  const warnings: string[] = scores === 'labels' ? [labelsNotice] : []
  if (isWholeType(type)) {
    warnings.push('the network takes bytes: pixels are rounded to multiples of 1/255, and smaller changes do nothing')
  }
  if (outputs === 1001 && labelOffset === 0) {
    warnings.push(
      'the network gives 1001 scores: of ImageNet networks with so many the first is a dummy; then set preprocessing.labelOffset to 1',
    )
  }
  return warnings
}
