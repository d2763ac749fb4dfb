import { boundAt, boundsAt, clipped, clippedOne, turned, turnedOne } from './bounds'
import { lastNormals, lastRadii, normalsScratch, radiiScratch, TILE } from './memory'
import { lastStep, place, radii, tileLength, tileNormals } from './normals'
import { seedAngles, seedRadii } from './philox'

/** Sum of squares of the normals of one row. */
export function normalsSquared(keyLow: i32, keyHigh: i32, iteration: i32, row: i32, dim: i32): f64 {
  let sum: f64 = 0
  for (let first = 0; first < dim; first += TILE) {
    const count = tileLength(first, dim)
    seedRadii(keyLow, keyHigh, iteration, row, first / TILE)
    sum += tileSquared(keyLow, keyHigh, iteration, row, first / TILE, count, radiiScratch())
  }
  return sum
}

/** x + scale z, one row of queries. */
export function perturb<T>(
  x: usize,
  scale: T,
  keyLow: i32,
  keyHigh: i32,
  iteration: i32,
  row: i32,
  dim: i32,
  into: usize,
): void {
  for (let first = 0; first < dim; first += TILE) {
    const count = tileLength(first, dim)
    const start = <usize>first * sizeof<T>()
    seedRadii(keyLow, keyHigh, iteration, row, first / TILE)
    radii(count >> 3, radiiScratch())
    placeTile<T>(keyLow, keyHigh, iteration, row, first / TILE, count, radiiScratch(), x + start, scale, into + start)
  }
}

// A unit row takes two passes, because its norm must be known before it is written. The first leaves the squared
// radii in the upper part of each tile of the row itself, where the second finds them: no memory is needed for them.

/** First pass: squared radii, and each tile's sum of squares into `sums`. */
export function measure<T>(
  keyLow: i32,
  keyHigh: i32,
  iteration: i32,
  row: i32,
  dim: i32,
  into: usize,
  sums: usize,
): void {
  for (let first = 0; first < dim; first += TILE) {
    const count = tileLength(first, dim)
    const squares = keptRadii<T>(count, into + <usize>first * sizeof<T>())
    seedRadii(keyLow, keyHigh, iteration, row, first / TILE)
    const sum = tileSquared(keyLow, keyHigh, iteration, row, first / TILE, count, squares)
    store<f64>(sums + (<usize>(first / TILE) << 3), sum)
  }
}

/** Second pass: x + scale z from the squared radii that `measure` left. */
export function finish<T>(
  x: usize,
  scale: T,
  keyLow: i32,
  keyHigh: i32,
  iteration: i32,
  row: i32,
  dim: i32,
  into: usize,
): void {
  for (let first = 0; first < dim; first += TILE) {
    const count = tileLength(first, dim)
    const start = <usize>first * sizeof<T>()
    const squares = keptRadii<T>(count, into + start)
    placeTile<T>(keyLow, keyHigh, iteration, row, first / TILE, count, squares, x + start, scale, into + start)
  }
}

/** gradient += weight times the step that x + scale z (and, if antithetic, x - scale z) really took, over one tile. */
export function accumulateTile<T>(
  x: usize,
  scale: T,
  keyLow: i32,
  keyHigh: i32,
  iteration: i32,
  row: i32,
  tile: i32,
  count: i32,
  weight: T,
  antithetic: bool,
  gradient: usize,
): void {
  tileNormals(keyLow, keyHigh, iteration, row, tile, count)
  const scales = v128.splat<T>(scale)
  const weights = v128.splat<T>(weight)
  const lanes = 16 / <i32>sizeof<T>()
  const whole = count - (count % lanes)
  let z = normalsScratch()
  for (let end = x + <usize>whole * sizeof<T>(); x < end; x += 16, gradient += 16, z += 4 * lanes) {
    const normals = sizeof<T>() == 4 ? v128.load(z) : f64x2.promote_low_f32x4(v128.load64_zero(z))
    const base = v128.load(x)
    const step = v128.mul<T>(scales, normals)
    const other = antithetic ? v128.sub<T>(base, step) : base
    const seen = v128.sub<T>(v128.add<T>(base, step), other)
    v128.store(gradient, v128.add<T>(v128.load(gradient), v128.mul<T>(weights, seen)))
  }
  for (let i = whole; i < count; i++, x += sizeof<T>(), gradient += sizeof<T>(), z += 4) {
    const base = load<T>(x)
    const step = scale * <T>load<f32>(z)
    const other = antithetic ? base - step : base
    const seen = base + step - other
    store<T>(gradient, load<T>(gradient) + weight * seen)
  }
}

