import { ZerothError } from '../../core/errors.ts'
import { count, optional, table, withDefault } from '../../core/options.ts'
import { definePart, part } from '../../core/part.ts'
import { unconstrained } from '../../core/session-options.ts'
import { rounding } from '../../core/space.ts'
import type { Basis, BasisState, Directions, DirectionsState, Key, RunContext, Vector } from '../../core/types.ts'
import { writeStep } from './basic.ts'
import { orthogonal } from './orthogonal.ts'

/**
 * Directions inside a subspace: those of another kind, drawn in the few coordinates of a basis and written out over all
 * coordinates. E[factor u u^T] is the projection onto the subspace, so that estimates are those of the gradient's part
 * within it; with a basis of all coordinates it is the identity.
 */
export const subspace = definePart({
  kind: 'directions',
  name: 'subspace',
  summary: 'Directions inside a subspace that a basis spans.',
  options: table({
    /** The subspace: dct(), tiles(), blocks(), ... */
    basis: part<Basis>('basis', 'start'),
    /** The directions in the coordinates of the basis. Default orthogonal(). */
    within: withDefault(part<Directions>('directions', 'start'), () => orthogonal()),
    /** Iterations without a value better by one part in 1000 after which the basis grows. At least 1. */
    growAfter: optional(count),
  }),
  examples: () => [],
  make: ({ basis, within, growAfter }): Directions => ({
    start(at, count): DirectionsState {
      const span = basis.start(at)
      const u = new Float64Array(at.dim)
      let inner = beginWithin(at, within, span.dim, count)
      checkGrowth(growAfter, span, inner.rows, count)
      /** The directions in as many coordinates as the basis has now. */
      const current = (): Inner => {
        if (inner.dim !== span.dim) inner = beginWithin(at, within, span.dim, count)
        return inner
      }
      const growth = growAfter === undefined ? undefined : growthOf(at, span, growAfter)
      const written = writtenRow(span, current, u)
      return {
        count: inner.rows.count,
        get factor() {
          return current().rows.factor
        },
        write(x, scale, key, row, into, offset) {
          written.expand(key, row)
          writeStep(x, scale, u, 0, at.dim, into, offset)
        },
        combine(scale, key, weights, gradient) {
          written.forget()
          span.expand(current().combine(scale, key, weights), u, key)
          for (let i = 0; i < at.dim; i++) gradient[i] = (gradient[i] as number) + (u[i] as number)
        },
        memory: { parts: { basis: span.memory, progress: growth?.memory } },
        ...(growth === undefined ? {} : { learn: growth.learn }),
      }
    },
  }),
})

/** Which direction is written out in u: the two sides of a two-sided difference follow each other. */
function writtenRow(span: BasisState, current: () => Inner, u: Float64Array) {
  const held = { seed: -1, iteration: -1, row: -1, dim: -1 }
  return {
    expand(key: Key, row: number): void {
      const { dim, rows, origin, coefficients } = current()
      if (held.row === row && held.iteration === key.iteration && held.seed === key.seed && held.dim === dim) return
      rows.write(origin, 1, key, row, coefficients, 0)
      span.expand(coefficients, u, key)
      Object.assign(held, { seed: key.seed, iteration: key.iteration, row, dim })
    },
    forget(): void {
      held.row = -1
    },
  }
}

/** Lets the basis grow whenever the run stalls. */
function growthOf(at: RunContext, span: BasisState, patience: number) {
  const stall = stallMeter(at, patience)
  let warned = false
  const learn = (_: Vector, value: number): void => {
    if (stall.hasStalled(value)) span.grow?.()
    if (warned || at.trackBest || !Number.isNaN(value)) return
    warned = true
    at.warn('subspace.growAfter does nothing: without trackBest the value of the current point is not known')
  }
  return { learn, memory: stall.memory }
}

type Inner = ReturnType<typeof beginWithin>

/** Directions in the `dim` coordinates of a basis. */
function beginWithin(at: RunContext, within: Directions, dim: number, count: number) {
  const origin = at.kernels.allocate(dim, 'float64')
  const rows = within.start(
    { ...at, dim, start: origin, set: unconstrained, precision: 'float64', shape: undefined },
    count,
  )
  if (rows.learn !== undefined) {
    const way = 'put them around it instead, as in guided({ within: subspace(...) })'
    throw new ZerothError('invalid-option', `subspace.within must be directions that learn nothing; ${way}`)
  }
  const coefficients = at.kernels.allocate(dim, 'float64') as Float64Array
  const sum = new Float64Array(dim)
  return {
    dim,
    rows,
    origin,
    coefficients,
    /** scale sum_row weights_row u_row in the coordinates of the basis. */
    combine(scale: number, key: Key, weights: Float64Array): Float64Array {
      sum.fill(0)
      if (rows.combine !== undefined) rows.combine(scale, key, weights, sum)
      else for (let row = 0; row < rows.count; row++) add(scale * (weights[row] as number), key, row)
      return sum
    },
  }

  function add(weight: number, key: Key, row: number): void {
    if (weight === 0) return
    rows.write(origin, 1, key, row, coefficients, 0)
    for (let j = 0; j < dim; j++) sum[j] = (sum[j] as number) + weight * (coefficients[j] as number)
  }
}

/** Refuses to grow what cannot. */
function checkGrowth(growAfter: number | undefined, span: BasisState, rows: DirectionsState, count: number): void {
  if (growAfter === undefined) return
  if (span.grow === undefined) {
    throw new ZerothError('invalid-option', 'subspace.growAfter needs a basis that can grow, such as dct() or tiles()')
  }
  if (rows.count !== count) {
    const found = `${rows.count} instead of ${count}`
    const wanted = 'directions whose number does not depend on the dimension'
    throw new ZerothError('invalid-option', `subspace.growAfter needs ${wanted}; subspace.within makes ${found}`)
  }
}

/** A value that is better by less than this share does not count as progress. */
const leastGain = 1e-3

/**
 * Tells when the best value has not improved for `patience` iterations. Its state has the run's precision and is all it
 * knows: a resumed run continues counting.
 */
export function stallMeter({ precision }: RunContext, patience: number) {
  const round = rounding(precision)
  const state = { best: Infinity, waited: 0 }
  return {
    memory: { state },
    /** Counts one iteration, unless its value is unknown (NaN); after a stall it counts anew. */
    hasStalled(value: number): boolean {
      if (Number.isNaN(value)) return false
      const { best } = state
      if (best === Infinity || value < best - leastGain * Math.abs(best)) {
        state.best = round(value)
        state.waited = 0
        return false
      }
      state.waited++
      if (state.waited < patience) return false
      state.waited = 0
      return true
    },
  }
}
