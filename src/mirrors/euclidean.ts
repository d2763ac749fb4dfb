import { inwardBounds } from '../core/inward-bounds.ts'
import { positive, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Mirror, Vector } from '../core/types.ts'

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
  options: table({ weight: positive('the factor in psi(x) = weight ||x||^2', 0.5) }),
  examples: () => [{}, { weight: 1 }],
  make: ({ weight }): Mirror => ({
    begin(at) {
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
