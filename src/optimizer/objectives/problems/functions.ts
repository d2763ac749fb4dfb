import { count, integerFrom, numberFrom, table, withDefault } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import type { Vector } from '../../core/types.ts'
import { dot } from '../../numerics/vectors.ts'
import { dataSeedOption, type TestProblem, uniformRow } from './test-problem.ts'

/** The condition number of a quadratic. */
const conditionOption = withDefault(numberFrom(1), 1)

/** f(x) = g'x with a drawn g: smoothing changes nothing, so estimates have a variance known in closed form. */
export const linear = definePart({
  kind: 'problem',
  name: 'linear',
  summary: 'A linear function; without a set it has no minimum.',
  options: table({
    /** Number of variables. */
    dim: withDefault(count, 10),
    /** Determines the generated data. At least 0; default 0. */
    seed: dataSeedOption,
  }),
  examples: (dim) => [{ dim }, { dim, seed: 1 }],
  make: ({ dim, seed }): TestProblem => {
    const slopes = uniformRow(seed, 0, dim)
    return {
      dim,
      start: new Float64Array(dim),
      minimum: -Infinity,
      minimizer: undefined,
      constants: {
        smoothness: 0,
        gradientBound: slopes.reduce((most, slope) => Math.max(most, Math.abs(slope)), 0),
        lipschitz: Math.sqrt(dot(slopes, slopes)),
      },
      value: (x) => dot(slopes, x),
      gradient: () => slopes.slice(),
    }
  },
})

/** f(x) = 1/2 sum_i h_i x_i^2 with curvatures h_i from 1 to the condition number; by default 1/2 ||x||^2. */
export const quadratic = definePart({
  kind: 'problem',
  name: 'quadratic',
  summary: 'A quadratic along the coordinate axes.',
  options: table({
    /** Number of variables. */
    dim: withDefault(count, 10),
    /** Largest curvature divided by the smallest. At least 1; default 1. */
    condition: conditionOption,
  }),
  examples: (dim) => [{ dim }, { dim, condition: 100 }],
  make: ({ dim, condition }): TestProblem => {
    const curvatures = geometricSpectrum(dim, condition)
    const value = (x: Vector): number => {
      let sum = 0
      for (let i = 0; i < dim; i++) sum += (curvatures[i] as number) * (x[i] as number) * (x[i] as number)
      return sum / 2
    }
    const gradient = (x: Vector): Float64Array => curvatures.map((curvature, i) => curvature * (x[i] as number))
    return {
      dim,
      start: new Float64Array(dim).fill(1),
      minimum: 0,
      minimizer: new Float64Array(dim),
      constants: { smoothness: curvatures[dim - 1] as number },
      value,
      gradient,
    }
  },
})

