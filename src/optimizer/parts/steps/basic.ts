import { constant } from '../../core/iteration.ts'
import { listOf, optional, positive, table } from '../../core/options.ts'
import { definePart, part } from '../../core/part.ts'
import { largestNumber, rounding } from '../../core/space.ts'
import type { FusedStep, Move, Step, Vector } from '../../core/types.ts'

/** Follows the estimate as it is: ZO-SGD. */
export const plain = definePart({
  kind: 'step',
  name: 'plain',
  summary: 'The gradient estimate itself.',
  options: table({}),
  examples: () => [{}],
  make: (): Step => ({ start: () => ({ memory: {}, apply: () => undefined, fused: withoutMoments('plain') }) }),
})

/** Follows the sign of each coordinate, with sign(0) = 0: ZO-signSGD and ZO-NES. */
export const sign = definePart({
  kind: 'step',
  name: 'sign',
  summary: 'The sign of each coordinate.',
  options: table({}),
  examples: () => [{}],
  make: (): Step => ({
    start: ({ kernels }) => ({
      memory: {},
      apply(move) {
        kernels.sign(move.direction)
        move.squares = null
      },
      fused: withoutMoments('sign'),
    }),
  }),
})

/** A step that the kernels take together with the projection, without anything to remember. */
function withoutMoments(kind: 'plain' | 'sign'): FusedStep {
  return { kind, moments: null, beta1: constant(0), beta2: constant(0) }
}

/** The first step as a share of 1 + ||x_0||: found on test functions of 10 to 1000 variables and on images. */
const usualShare = 0.1

/**
 * A step that finds its own length (DoG, Ivgi et al., 2023; POEM, Ren et al., 2025): directions are multiplied by
 * eta_t = max_s ||x_s - x_0|| / sqrt(sum_s ||direction_s||^2), s up to t, so that the learning rate is 1. It belongs
 * before an averaging step: directions that agree because they are averaged look like progress and make it overshoot.
 */
export const distanceOverGradients = definePart({
  kind: 'step',
  name: 'distance-over-gradients',
  summary: 'Steps whose length comes from how far the run has got: no learning rate to tune.',
  options: table({
    /** Length of the first step, below which no distance counts; if left out, a tenth of 1 + ||x_0||. Above 0. */
    initial: optional(positive),
  }),
  examples: () => [{}, { initial: 1e-3 }],
  make: ({ initial }): Step => ({
    start({ kernels, dim, precision, start }) {
      const origin = kernels.allocate(dim, precision)
      origin.set(start)
      const norm = Math.sqrt(kernels.dot(start, start))
      const round = rounding(precision)
      // The root of the sum: a float32 square would overflow, and a step length needs no more digits than float32 has.
      const state = { farthest: round(initial ?? usualShare * (1 + norm)), length: 0 }
      return {
        memory: { vectors: { origin }, state },
        apply(move, _, point) {
          state.farthest = round(Math.max(state.farthest, distance(point, origin)))
          state.length = round(Math.min(extended(state.length, move), largestNumber[precision]))
          scale(move.direction, state.farthest, state.length)
        },
      }
    },
  }),
})

function distance(a: Vector, b: Vector): number {
  let squares = 0
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] as number) - (b[i] as number)
    squares += difference * difference
  }
  return Math.sqrt(squares)
}

/** sqrt(length^2 + ||direction / sqrt(squares)||^2). */
function extended(length: number, { direction, squares }: Move): number {
  let sum = length * length
  for (let i = 0; i < direction.length; i++) {
    const entry = direction[i] as number
    const square = squares === null ? 1 : (squares[i] as number)
    // A coordinate divided by 0 does not move.
    if (square > 0) sum += (entry * entry) / square
  }
  return Math.sqrt(sum)
}

/** direction *= farthest / length. Dividing first keeps every entry finite; where all was 0 so far, nothing moves. */
function scale(direction: Vector, farthest: number, length: number): void {
  for (let i = 0; i < direction.length; i++) {
    direction[i] = length === 0 ? 0 : ((direction[i] as number) / length) * farthest
  }
}

/** Several steps one after the other, each working on what the one before it left. */
export const chain = definePart({
  kind: 'step',
  name: 'chain',
  summary: 'Several steps in sequence.',
  options: table({
    /** The steps, first to last. */
    steps: listOf(part<Step>('step', 'start'), 1),
  }),
  examples: () => [],
  make: ({ steps }): Step => ({
    start(at) {
      const links = steps.map((step) => step.start(at))
      return {
        memory: { parts: Object.fromEntries(links.map(({ memory }, i) => [String(i), memory])) },
        apply(move, iteration, point) {
          for (const link of links) link.apply(move, iteration, point)
        },
      }
    },
  }),
})
