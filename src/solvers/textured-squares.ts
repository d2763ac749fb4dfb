import { imageShape, shapeOption } from '../bases/image-options.ts'
import { choice, optional, positive, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Begin, ImageShape, Solver, Vector } from '../core/types.ts'
import { randomInteger, randomUniform } from '../kernels/random.ts'
import { limitOf, lossOf, type Norm } from './attack-limit.ts'
import { habits } from './habits.ts'
import { textureCount, type Window, writeTexture } from './textures.ts'
import { type Trials, trialSearch } from './trial-search.ts'

/**
 * Seeks any success within a limit on the change, by changes as large as that limit. Each trial lays a texture over a part
 * of the image: stripes, checks or an even area, at first all over it. What every trial did to the value is entered in an
 * estimate of the slopes, which decides how each pixel under the texture goes: as the estimate says where that is sure, as
 * the texture has it elsewhere. Textures, sizes and the weight of the texture that helped are used more often.
 */
export const texturedSquares = definePart({
  kind: 'solver',
  name: 'textured-squares',
  summary: 'Textures laid over parts of an image, and slopes learned from what each did; keeps to a limit.',
  options: table({
    norm: optional(
      choice(['linf', 'l2'], 'what the radius limits: every pixel, or the length of the change; that of the attack'),
    ),
    radius: optional(positive("how far from the start it goes; the attack's limit if left out, or else 0.1 (l2: 1)")),
    shape: shapeOption,
  }),
  examples: (dim) => [
    { radius: 0.8, shape: { channels: 1, height: 1, width: dim } },
    { radius: 1.5, norm: 'l2', shape: { channels: dim, height: 1, width: 1 } },
  ],
  make: ({ shape, ...limit }): Solver => ({
    begin: (at) => trialSearch(at, texturing(at, imageShape('textured-squares', shape, at), limitOf(at, limit))),
  }),
})

/** Trials at first that cover the whole image. */
const wholeTrials = 10

/** Sides of the windows, as shares of the sides of the image. */
const sizes = [1, 0.5, 0.25, 0.125]

/** How much a texture weighs against the slopes: their root mean square times this. */
const weights: Readonly<Record<Norm, readonly number[]>> = { linf: [0.5, 1, 2], l2: [0.25, 0.5, 1, 2] }

/** Rows below belong to others who draw coordinates. */
const firstRow = 2

/** What is drawn in a row, before what the texture draws. */
const draws = { texture: 0, size: 1, weight: 2, top: 3, left: 4, waves: 5 }

/** A change that leaves the ball by this much is brought back onto it, also where pixels cannot go all the way. */
const stretch = 1.5

