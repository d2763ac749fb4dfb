import { ZerothError } from '../core/errors.ts'
import type { ImageShape } from '../core/types.ts'
import { imageSize, type Layout, type PreprocessingOption, shownShape } from './preprocessing.ts'

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
}

type Refuse = (why: string) => never

/** Finds out how images fit the input of a network. `where` names it in errors. */
export function networkInput(sides: Sides, given: PreprocessingOption, where: string): NetworkInput {
  const refuse: Refuse = (why) => {
    throw new ZerothError('invalid-model', `${where} takes ${shownSides(sides)}: ${why}`)
  }
  const { counts, form, image } = readSides(sides, given.shape, refuse)
  const layout = form === 'full' ? layoutOf(image, given, refuse) : (given.layout ?? 'NCHW')
  const shape = form === 'flat' ? flatShape(image, given.shape, refuse) : shapeOf(image, form, layout, given, refuse)
  const inner = innerSides(shape, form, layout)
  return {
    shape,
    layout,
    fixedBatch: counts ? sides[0] : 1,
    sides: (count) => (counts ? [count, ...inner] : inner),
  }
}

/** The length of each side, `?` where it is open. */
function shownSides(sides: Sides): string {
  return `[${sides.map((side) => side ?? '?').join(', ')}]`
}

function readSides(sides: Sides, shape: ImageShape | undefined, refuse: Refuse): Reading {
  const [first, ...rest] = sides
  if (sides.length === 4) return { counts: true, form: 'full', image: rest }
  if (sides.length === 2) return { counts: true, form: 'flat', image: rest }
  if (sides.length === 1) return { counts: false, form: 'flat', image: sides }
  if (sides.length !== 3) return refuse('images have 1 to 4 sides here')
  const isImage = first !== undefined && (isChannels(first, shape) || isChannels(sides[2], shape))
  return isImage ? { counts: false, form: 'full', image: sides } : { counts: true, form: 'grey', image: rest }
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