/** f(x) = 1/2 (x - c)' Q' diag(h) Q (x - c) with a drawn rotation Q and a drawn minimizer c: no axis is special. */
export const rotatedQuadratic = definePart({
  kind: 'problem',
  name: 'rotated-quadratic',
  summary: 'A quadratic along random orthogonal axes, around a random point.',
  options: table({
    /** Number of variables. */
    dim: withDefault(integerFrom(1, 2500), 10),
    /** Largest curvature divided by the smallest. At least 1; default 1. */
    condition: conditionOption,
    /** Determines the generated data. At least 0; default 0. */
    seed: dataSeedOption,
  }),
  examples: (dim) => [
    { dim, condition: 10 },
    { dim, condition: 1000, seed: 1 },
  ],
  make: ({ dim, condition, seed }): TestProblem => {
    const curvatures = geometricSpectrum(dim, condition)
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
  const factor = (2 * dot(v, x)) / dot(v, v)
  return x.map((each, i) => each - factor * (v[i] as number))
}

/** f(x) = sum_i 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2: a long curved valley. None of A1, A2 and A3 holds everywhere. */
export const rosenbrock = definePart({
  kind: 'problem',
  name: 'rosenbrock',
  summary: 'A long curved valley.',
  options: table({
    /** Number of variables. */
    dim: withDefault(integerFrom(2), 2),
  }),
  examples: (dim) => [{ dim }],
  make: ({ dim }): TestProblem => ({
    dim,
    start: Float64Array.from({ length: dim }, (_, i) => (i % 2 === 0 ? -1.2 : 1)),
    minimum: 0,
    minimizer: new Float64Array(dim).fill(1),
    constants: {},
    value(x) {
      let sum = 0
      for (let i = 0; i + 1 < dim; i++) {
        const here = x[i] as number
        const offValley = (x[i + 1] as number) - here * here
        sum += 100 * offValley * offValley + (1 - here) * (1 - here)
      }
      return sum
    },
    gradient(x) {
      const gradient = new Float64Array(dim)
      for (let i = 0; i + 1 < dim; i++) {
        const here = x[i] as number
        const offValley = (x[i + 1] as number) - here * here
        gradient[i] = (gradient[i] as number) - 400 * here * offValley - 2 * (1 - here)
        gradient[i + 1] = 200 * offValley
      }
      return gradient
    },
  }),
})

/**
 * f(x) = -2 x_1 - x_2 from (1/2, 1/2), eq. (5). On the printed set |x_1 + x_2| <= 1 it has no minimum either, because
 * it falls for ever along (1, -1); on the l1 ball |x_1| + |x_2| <= 1 that the text speaks of it is -2, at (1, 0).
 */
export const counterexample = definePart({
  kind: 'problem',
  name: 'counterexample',
  summary: "The linear function of the paper's Proposition 1.",
  options: table({}),
  examples: () => [{}],
  make: (): TestProblem => ({
    dim: 2,
    start: Float64Array.of(0.5, 0.5),
    minimum: -Infinity,
    minimizer: undefined,
    constants: { smoothness: 0, gradientBound: 2, lipschitz: Math.sqrt(5) },
    value: (x) => -2 * (x[0] as number) - (x[1] as number),
    gradient: () => Float64Array.of(-2, -1),
  }),
})

/** f(x) = sum_i sqrt(1 + x_i^2): convex, and A1, A2 and A3 hold everywhere. */
export const smoothAbsolute = definePart({
  kind: 'problem',
  name: 'smooth-absolute',
  summary: 'A convex function with bounded gradients, an absolute value without its kink.',
  options: table({
    /** Number of variables. */
    dim: withDefault(count, 10),
  }),
  examples: (dim) => [{ dim }],
  make: ({ dim }): TestProblem => ({
    dim,
    start: new Float64Array(dim).fill(2),
    minimum: dim,
    minimizer: new Float64Array(dim),
    constants: { smoothness: 1, gradientBound: 1, lipschitz: Math.sqrt(dim) },
    ...separable({ value: (t) => Math.sqrt(1 + t * t), slope: (t) => t / Math.sqrt(1 + t * t) }),
  }),
})

/** f(x) = sum_i sin(x_i): nonconvex, smooth, with bounded gradients, so that A1, A2 and A3 hold everywhere. */
export const sumOfSines = definePart({
  kind: 'problem',
  name: 'sum-of-sines',
  summary: 'A nonconvex function with bounded gradients.',
  options: table({
    /** Number of variables. */
    dim: withDefault(count, 10),
  }),
  examples: (dim) => [{ dim }],
  make: ({ dim }): TestProblem => ({
    dim,
    start: new Float64Array(dim).fill(0.5),
    minimum: -dim,
    minimizer: new Float64Array(dim).fill(-Math.PI / 2),
    constants: { smoothness: 1, gradientBound: 1, lipschitz: Math.sqrt(dim) },
    ...separable({ value: Math.sin, slope: Math.cos }),
  }),
})

/** A function of one number. */
interface ScalarFunction {
  value(t: number): number
  slope(t: number): number
}

/** f(x) = sum_i phi(x_i), with its gradient. */
function separable(phi: ScalarFunction): Pick<TestProblem, 'value' | 'gradient'> {
  return {
    value(x) {
      let total = 0
      for (const t of x) total += phi.value(t)
      return total
    },
    gradient: (x) => Float64Array.from(x, phi.slope),
  }
}

/** `count` curvatures from 1 to `condition`, each a fixed multiple of the one before. */
function geometricSpectrum(count: number, condition: number): Float64Array {
  const ratio = count > 1 ? root(condition, count - 1) : 1
  const curvatures = new Float64Array(count).fill(1)
  for (let i = 1; i < count; i++) curvatures[i] = (curvatures[i - 1] as number) * ratio
  curvatures[count - 1] = condition
  return curvatures
}

/** The n-th root of a number of at least 1, by bisection: built-in powers round differently from engine to engine. */
function root(value: number, n: number): number {
  let low = 1
  let high = value
  for (let halving = 0; halving < 100; halving++) {
    const middle = (low + high) / 2
    let power = 1
    for (let k = 0; k < n && power <= value; k++) power *= middle
    if (power <= value) low = middle
    else high = middle
  }
  return low
}
