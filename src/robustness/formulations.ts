import { guessing, numberWithin, optional, positive, table } from '../optimizer/core/options.ts'
import { definePart } from '../optimizer/core/part.ts'
import type { Bounds, ConvexSet, Vector } from '../optimizer/core/types.ts'
import { addRow, sharedPair, sharedSquash, squash } from '../optimizer/kernels/row-pair.ts'
import { boxedBall } from '../optimizer/parts/sets/balls.ts'
import { boundedSet, wholeSpace } from '../optimizer/parts/sets/boxes.ts'
import { distortionBetween, type Formulation, type FormulationState, paintedPair } from './formulation.ts'
import type { AttackLimits } from './records.ts'

/** Largest change of a pixel, where pixels go from 0 to 1: a limit above 1 limits nothing, and is one in bytes by mistake. */
export const pixelLimit = /* @__PURE__ */ guessing(numberWithin({ above: 0, most: 1 }), (value) =>
  value > 1 && value <= 255 ? `${value}/255` : undefined,
)

/**
 * The paper's constrained form: the variables are the perturbation delta itself, and every x_i + delta must be a picture.
 * Perturbed queries may leave the box by the smoothing radius, as the paper's do; the points themselves never do.
 */
export const constrained = definePart({
  kind: 'attack',
  name: 'constrained',
  summary: 'The variables are the perturbation; the pictures stay within the range of pixels.',
  options: table({
    /** Largest change of a pixel, where pixels go from 0 to 1: 8/255 for 8 steps of 255. Above 0 and at most 1. */
    linf: optional(pixelLimit),
    /** Largest Euclidean length of the perturbation. Above 0. */
    l2: optional(positive),
  }),
  examples: () => [{}, { linf: 0.1 }, { l2: 1.5 }, { linf: 0.2, l2: 1 }],
  make: (limits): Formulation => ({ start: (originals) => startConstrained(originals, limits) }),
})

/** What float32 pixels may be off by. */
const roundoff = 1e-6

function startConstrained(originals: readonly Float32Array[], limits: AttackLimits): FormulationState {
  const dim = originals[0]?.length ?? 0
  const pictures = pictureBounds(originals, dim, 1)
  return {
    dim,
    set: allowed(originals, dim, limits, pictures),
    pictures,
    paint: (delta, original, into, offset) => add(originals[original] as Float32Array, delta, into, offset),
    pair: () => paintedPair(sharedPair(dim), originals),
    variablesOf: (picture, original) => {
      const pixels = originals[original] as Float32Array
      return Float64Array.from(picture, (pixel, i) => pixel - (pixels[i] as number))
    },
    distortion: (delta) => norms(delta),
    limits,
    addsSquares: true,
    allows: ({ l2, linf }) => l2 <= (limits.l2 ?? Infinity) + roundoff && linf <= (limits.linf ?? Infinity) + roundoff,
  }
}

function add(pixels: Float32Array, delta: Vector, into: Vector, offset: number): number {
  // A loop of its own for the usual case: V8 is slow where one loop sees arrays of several kinds.
  if (delta instanceof Float32Array && into instanceof Float32Array) return addRow(pixels, delta, into, offset)
  let squares = 0
  for (let i = 0; i < pixels.length; i++) {
    const change = delta[i] as number
    squares += change * change
    into[offset + i] = (pixels[i] as number) + change
  }
  return squares
}

function norms(delta: Vector) {
  let l2sq = 0
  let linf = 0
  for (let i = 0; i < delta.length; i++) {
    const change = delta[i] as number
    const size = Math.abs(change)
    l2sq += change * change
    // A comparison that hardly ever holds is cheaper than Math.max, which waits for the one before.
    if (size > linf) linf = size
  }
  return { l2sq, l2: Math.sqrt(l2sq), linf }
}

/** All delta that keep every picture between 0 and 1, and the perturbation within its limits. */
function allowed(
  originals: readonly Float32Array[],
  dim: number,
  { linf = 1, l2 }: AttackLimits,
  pictures: PictureBounds,
): ConvexSet {
  const { lower, upper } = linf === 1 ? pictures : pictureBounds(originals, dim, linf)
  // Not the parts `box` and `box-and-l2-ball`: they copy their options, which here are as long as the image.
  return l2 === undefined
    ? { ...boundedSet('the box of pixels', lower, upper), probesMayLeave: true }
    : boxedBall('the box and ball of pixels', { lower, upper, center: 0, radius: l2 })
}

interface PictureBounds extends Bounds {
  readonly lower: Float64Array
  readonly upper: Float64Array
}

/** How far every pixel may go, at most `linf`, for every picture to stay between 0 and 1. */
function pictureBounds(originals: readonly Float32Array[], dim: number, linf: number): PictureBounds {
  const lower = new Float64Array(dim).fill(-linf)
  const upper = new Float64Array(dim).fill(linf)
  for (const pixels of originals) {
    for (let i = 0; i < dim; i++) {
      lower[i] = Math.max(lower[i] as number, -(pixels[i] as number))
      upper[i] = Math.min(upper[i] as number, 1 - (pixels[i] as number))
    }
  }
  return { lower, upper }
}

/** The paper's unconstrained form: x' = 0.5 tanh(atanh(2x) + w) for pixels x from -0.5 to 0.5, w anywhere. */
export const unconstrained = definePart({
  kind: 'attack',
  name: 'unconstrained',
  summary: 'The variables may lie anywhere; a hyperbolic tangent turns them into pixels.',
  options: table({}),
  examples: () => [{}],
  make: (): Formulation => ({ start: startUnconstrained }),
})

function startUnconstrained(originals: readonly Float32Array[]): FormulationState {
  const dim = originals[0]?.length ?? 0
  const paint: FormulationState['paint'] = (w, original, into, offset) =>
    squash(w, originals[original] as Float32Array, into, offset)
  const picture = new Float64Array(dim)
  return {
    dim,
    set: wholeSpace(),
    gain: 0.5,
    paint,
    pair: () => paintedPair(sharedSquash(dim), originals),
    distortion(w, original) {
      paint(w, original, picture, 0)
      return distortionBetween(picture, originals[original] as Float32Array)
    },
  }
}
