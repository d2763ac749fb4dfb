import { dot } from '../algebra/vectors.ts'
import type { Begin, Key, Memory, Span } from '../core/types.ts'
import { exponential } from '../kernels/exponential.ts'
import { tileSize } from '../kernels/normals.ts'

/** What is known of the direction in which a border is crossed, from answers that only tell on which side a point lies. */
export interface BorderNormal {
  readonly memory: Memory
  /**
   * into = a direction to ask about, of length 1: the less is known along it, the likelier. It is at right angles to the
   * estimate, so that both answers are equally likely and each tells as much as one answer can.
   */
  draw(key: Key, row: number, into: Float64Array): void
  /** Takes over what has been learned into what is drawn: learning alone leaves the draws as they were. */
  aim(): void
  /** Told on which side of the border the point lies that is this step away from it. */
  learn(step: Float64Array, isBeyond: boolean): void
  /** Forgets a little: the border is another one where the search has got to. */
  fade(): void
  /** into = the estimate, of length 1; false where nothing is known yet. */
  write(into: Float64Array): boolean
}

/** How uncertain an answer is beside what is known, as a share of what was expected at first: borders are not straight. */
const doubt = 0.2

/** The share of what is known that is forgotten from one place to the next. */
const fading = 0.002

/** Beyond so many standard deviations an answer says no more. */
const surest = 4

/**
 * A normal vector with independent normal coefficients in the basis, a mean and a variance each, corrected by every answer
 * as if its probability were that of a probit model (the update of Graepel et al., 2010, for single answers). At first the
 * mean is 0, and low frequencies are expected to matter more.
 */
export function borderNormal(at: Begin, span: Span): BorderNormal {
  const { kernels, dim } = at
  const count = span.dim
  const mean = new Float64Array(count)
  const expected = expectation(span)
  const variance = expected.slice()
  const [drawnMean, drawnVariance] = [mean.slice(), variance.slice()]
  const step = new Float64Array(count)
  const normals = kernels.allocate(8 * Math.ceil(Math.min(tileSize, count) / 8), 'float32') as Float32Array
  const project = span.project?.bind(span) ?? projecting(span, dim)

  return {
    memory: { vectors: { mean, variance } },
    draw(key, row, into) {
      for (let first = 0, tile = 0; first < count; first += tileSize, tile++) {
        const length = Math.min(tileSize, count - first)
        kernels.normals({ ...key, row }, tile, length, normals)
        for (let i = 0; i < length; i++) {
          const spread = 0.5 * ((drawnVariance[first + i] as number) + (expected[first + i] as number))
          step[first + i] = (normals[i] as number) * Math.sqrt(spread)
        }
      }
      takeOut(drawnMean, step)
      span.expand(step, into)
      unit(into)
    },
    aim() {
      drawnMean.set(mean)
      drawnVariance.set(variance)
    },
    learn(given, isBeyond) {
      const length = Math.sqrt(dot(given, given))
      if (!(length > 0)) return
      project(given, step)
      for (let i = 0; i < count; i++) step[i] = (step[i] as number) / length
      correct(mean, variance, expected, step, isBeyond ? 1 : -1)
    },
    fade() {
      const left = Math.sqrt(1 - fading)
      for (let i = 0; i < count; i++) {
        mean[i] = (mean[i] as number) * left
        variance[i] = (variance[i] as number) + fading * ((expected[i] as number) - (variance[i] as number))
      }
    },
    write(into) {
      span.expand(mean, into)
      return unit(into)
    },
  }
}

/** The mean and the variances after the answer that a unit step leads beyond the border (1) or stays before it (-1). */
function correct(
  mean: Float64Array,
  variance: Float64Array,
  expected: Float64Array,
  step: Float64Array,
  side: 1 | -1,
): void {
  let [known, first] = [0, 0]
  for (let i = 0; i < step.length; i++) {
    const square = (step[i] as number) * (step[i] as number)
    known += (variance[i] as number) * square
    first += (expected[i] as number) * square
  }
  const squared = known + doubt * doubt * first
  if (!(squared > 0)) return
  const deviation = Math.sqrt(squared)
  const sure = Math.max(-surest, Math.min(surest, (side * dot(mean, step)) / deviation))
  const surprise = surpriseAt(sure)
  const shrink = (surprise * (surprise + sure)) / squared
  const push = (side * surprise) / deviation
  for (let i = 0; i < step.length; i++) {
    const own = variance[i] as number
    const along = own * (step[i] as number)
    mean[i] = (mean[i] as number) + push * along
    variance[i] = own - shrink * along * along
  }
}

/** The density of a standard normal at t by the probability of less than t: what an answer with that probability brings. */
function surpriseAt(t: number): number {
  return (0.3989422804014327 * exponential(-0.5 * t * t)) / probabilityBelow(t)
}

/** The distribution function of the standard normal, to seven digits (Numerical Recipes, erfcc). */
function probabilityBelow(t: number): number {
  const z = Math.abs(t) * Math.SQRT1_2
  const u = 1 / (1 + 0.5 * z)
  const coefficients = [
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368,
    -1.26551223,
  ]
  const power = coefficients.reduce((sum, each) => sum * u + each, 0)
  const tail = 0.5 * u * exponential(-z * z + power)
  return t > 0 ? 1 - tail : tail
}

/** What is expected of every vector before anything is known, in sum 1: falls with the frequency to the power 3/4. */
function expectation(span: Span): Float64Array {
  const expected = Float64Array.from({ length: span.dim }, (_, i) => {
    const root = Math.sqrt(Math.sqrt(span.prospect?.(i) ?? 1))
    return root * Math.sqrt(root)
  })
  const sum = expected.reduce((total, each) => total + each, 0)
  return expected.map((each) => each / sum)
}

/** Takes the part along `known` out of a vector. */
function takeOut(known: Float64Array, vector: Float64Array): void {
  const squares = dot(known, known)
  if (!(squares > 0)) return
  const share = dot(known, vector) / squares
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) - share * (known[i] as number)
}

/** Makes a vector one of length 1; false where it is 0. */
function unit(vector: Float64Array): boolean {
  const length = Math.sqrt(dot(vector, vector))
  if (!(length > 0)) return false
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) / length
  return true
}

/** The coefficients of an image in a basis that only knows how to write sums. */
function projecting(span: Span, dim: number): NonNullable<Span['project']> {
  const one = new Float64Array(span.dim)
  const vector = new Float64Array(dim)
  return (image, into) => {
    for (let i = 0; i < span.dim; i++) {
      one[i] = 1
      span.expand(one, vector)
      one[i] = 0
      into[i] = dot(image, vector)
    }
  }
}
