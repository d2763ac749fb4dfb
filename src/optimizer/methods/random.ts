import { count, table, withDefault } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { continuousSpace, snap, unitScale } from '../core/space.ts'
import type { Coordinate, Key, RunContext, Solver, Vector } from '../core/types.ts'
import { randomUniform } from '../kernels/random.ts'
import { copyOf, withinSet } from './points.ts'
import { coordinatesOf, settle, sizeOf } from './staged/coordinates.ts'
import { onlyPoint, type Stage, stagedSearch } from './staged/staged-search.ts'

/** Points at random, the start first: the baseline that any other method has to beat. */
export const random = definePart({
  kind: 'solver',
  name: 'random',
  summary:
    'The start, then points at random: uniform between bounds, else normal around the start. Takes any variables.',
  options: table({
    /** Points per iteration, which can be evaluated at the same time. At least 1; default 1. */
    batch: withDefault(count, 1),
  }),
  examples: () => [{}, { batch: 3 }],
  make: ({ batch }): Solver => randomSolver(batch),
})

/** The solver itself. */
export function randomSolver(batch: number): Solver {
  return {
    takesMixed: true,
    start(at) {
      const point = at.start
      const draw = randomPoint(at)
      const stages = {
        *start(): Stage<'start' | 'sample'> {
          yield onlyPoint(point)
          return 'sample'
        },
        *sample(key: Key): Stage<'start' | 'sample'> {
          yield { rows: batch, write: (row, into, offset) => into.set(draw(key, row), offset) }
          return 'sample'
        },
      }
      return stagedSearch(at, { point, memory: {}, stages }, 'start')
    },
  }
}

/** The point at an address. */
function randomPoint(at: RunContext): (key: Key, row: number) => Vector {
  const { dim, set, start, kernels } = at
  const usual = coordinatesOf(at)
  const { coordinates } = set.space ?? continuousSpace(dim)
  const bounds = (i: number) => ({
    low: usual.bounds?.lower[i] ?? Number.NEGATIVE_INFINITY,
    high: usual.bounds?.upper[i] ?? Number.POSITIVE_INFINITY,
  })
  const project = withinSet(at)
  const origin = start.slice()
  const normals = new Float32Array(dim)
  const x = new Float64Array(dim)
  const point = copyOf(at, start)
  return (key, row) => {
    kernels.normals({ ...key, row }, 0, dim, normals)
    for (let i = 0; i < dim; i++) {
      const { low, high } = bounds(i)
      x[i] = Number.isFinite(high - low)
        ? unitScale(coordinates[i] as Coordinate, { low, high }).value(randomUniform({ ...key, row }, 'coordinates', i))
        : (origin[i] as number) + sizeOf(usual, origin, i) * (normals[i] as number)
    }
    point.set(settle(usual, x))
    if (set.space !== undefined) snap(set.space, point, bounds)
    else project(point)
    return point
  }
}
