import { option, table } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import { wholeFrom } from '../../core/schema.ts'
import type { Vector } from '../../core/types.ts'
import { dataSeedOption, inner, uniformRow } from './data.ts'
import { conditionOption, geometricSpectrum } from './spectrum.ts'
import type { TestProblem } from './test-problem.ts'

/** f(x) = 1/2 (x - c)' Q' diag(h) Q (x - c) with a drawn rotation Q and a drawn minimizer c: no axis is special. */
export const rotatedQuadratic = definePart({
  kind: 'problem',
  name: 'rotated-quadratic',
  summary: 'A quadratic along random orthogonal axes, around a random point.',
  options: table({
    dim: option(wholeFrom(1, 2500), 'number of variables', 10),
    condition: conditionOption,
    seed: dataSeedOption,
  }),
  examples: (dim) => [
    { dim, condition: 10 },
    { dim, condition: 1000, seed: 1 },
  ],
  make: ({ dim, condition, seed }): TestProblem => {
    const curvatures = geometricSpectrum(dim, condition)
    const trace = curvatures.reduce((sum, curvature) => sum + curvature, 0)
    const rotation = drawnRotation(seed, dim)
    const minimizer = uniformRow(seed, dim, dim)
    const value = (x: Vector): number => {
      const y = rotation.apply(minimizer.map((c, i) => (x[i] as number) - c))
      return curvatures.reduce((sum, curvature, i) => sum + curvature * (y[i] as number) * (y[i] as number), 0) / 2
    }
    const gradient = (x: Vector): Float64Array => {
      const y = rotation.apply(minimizer.map((c, i) => (x[i] as number) - c))
      return rotation.undo(y.map((each, i) => (curvatures[i] as number) * each))
    }
    return {
      dim,
      start: new Float64Array(dim),
      minimum: 0,
      minimizer,
      constants: { smoothness: curvatures[dim - 1] as number },
      value,
      gradient,
      smoothed: (x, radius) => ({
        value: value(x) + (radius * radius * trace) / (2 * (dim + 2)),
        gradient: gradient(x),
      }),
    }
  },
})

interface Rotation {
  apply(x: Float64Array): Float64Array
  undo(x: Float64Array): Float64Array
}

/** A product of `dim` reflections at drawn vectors: orthogonal to the last digit, and no coordinate is left alone. */
function drawnRotation(seed: number, dim: number): Rotation {
  const mirrors = Array.from({ length: dim }, (_, row) => uniformRow(seed, row, dim))
  return {
    apply: (x) => mirrors.reduce(reflect, x),
    undo: (x) => mirrors.reduceRight(reflect, x),
  }
}

/** x - 2 (v'x / v'v) v. */
function reflect(x: Float64Array, v: Float64Array): Float64Array {
  const factor = (2 * inner(v, x)) / inner(v, v)
  return x.map((each, i) => each - factor * (v[i] as number))
}