function texturing(at: Begin, shape: ImageShape, { norm, radius }: { norm: Norm; radius: number }): Trials {
  const { dim, seed, kernels, precision } = at
  const origin = at.start.slice()
  const slopes = kernels.allocate(dim, precision)
  const texture = kernels.allocate(dim, precision)
  const [kinds, extents, strengths] = [
    habits(at, textureCount, 2),
    habits(at, sizes.length, 1),
    habits(at, weights[norm].length, 1),
  ]
  /** The choices behind the point on trial, and how many trials there were. */
  const state = { kind: 0, size: 0, weight: 0, tried: 0 }
  /** The root mean square of the slopes, where it is known: they change only when something is learned. */
  let steepness: number | undefined
  const isWhole = (): boolean => state.tried < wholeTrials
  const propose = (kept: Vector, iteration: number, attempt: number, into: Vector): void => {
    const address = { seed, iteration, row: firstRow + attempt }
    const uniform = (index: number): number => randomUniform(address, 'coordinates', index)
    state.kind = kinds.choose(uniform(draws.texture))
    state.size = extents.choose(uniform(draws.size))
    state.weight = strengths.choose(uniform(draws.weight))
    const share = isWhole() ? 1 : (sizes[state.size] as number)
    const height = Math.max(1, Math.round(share * shape.height))
    const width = Math.max(1, Math.round(share * shape.width))
    const top = randomInteger(address, 'coordinates', draws.top, shape.height - height + 1)
    const left = randomInteger(address, 'coordinates', draws.left, shape.width - width + 1)
    const window: Window = { top, left, height, width }
    writeTexture(shape, state.kind, window, (index) => uniform(draws.waves + index), texture)
    const weight = weights[norm][state.weight] as number
    steepness ??= rootMeanSquare(slopes)
    if (norm === 'linf') takeSides({ origin, kept, slopes, texture }, weight * steepness, radius, into)
    else turn({ origin, slopes, texture }, weight, steepness, stretch * radius, into)
  }
  return {
    memory: {
      vectors: { slopes },
      state,
      parts: { kinds: kinds.memory, sizes: extents.memory, weights: strengths.memory },
    },
    compared: lossOf(at, origin),
    open: (iteration, into) => propose(origin, iteration, 0, into),
    next(kept, iteration, attempt, into) {
      propose(kept, iteration, attempt + 1, into)
      return true
    },
    learn(tried, kept, rise) {
      steepness = learnSlopes(slopes, tried, kept, rise) ?? steepness
      kinds.note(state.kind, rise < 0)
      if (!isWhole()) {
        extents.note(state.size, rise < 0)
        strengths.note(state.weight, rise < 0)
      }
      state.tried++
    },
    settle: () => undefined,
  }
}

interface Drawing {
  readonly origin: Vector
  readonly slopes: Vector
  readonly texture: Vector
}

/** Every variable under the texture at one of two ends: down its slope, unless the texture outweighs that. */
function takeSides(
  { origin, kept, slopes, texture }: Drawing & { readonly kept: Vector },
  weight: number,
  radius: number,
  into: Vector,
): void {
  // Looked up: a branch that goes either way at random costs more than the rest.
  const ends = Float64Array.of(-radius, radius)
  for (let i = 0; i < into.length; i++) {
    const side = texture[i] as number
    if (side === 0) into[i] = kept[i] as number
    else {
      const wanted = weight * side - (slopes[i] as number)
      const isUp = (wanted === 0 ? side : wanted) > 0
      into[i] = (origin[i] as number) + (ends[Number(isUp)] as number)
    }
  }
}

/** A change of that length, down the slopes and turned towards the texture. */
function turn(
  { origin, slopes, texture }: Drawing,
  weight: number,
  steepness: number,
  radius: number,
  into: Vector,
): void {
  const steep = steepness || Infinity
  const strong = rootMeanSquare(texture)
  let squares = 0
  for (let i = 0; i < into.length; i++) {
    const way = (weight * (texture[i] as number)) / strong - (slopes[i] as number) / steep
    into[i] = way
    squares += way * way
  }
  const scale = radius / (Math.sqrt(squares) || Infinity)
  for (let i = 0; i < into.length; i++) into[i] = (origin[i] as number) + scale * (into[i] as number)
}

/**
 * The least change of the slopes after which they explain what a trial did (Kaczmarz); returns their root mean square then, or
 * undefined where nothing was learned.
 */
function learnSlopes(slopes: Vector, tried: Vector, kept: Vector, rise: number): number | undefined {
  let [squares, expected] = [0, 0]
  for (let i = 0; i < slopes.length; i++) {
    const change = (tried[i] as number) - (kept[i] as number)
    squares += change * change
    expected += change * (slopes[i] as number)
  }
  if (squares === 0) return undefined
  const scale = (rise - expected) / squares
  let steep = 0
  for (let i = 0; i < slopes.length; i++) {
    slopes[i] = (slopes[i] as number) + scale * ((tried[i] as number) - (kept[i] as number))
    steep += (slopes[i] as number) * (slopes[i] as number)
  }
  return Math.sqrt(steep / slopes.length)
}

function rootMeanSquare(x: Vector): number {
  let squares = 0
  for (let i = 0; i < x.length; i++) squares += (x[i] as number) * (x[i] as number)
  return Math.sqrt(squares / x.length)
}
