import { oneOf, optional, positive, table, union, withDefault } from '../../optimizer/core/options.ts'
import { definePart, part } from '../../optimizer/core/part.ts'
import type { Basis, BasisState, Memory, RunContext, Solver, Vector } from '../../optimizer/core/types.ts'
import { randomInteger } from '../../optimizer/kernels/random.ts'
import { dct } from '../../optimizer/parts/bases/dct.ts'
import { type Trials, trialSearch } from './trial-search.ts'

/**
 * SimBA (Guo et al., 2019): one orthonormal direction after the other, in random order; a step back along it, then a step
 * ahead, is kept where the value falls. When all were tried it goes round again, in another order; a round in which
 * nothing helped lets the basis grow, where it can, and halves the step, where it cannot, until nothing is left of it.
 */
export const simba = definePart({
  kind: 'solver',
  forAttacks: true,
  name: 'simba',
  summary: 'Steps along orthonormal directions in random order, kept where they help.',
  options: table({
    /** Length of a step. Above 0; default 0.2. */
    step: withDefault(positive, 0.2),
    /** Where the steps lead: "pixels" for single variables, or a basis; if left out, dct() for images. */
    along: optional(union(oneOf('pixels'), part<Basis>('basis', 'start'))),
  }),
  examples: () => [{}, { step: 0.5, along: 'pixels' }],
  make: ({ step, along }): Solver => ({
    start(at) {
      const basis = along ?? (at.shape === undefined ? 'pixels' : dct())
      return trialSearch(at, steps(at, basis === 'pixels' ? pixels(at) : vectorsOf(at, basis.start(at)), step))
    },
  }),
})

/** The row of the random numbers that order the vectors: other rows draw coordinates elsewhere. */
const orderRow = 1

/** Steps shorter than this share of the first ones are not worth a query. */
const shortestShare = 1e-9

/** Orthonormal vectors by their numbers. */
interface Vectors {
  readonly count: number
  readonly memory: Memory | undefined
  grow(): boolean
  /** Adds a multiple of a vector of a round to what is in `into`. */
  add(round: number, vector: number, scale: number, into: Vector): void
}

function pixels({ dim }: RunContext): Vectors {
  return {
    count: dim,
    memory: undefined,
    grow: () => false,
    add(_, i, scale, into) {
      into[i] = (into[i] as number) + scale
    },
  }
}

/** The vectors of a basis; where they change with the iteration, a round has those of the iteration of its number. */
function vectorsOf({ dim, seed }: RunContext, span: BasisState): Vectors {
  const vector = new Float64Array(dim)
  let coefficients = new Float64Array(span.dim)
  // A vector is tried twice in a row: it is made once.
  let made = { round: -1, number: -1, of: 0 }
  const make = (round: number, number: number): void => {
    if (coefficients.length !== span.dim) coefficients = new Float64Array(span.dim)
    coefficients[number] = 1
    span.expand(coefficients, vector, { seed, iteration: round + 1 })
    coefficients[number] = 0
    made = { round, number, of: span.dim }
  }
  return {
    get count() {
      return span.dim
    },
    memory: span.memory,
    grow: () => span.grow?.() ?? false,
    add(round, number, scale, into) {
      if (span.add !== undefined) return span.add(number, scale, into, 0)
      if (made.round !== round || made.number !== number || made.of !== span.dim) make(round, number)
      for (let i = 0; i < dim; i++) into[i] = (into[i] as number) + scale * (vector[i] as number)
    },
  }
}

function steps(at: RunContext, vectors: Vectors, length: number): Trials {
  const state = { round: 0, place: 0, side: -1, length, helped: false }
  const shortest = shortestShare * length
  // Made anew from the seed and the round whenever those of a resumed run differ.
  let order: { round: number; numbers: Uint32Array } = { round: -1, numbers: new Uint32Array(0) }
  const vectorAt = (round: number, place: number): number => {
    if (order.round !== round || order.numbers.length !== vectors.count) {
      order = { round, numbers: randomOrder(at.seed, round, vectors.count) }
    }
    return order.numbers[place] as number
  }
  const endRound = (): void => {
    state.round++
    state.place = 0
    if (!state.helped && !vectors.grow()) state.length /= 2
    state.helped = false
  }
  return {
    memory: { state, parts: { along: vectors.memory } },
    next(_, __, ___, into) {
      if (state.length < shortest) return false
      const { round, place, side } = state
      vectors.add(round, vectorAt(round, place), side * state.length, into)
      return true
    },
    settle(isKept) {
      if (isKept) state.helped = true
      const isDone = isKept || state.side > 0
      state.side = isDone ? -1 : 1
      if (!isDone) return
      state.place++
      if (state.place === vectors.count) endRound()
    },
  }
}

/** The numbers below `count` in an order that depends on the seed and the round alone (Fisher and Yates). */
export function randomOrder(seed: number, round: number, count: number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, i) => i)
  for (let last = count - 1; last > 0; last--) {
    const other = randomInteger({ seed, iteration: round, row: orderRow }, 'coordinates', last, last + 1)
    const moved = order[last] as number
    order[last] = order[other] as number
    order[other] = moved
  }
  return order
}