/** The same for probes that were asked between bounds: see `turned` and `clipped` in bounds.ts. */
export function accumulateInside<T>(
  x: usize,
  scale: T,
  keyLow: i32,
  keyHigh: i32,
  iteration: i32,
  row: i32,
  tile: i32,
  count: i32,
  weight: T,
  antithetic: bool,
  lower: usize,
  upper: usize,
  uniform: bool,
  gradient: usize,
): void {
  tileNormals(keyLow, keyHigh, iteration, row, tile, count)
  const scales = v128.splat<T>(scale)
  const weights = v128.splat<T>(weight)
  const lanes = 16 / <i32>sizeof<T>()
  const bytes = <usize>count * sizeof<T>()
  let z = normalsScratch()
  let i: usize = 0
  for (const end = bytes & ~15; i < end; i += 16, z += 4 * lanes) {
    const normals = sizeof<T>() == 4 ? v128.load(z) : f64x2.promote_low_f32x4(v128.load64_zero(z))
    const base = v128.load(x + i)
    const low = boundsAt<T>(lower, uniform, i)
    const high = boundsAt<T>(upper, uniform, i)
    const step = v128.mul<T>(scales, normals)
    const ahead = v128.add<T>(base, step)
    const seen = antithetic
      ? v128.sub<T>(clipped<T>(ahead, low, high), clipped<T>(v128.sub<T>(base, step), low, high))
      : v128.sub<T>(turned<T>(ahead, base, low, high), base)
    v128.store(gradient + i, v128.add<T>(v128.load(gradient + i), v128.mul<T>(weights, seen)))
  }
  for (; i < bytes; i += sizeof<T>(), z += 4) {
    const base = load<T>(x + i)
    const low = boundAt<T>(lower, uniform, i)
    const high = boundAt<T>(upper, uniform, i)
    const step = scale * <T>load<f32>(z)
    const seen = antithetic
      ? clippedOne<T>(base + step, low, high) - clippedOne<T>(base - step, low, high)
      : turnedOne<T>(base + step, base, low, high) - base
    store<T>(gradient + i, load<T>(gradient + i) + weight * seen)
  }
}

/** Accumulates one whole row. */
export function accumulateNormals<T>(
  x: usize,
  scale: T,
  keyLow: i32,
  keyHigh: i32,
  iteration: i32,
  row: i32,
  weight: T,
  antithetic: bool,
  dim: i32,
  gradient: usize,
): void {
  for (let first = 0; first < dim; first += TILE) {
    const start = <usize>first * sizeof<T>()
    const count = tileLength(first, dim)
    const tile = first / TILE
    accumulateTile<T>(x + start, scale, keyLow, keyHigh, iteration, row, tile, count, weight, antithetic, gradient + start)
  }
}

/** gradient += weight (row - base). */
export function accumulateRow<T>(row: usize, base: usize, weight: T, dim: i32, gradient: usize): void {
  const weights = v128.splat<T>(weight)
  const lanes = 16 / <i32>sizeof<T>()
  const whole = dim - (dim % lanes)
  for (let end = row + <usize>whole * sizeof<T>(); row < end; row += 16, base += 16, gradient += 16) {
    const seen = v128.sub<T>(v128.load(row), v128.load(base))
    v128.store(gradient, v128.add<T>(v128.load(gradient), v128.mul<T>(weights, seen)))
  }
  for (let i = whole; i < dim; i++, row += sizeof<T>(), base += sizeof<T>(), gradient += sizeof<T>()) {
    store<T>(gradient, load<T>(gradient) + weight * (load<T>(row) - load<T>(base)))
  }
}

/** Squared radii of one tile into `squares`; returns the sum of squares of its normals. Stream A must be seeded. */
function tileSquared(keyLow: i32, keyHigh: i32, iteration: i32, row: i32, tile: i32, count: i32, squares: usize): f64 {
  let sum = radii(count >> 3, squares)
  if ((count & 7) == 0) return sum
  seedAngles(keyLow, keyHigh, iteration, row, tile)
  lastStep(count >> 3)
  for (let i = 0; i < (count & 7); i++) {
    const z = <f64>load<f32>(lastNormals() + (<usize>i << 2))
    sum += z * z
  }
  return sum
}

/** The second half of a row's making: angles, normals, x + scale z, over one tile. */
function placeTile<T>(
  keyLow: i32,
  keyHigh: i32,
  iteration: i32,
  row: i32,
  tile: i32,
  count: i32,
  squares: usize,
  x: usize,
  scale: T,
  into: usize,
): void {
  const steps = count >> 3
  seedAngles(keyLow, keyHigh, iteration, row, tile)
  if (steps > 0) place<T>(steps, squares, x, scale, into)
  if ((count & 7) == 0) return
  seedRadii(keyLow, keyHigh, iteration, row, tile)
  lastStep(steps)
  for (let i = steps << 3; i < count; i++) {
    const z = <T>load<f32>(lastNormals() + (<usize>(i & 7) << 2))
    const at = <usize>i * sizeof<T>()
    store<T>(into + at, load<T>(x + at) + scale * z)
  }
}

/** Where the squared radii of a tile wait for the second pass: its own last 8 KiB, or, if it is short, a place of ours. */
// @ts-ignore: decorator
@inline
function keptRadii<T>(count: i32, into: usize): usize {
  return count == TILE ? into + <usize>TILE * sizeof<T>() - 8192 : lastRadii()
}
