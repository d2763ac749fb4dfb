import type { Kernels, Moments, Precision, Vector } from './kernels.ts'
import { normalTile, tileSize } from './normals.ts'
import type { RandomRow } from './random.ts'

/** Below these sizes a moment is set to 0: denormal numbers slow the update fifty-fold and mean nothing. */
const smallestMoment = { float64: 1e-290, float32: 1e-30 }

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
    const smallest = smallestOf(average)
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
    const smallest = smallestOf(second)
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
      if (lower !== null && (x[i] as number) < (lower[i] as number)) x[i] = lower[i] as number
      if (upper !== null && (x[i] as number) > (upper[i] as number)) x[i] = upper[i] as number
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

/** float32 vectors round after every operation, as 32-bit lanes do; a float64 operation is already rounded. */
function rounding(vector: Vector): (value: number) => number {
  return vector instanceof Float32Array ? Math.fround : identity
}

function smallestOf(vector: Vector): number {
  return vector instanceof Float32Array ? smallestMoment.float32 : smallestMoment.float64
}
