import { ZerothError } from '../../core/errors.ts'
import { flag, functionThat, optional, positive, table, withDefault } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import type { Directions, DirectionsState, Key, Vector } from '../../core/types.ts'
import { randomInteger } from '../../kernels/random.ts'

/** u uniform on the unit sphere: a normalised Gaussian vector, eq. (1). */
export const sphere = definePart({
  kind: 'directions',
  name: 'sphere',
  summary: 'Independent vectors, uniform on the unit sphere.',
  options: table({}),
  examples: () => [{}],
  make: (): Directions => ({
    start({ kernels, dim }, count): DirectionsState {
      const norms = rowNorms(count)
      const normalScale = (key: Key, row: number, scale: number): number => {
        const at = norms.aim(key, row)
        return scale / (norms.of(row) || norms.keep(row, kernels.normalsSquared(at, dim)))
      }
      return {
        count,
        factor: dim,
        write(x, scale, key, row, into, offset) {
          const at = norms.aim(key, row)
          if (norms.of(row) === 0) norms.keep(row, kernels.perturbUnit(x, scale, at, into, offset))
          else kernels.perturb(x, normalScale(key, row, scale), at, into, offset)
        },
        accumulate(x, scale, key, row, weight, antithetic, gradient) {
          const s = normalScale(key, row, scale)
          kernels.accumulateNormals(x, s, norms.aim(key, row), weight, antithetic, gradient)
        },
        normalScale,
      }
    },
  }),
})

/** The norms of the normals of one iteration: found when a row is written, and needed again to use its answer. */
function rowNorms(count: number) {
  const norms = new Float64Array(count)
  const known = { seed: -1, iteration: -1 }
  const address = { seed: 0, iteration: 0, row: 0 }
  return {
    /** The address of a row, valid until the next call; the norms of another iteration are forgotten. */
    aim(key: Key, row: number): typeof address {
      if (key.iteration !== known.iteration || key.seed !== known.seed) {
        norms.fill(0)
        known.seed = key.seed
        known.iteration = key.iteration
      }
      address.seed = key.seed
      address.iteration = key.iteration
      address.row = row
      return address
    },
    /** The norm of a row, 0 before it is known. */
    of: (row: number): number => norms[row] as number,
    /** All normals are 0 about once in 2^23 rows of a single coordinate: such a row is x itself. */
    keep(row: number, squared: number): number {
      const norm = Math.sqrt(squared) || Infinity
      norms[row] = norm
      return norm
    },
  }
}

/** u ~ N(0, I): the Gaussian estimate of the originals of ZO-SGD, ZO-ProxSGD and ZO-SMD (no factor d). */
export const gaussian = definePart({
  kind: 'directions',
  name: 'gaussian',
  summary: 'Independent standard normal vectors.',
  options: table({}),
  examples: () => [{}],
  make: (): Directions => ({
    start: ({ kernels }, count): DirectionsState => ({
      count,
      factor: 1,
      write(x, scale, key, row, into, offset) {
        kernels.perturb(x, scale, { ...key, row }, into, offset)
      },
      accumulate(x, scale, key, row, weight, antithetic, gradient) {
        kernels.accumulateNormals(x, scale, { ...key, row }, weight, antithetic, gradient)
      },
      normalScale: (_key, _row, scale) => scale,
    }),
  }),
})

/** Coordinate vectors: drawn uniformly with replacement (ZO-SCD), or all d of them in order (the row of Table 1). */
export const coordinate = definePart({
  kind: 'directions',
  name: 'coordinate',
  summary: 'Coordinate vectors, drawn at random with replacement or all of them in order.',
  options: table({
    /** Take every coordinate once per iteration instead of random ones. Default false. */
    all: withDefault(flag, false),
  }),
  examples: () => [{}, { all: true }],
  make: ({ all }): Directions => ({
    start({ dim, precision }, count): DirectionsState {
      const pick = (key: Key, row: number): number =>
        all ? row % dim : randomInteger({ ...key, row: 0 }, 'coordinates', row, dim)
      const round = precision === 'float32' ? Math.fround : Number
      return {
        count: all ? dim : count,
        factor: dim,
        write(x, scale, key, row, into, offset) {
          const chosen = pick(key, row)
          into.set(x, offset)
          into[offset + chosen] = round((x[chosen] as number) + scale)
        },
        accumulate(x, scale, key, row, weight, antithetic, gradient) {
          const chosen = pick(key, row)
          const base = x[chosen] as number
          const seen = round(round(base + scale) - (antithetic ? round(base - scale) : base))
          gradient[chosen] = (gradient[chosen] as number) + round(round(weight) * seen)
        },
      }
    },
  }),
})

/** A direction for each (iteration, row); iterations count from 1, rows from 0. */
export type GivenDirection = (iteration: number, row: number, dim: number) => ArrayLike<number>

/** Directions that the user supplies: for golden tests, and for searches along known vectors. */
export const given = definePart({
  kind: 'directions',
  name: 'given',
  summary: 'Directions the user supplies.',
  options: table({
    /** The direction of one row of one iteration. */
    direction: functionThat<GivenDirection>('must be a function (iteration, row, dim) that returns a vector'),
    /** The number that makes E[factor u u^T] the identity; the dimension, as for unit vectors, if left out. Above 0. */
    factor: optional(positive),
  }),
  examples: () => [
    {
      // An orthonormal basis taken in turn, so that the conformance suite finds E[d u u^T] = I.
      direction: (iteration: number, row: number, dim: number) =>
        Float64Array.from({ length: dim }, (_, i) => (i === (iteration + row) % dim ? 1 : 0)),
    },
  ],
  make: ({ direction, factor }): Directions => ({
    start({ dim }, count): DirectionsState {
      return {
        count,
        factor: factor ?? dim,
        write(x, scale, key, row, into, offset) {
          const u = direction(key.iteration, row, dim)
          if (u.length !== dim) {
            const where = `iteration ${key.iteration}, row ${row}`
            throw new ZerothError(
              'invalid-option',
              `given.direction returned ${u.length} entries for ${dim} (${where})`,
            )
          }
          const round = x instanceof Float32Array ? Math.fround : Number
          const s = round(scale)
          for (let i = 0; i < dim; i++) into[offset + i] = round((x[i] as number) + round(s * (u[i] as number)))
        },
      }
    },
  }),
})

/**
 * into[offset + i] = x_i + scale u_(i - first) for the `length` coordinates from `first` on, rounded to the precision of x
 * after every operation, as the kernels do.
 */
export function writeStep(
  x: Vector,
  scale: number,
  u: Float64Array,
  first: number,
  length: number,
  into: Vector,
  offset: number,
): void {
  if (x instanceof Float32Array) {
    const { fround } = Math
    const s = fround(scale)
    for (let i = 0; i < length; i++) {
      into[offset + first + i] = fround((x[first + i] as number) + fround(s * fround(u[i] as number)))
    }
  } else for (let i = 0; i < length; i++) into[offset + first + i] = (x[first + i] as number) + scale * (u[i] as number)
}
