import { ZerothError } from '../../core/errors.ts'
import { positive, table, withDefault } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import { inwardBounds } from '../../core/space.ts'
import type { Mirror, Vector } from '../../core/types.ts'
import { exponential } from '../../kernels/functions.ts'

/** Smallest entry of a metric as a share of its largest: a coordinate that never moved has second moment 0. */
const smallestMetric = 1e-12

/**
 * Straight steps followed by the projection in the move's metric. psi(x) = weight ||x||^2 gives steps of
 * rate / (2 weight): 1/2 is projected gradient descent, 1 the reference code's mirror descent.
 */
export const euclidean = definePart({
  kind: 'mirror',
  name: 'euclidean',
  summary: 'Straight steps, then the projection.',
  options: table({
    /** The factor in psi(x) = weight ||x||^2. Above 0; default 0.5. */
    weight: withDefault(positive, 0.5),
  }),
  examples: () => [{}, { weight: 1 }],
  make: ({ weight }): Mirror => ({
    start(at) {
      const { kernels, set } = at
      const bounds = inwardBounds(at)
      const { lower, upper } = bounds ?? { lower: null, upper: null }
      const metric = set.needsMetric ? kernels.allocate(at.dim, at.precision) : null
      const scratch = new Float64Array(bounds === undefined ? set.scratchSize(at.dim) : 0)
      return {
        advance(x, rate, move) {
          kernels.advance(x, rate * (1 / (2 * weight)), move.direction, move.squares, lower, upper)
          if (bounds !== undefined) return
          const weighted = metric !== null && move.metricSquares !== null
          if (weighted) rootWithFloor(move.metricSquares as Vector, metric)
          set.project(x, weighted ? metric : null, scratch)
        },
        fused: bounds !== undefined || set.unbounded === true ? { rateFactor: 1 / (2 * weight), bounds } : undefined,
      }
    },
  }),
})

/** metric = sqrt(squares), kept away from zero. */
function rootWithFloor(squares: Vector, metric: Vector): void {
  let largest = 0
  for (let i = 0; i < squares.length; i++) largest = Math.max(largest, squares[i] as number)
  const floor = largest > 0 ? smallestMetric * Math.sqrt(largest) : 1
  for (let i = 0; i < squares.length; i++) metric[i] = Math.max(Math.sqrt(squares[i] as number), floor)
}

/**
 * Mirror descent with psi(x) = sum x_i ln x_i on the simplex: x_i <- x_i exp(-rate g_i) / Z.
 * Stays strictly inside, so the start must not have zeros where the answer has none.
 */
export const entropy = definePart({
  kind: 'mirror',
  name: 'entropy',
  summary: 'Multiplicative steps on the simplex.',
  options: table({}),
  examples: () => [{}],
  make: (): Mirror => ({
    start({ set, dim }) {
      const total = set.simplexSum
      if (total === undefined) {
        throw new ZerothError('invalid-set', 'entropy works on a simplex only; give set: simplex({ sum })')
      }
      const exponents = new Float64Array(dim)
      return {
        advance(x, rate, move) {
          let largest = -Infinity
          for (let i = 0; i < dim; i++) {
            const root = move.squares === null ? 1 : Math.sqrt(move.squares[i] as number)
            const step = move.direction[i] as number
            exponents[i] = step === 0 ? 0 : -rate * (step / root)
            if ((x[i] as number) > 0) largest = Math.max(largest, exponents[i] as number)
          }
          let sum = 0
          for (let i = 0; i < dim; i++) {
            // Shifted by the largest exponent: the normalisation cancels it, and nothing overflows.
            // Zeros stay zeros: their exponents do not enter the largest and may overflow.
            const value = x[i] as number
            exponents[i] = value > 0 ? value * exponential((exponents[i] as number) - largest) : 0
            sum += exponents[i] as number
          }
          if (!(sum > 0 && sum < Infinity)) return
          for (let i = 0; i < dim; i++) x[i] = ((exponents[i] as number) / sum) * total
        },
      }
    },
  }),
})
