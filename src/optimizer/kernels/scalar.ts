import type { Kernels, Moments, Precision, RowSum, Update, Vector } from './kernels.ts'
import { normalTile, tileSize } from './normals.ts'
import type { RandomRow } from './random.ts'

const identity = (value: number): number => value
const tileOfNormals = new Float32Array(tileSize)

/** The reference kernel in plain TypeScript: used where WebAssembly SIMD is missing, and as the oracle of the tests. */
export const scalarKernels: Kernels = {
  name: 'scalar',

  allocate(length: number, precision: Precision): Vector {
    return precision === 'float32' ? new Float32Array(length) : new Float64Array(length)
  },

  normalsSquared(at: RandomRow, dim: number): number {
    let sum = 0
    for (let first = 0; first < dim; first += tileSize) {
      sum += normalTile(at, first / tileSize, Math.min(tileSize, dim - first), tileOfNormals)
    }
    return sum
  },

  normals(at: RandomRow, tile: number, count: number, into: Float32Array): void {
    normalTile(at, tile, count, tileOfNormals)
    into.set(count === tileSize ? tileOfNormals : tileOfNormals.subarray(0, count))
  },

  perturb(x: Vector, scale: number, at: RandomRow, into: Vector, offset: number): void {
    const round = rounding(x)
    const s = round(scale)
    for (let first = 0; first < x.length; first += tileSize) {
      const count = Math.min(tileSize, x.length - first)
      normalTile(at, first / tileSize, count, tileOfNormals)
      for (let i = 0; i < count; i++) {
        into[offset + first + i] = round((x[first + i] as number) + round(s * (tileOfNormals[i] as number)))
      }
    }
  },

  perturbUnit(x: Vector, length: number, at: RandomRow, into: Vector, offset: number): number {
    const squared = this.normalsSquared(at, x.length)
    this.perturb(x, squared === 0 ? 0 : length / Math.sqrt(squared), at, into, offset)
    return squared
  },

  confine(x, lower, upper, turn, into, offset): void {
    for (let i = 0; i < x.length; i++) {
      into[offset + i] = between(into[offset + i] as number, x[i] as number, lower, upper, i, turn)
    }
  },

  accumulateNormals(x, scale, at, weight, antithetic, gradient): void {
    const round = rounding(x)
    const s = round(scale)
    const w = round(weight)
    for (let first = 0; first < x.length; first += tileSize) {
      const count = Math.min(tileSize, x.length - first)
      normalTile(at, first / tileSize, count, tileOfNormals)
      for (let i = 0; i < count; i++) {
        const base = x[first + i] as number
        const step = round(s * (tileOfNormals[i] as number))
        const other = antithetic ? round(base - step) : base
        const seen = round(round(base + step) - other)
        gradient[first + i] = (gradient[first + i] as number) + round(w * seen)
      }
    }
  },

  accumulateRow(row, base, weight, gradient): void {
    const round = rounding(gradient)
    const w = round(weight)
    for (let i = 0; i < gradient.length; i++) {
      const seen = round((row[i] as number) - (base[i] as number))
      gradient[i] = (gradient[i] as number) + round(w * seen)
    }
  },

  average(average, gradient, beta): void {
    const round = rounding(average)
    const smallest = smallestMoment(average)
    const keep = round(beta)
    const take = round(1 - beta)
    for (let i = 0; i < average.length; i++) {
      const next = round(round(keep * (average[i] as number)) + round(take * (gradient[i] as number)))
      average[i] = Math.abs(next) < smallest ? 0 : next
    }
  },

  moments(moments: Moments, gradient: Vector, beta1: number, beta2: number): void {
    const { first, second, maximum } = moments
    this.average(first, gradient, beta1)
    const round = rounding(second)
    const smallest = smallestMoment(second)
    const keep = round(beta2)
    const take = round(1 - beta2)
    for (let i = 0; i < second.length; i++) {
      const g = gradient[i] as number
      const next = round(round(keep * (second[i] as number)) + round(take * round(g * g)))
      const v = next < smallest ? 0 : next
      second[i] = v
      if (maximum !== null && v > (maximum[i] as number)) maximum[i] = v
    }
  },

  sign(direction): void {
    for (let i = 0; i < direction.length; i++) {
      const g = direction[i] as number
      direction[i] = g > 0 ? 1 : g < 0 ? -1 : 0
    }
  },

  advance(x, rate, direction, squares, lower, upper): void {
    const round = rounding(x)
    const alpha = round(rate)
    const largest = x instanceof Float32Array ? 3.4028234663852886e38 : Number.MAX_VALUE
    for (let i = 0; i < x.length; i++) {
      let move = direction[i] as number
      if (squares !== null) move = move === 0 ? 0 : round(move / round(Math.sqrt(squares[i] as number)))
      const next = round((x[i] as number) - round(alpha * move))
      if (Math.abs(next) <= largest) x[i] = next
      const low = lower === null ? -Infinity : (lower[lower.length === 1 ? 0 : i] as number)
      const high = upper === null ? Infinity : (upper[upper.length === 1 ? 0 : i] as number)
      if ((x[i] as number) < low) x[i] = low
      if ((x[i] as number) > high) x[i] = high
    }
  },

  update(x: Vector, sum: RowSum, step: Update): void {
    for (let first = 0; first < x.length; first += tileSize) {
      const end = Math.min(first + tileSize, x.length)
      const gradient = this.allocate(end - first, x instanceof Float32Array ? 'float32' : 'float64')
      addTerms(x, sum, step, first, gradient)
      const part = (vector: Vector | null): Vector | null =>
        vector === null || vector.length === 1 ? vector : vector.subarray(first, end)
      let squares: Vector | null = null
      if (step.kind === 'sign') this.sign(gradient)
      if (step.moments !== null) {
        const [m, v, maximum] = [part(step.moments.first), part(step.moments.second), part(step.moments.maximum)]
        this.moments({ first: m as Vector, second: v as Vector, maximum }, gradient, step.beta1, step.beta2)
        gradient.set(m as Vector)
        squares = step.kind === 'maximum' ? maximum : v
      }
      this.advance(part(x) as Vector, step.rate, gradient, squares, part(step.lower), part(step.upper))
    }
  },

  dot(a, b): number {
    let lane0 = 0
    let lane1 = 0
    let lane2 = 0
    let lane3 = 0
    const whole = a.length & ~3
    for (let i = 0; i < whole; i += 4) {
      lane0 += (a[i] as number) * (b[i] as number)
      lane1 += (a[i + 1] as number) * (b[i + 1] as number)
      lane2 += (a[i + 2] as number) * (b[i + 2] as number)
      lane3 += (a[i + 3] as number) * (b[i + 3] as number)
    }
    let sum = lane0 + lane1 + (lane2 + lane3)
    for (let i = whole; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
    return sum
  },
}

/** gradient += the tile from `first` on of a sum over directions. */
function addTerms(x: Vector, sum: RowSum, { lower, upper }: Update, first: number, gradient: Vector): void {
  const { key, terms, count, antithetic, kept } = sum
  const round = rounding(x)
  const asked = (value: number, base: number, i: number): number =>
    sum.inside && lower !== null && upper !== null ? round(between(value, base, lower, upper, i, !antithetic)) : value
  for (let term = 0; term < 3 * count; term += 3) {
    const row = terms[term] as number
    const s = round(terms[term + 1] as number)
    const w = round(terms[term + 2] as number)
    if (kept === null) normalTile({ ...key, row }, first / tileSize, gradient.length, tileOfNormals)
    for (let i = 0; i < gradient.length; i++) {
      const base = x[first + i] as number
      const step = round(s * (tileOfNormals[i] as number))
      const made = kept === null ? asked(round(base + step), base, first + i) : undefined
      const ahead = made ?? (kept?.[row * x.length + first + i] as number)
      const other = antithetic ? asked(round(base - step), base, first + i) : base
      gradient[i] = (gradient[i] as number) + round(w * round(ahead - other))
    }
  }
}

/** Where coordinate i of a probe around `center` is asked that would lie at `value`; the caller rounds it. */
function between(value: number, center: number, lower: Vector, upper: Vector, i: number, turn: boolean): number {
  const low = lower[lower.length === 1 ? 0 : i] as number
  const high = upper[upper.length === 1 ? 0 : i] as number
  if (turn && value >= low && value <= high) return value
  const moved = turn ? center - (value - center) : value
  const above = moved < low ? low : moved
  return high < above ? high : above
}

/** float32 vectors round after every operation, as 32-bit lanes do; a float64 operation is already rounded. */
function rounding(vector: Vector): (value: number) => number {
  return vector instanceof Float32Array ? Math.fround : identity
}

/** Moments below this are set to 0: denormal numbers slow the update fifty-fold and mean nothing. */
export function smallestMoment(vector: Vector): number {
  return vector instanceof Float32Array ? 1e-30 : 1e-290
}
