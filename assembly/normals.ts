import { blockScratch, COS, FLOATS, INTS, lastNormals, LOG, normalsScratch, radiiScratch, seeds, SIN, TILE } from './memory'
import { seedAngles, seedRadii } from './philox'

// Standard normals by Box-Muller on sfc32 streams; src/optimizer/kernels/normals.ts is the same method element by element.
// A block of 64 steps passes through several short loops, with what is between them in the first-level cache. One
// loop for all of it would have a longer chain of dependent operations than a processor can keep waiting, and more
// constants than there are registers.

/** Steps of a block; also those whose squared radii are summed in float32 before they enter the float64 sum. */
const BLOCK_BYTES: usize = 64 * 16

/** Squared radii of `steps` > 0 steps of the seeded stream A, four each; returns their sum. Reads nothing else. */
export function radii(steps: i32, into: usize): f64 {
  const log0 = v128.load32_splat(LOG, 0)
  const log1 = v128.load32_splat(LOG, 4)
  const log2 = v128.load32_splat(LOG, 8)
  const log3 = v128.load32_splat(LOG, 12)
  const twoLn2 = v128.load32_splat(FLOATS, 0)
  const one = v128.load32_splat(FLOATS, 8)
  const five = v128.load32_splat(FLOATS, 12)
  const unit = v128.load32_splat(INTS, 0)
  const mantissa = v128.load32_splat(INTS, 4)
  const exponent = v128.load32_splat(INTS, 8)
  const mask = v128.load32_splat(INTS, 12)
  const zero = v128.load32_splat(INTS, 16)
  let a = v128.load(seeds(), 0)
  let b = v128.load(seeds(), 16)
  let c = v128.load(seeds(), 32)
  let d = v128.load(seeds(), 48)
  let low = f64x2.splat(0)
  let high = f64x2.splat(0)
  const end = into + (<usize>steps << 4)
  while (into < end) {
    const blockEnd = min(into + BLOCK_BYTES, end)
    let exponents = blockScratch()
    for (let at = into; at < blockEnd; at += 16, exponents += 16) {
      const word = i32x4.add(i32x4.add(a, b), d)
      d = i32x4.add(d, unit)
      a = v128.xor(b, i32x4.shr_u(b, 9))
      b = i32x4.add(c, i32x4.shl(c, 3))
      c = i32x4.add(rotate21(c), word)
      const p = f32x4.convert_i32x4_s(v128.or(word, unit))
      const f = v128.or(v128.and(p, mantissa), one)
      v128.store(at, f32x4.div(f32x4.sub(f, one), f32x4.sub(five, f)))
      v128.store(exponents, f32x4.mul(f32x4.convert_i32x4_s(i32x4.max_s(i32x4.sub(exponent, v128.and(i32x4.shr_u(p, 23), mask)), zero)), twoLn2))
    }
    let sum = f32x4.splat(0)
    exponents = blockScratch()
    for (; into < blockEnd; into += 16, exponents += 16) {
      const s = v128.load(into)
      const q = cubic(f32x4.mul(s, s), log0, log1, log2, log3)
      const squared = f32x4.add(f32x4.mul(q, s), v128.load(exponents))
      v128.store(into, squared)
      sum = f32x4.add(sum, squared)
    }
    low = f64x2.add(low, f64x2.promote_low_f32x4(sum))
    high = f64x2.add(high, f64x2.promote_low_f32x4(upperHalf(sum)))
  }
  return f64x2.extract_lane(low, 0) + f64x2.extract_lane(low, 1) + (f64x2.extract_lane(high, 0) + f64x2.extract_lane(high, 1))
}

/**
 * Turns squared radii into normals with the angles of the seeded stream B, `steps` > 0 steps of eight, and writes
 * x + scale z as T; with T = i32 the normals themselves, as f32. `into` may overlap `squares` from below: what is
 * still to be read lies ahead of what is written.
 */
export function place<T>(steps: i32, squares: usize, x: usize, scale: T, into: usize): void {
  const sin0 = v128.load32_splat(SIN, 0)
  const sin1 = v128.load32_splat(SIN, 4)
  const sin2 = v128.load32_splat(SIN, 8)
  const sin3 = v128.load32_splat(SIN, 12)
  const cos0 = v128.load32_splat(COS, 0)
  const cos1 = v128.load32_splat(COS, 4)
  const cos2 = v128.load32_splat(COS, 8)
  const cos3 = v128.load32_splat(COS, 12)
  const toUnit = v128.load32_splat(FLOATS, 4)
  const one = v128.load32_splat(FLOATS, 8)
  const unit = v128.load32_splat(INTS, 0)
  const scales = v128.splat<T>(scale)
  let a = v128.load(seeds(), 64)
  let b = v128.load(seeds(), 80)
  let c = v128.load(seeds(), 96)
  let d = v128.load(seeds(), 112)
  const block = blockScratch()
  const end = squares + (<usize>steps << 4)
  while (squares < end) {
    const blockEnd = block + min(BLOCK_BYTES, end - squares)
    for (let at = block; at < blockEnd; at += 16, squares += 16) {
      const word = i32x4.add(i32x4.add(a, b), d)
      d = i32x4.add(d, unit)
      a = v128.xor(b, i32x4.shr_u(b, 9))
      b = i32x4.add(c, i32x4.shl(c, 3))
      c = i32x4.add(rotate21(c), word)
      v128.store(at, f32x4.mul(f32x4.convert_i32x4_s(word), toUnit))
      v128.store(at, v128.xor(f32x4.sqrt(v128.load(squares)), i32x4.shl(word, 31)), BLOCK_BYTES)
    }
    for (let at = block; at < blockEnd; at += 16) {
      const y = v128.load(at)
      const yy = f32x4.mul(y, y)
      v128.store(at, f32x4.mul(cubic(yy, sin0, sin1, sin2, sin3), y))
      v128.store(at, cubic(yy, cos0, cos1, cos2, cos3), 2 * BLOCK_BYTES)
    }
    for (let at = block; at < blockEnd; at += 16) {
      const h = v128.load(at)
      const radius = v128.load(at, BLOCK_BYTES)
      const z0 = f32x4.mul(radius, f32x4.sub(one, f32x4.mul(h, h)))
      const z1 = f32x4.mul(radius, f32x4.mul(h, v128.load(at, 2 * BLOCK_BYTES)))
      if (isInteger<T>()) {
        v128.store(into, z0)
        v128.store(into, z1, 16)
        into += 32
      } else if (sizeof<T>() == 4) {
        v128.store(into, f32x4.add(v128.load(x), f32x4.mul(scales, z0)))
        v128.store(into, f32x4.add(v128.load(x, 16), f32x4.mul(scales, z1)), 16)
        into += 32
        x += 32
      } else {
        const z2 = f64x2.promote_low_f32x4(upperHalf(z0))
        const z3 = f64x2.promote_low_f32x4(upperHalf(z1))
        v128.store(into, f64x2.add(v128.load(x), f64x2.mul(scales, f64x2.promote_low_f32x4(z0))))
        v128.store(into, f64x2.add(v128.load(x, 16), f64x2.mul(scales, z2)), 16)
        v128.store(into, f64x2.add(v128.load(x, 32), f64x2.mul(scales, f64x2.promote_low_f32x4(z1))), 32)
        v128.store(into, f64x2.add(v128.load(x, 48), f64x2.mul(scales, z3)), 48)
        into += 64
        x += 64
      }
    }
  }
}

/** The eight normals of one step, after `before` whole ones, into the place for them. Both streams must be seeded. */
export function lastStep(before: i32): void {
  advance(seeds(), before)
  radii(1, radiiScratch())
  advance(seeds() + 64, before)
  place<i32>(1, radiiScratch(), 0, 0, lastNormals())
}

/** The first `count` normals of a tile into their scratch, rounded up to whole steps. */
export function tileNormals(keyLow: i32, keyHigh: i32, iteration: i32, row: i32, tile: i32, count: i32): void {
  const steps = (count + 7) >> 3
  seedRadii(keyLow, keyHigh, iteration, row, tile)
  seedAngles(keyLow, keyHigh, iteration, row, tile)
  radii(steps, radiiScratch())
  place<i32>(steps, radiiScratch(), 0, 0, normalsScratch())
}

/** Length of the tile that begins at element `first` of `dim`. */
// @ts-ignore: decorator
@inline
export function tileLength(first: i32, dim: i32): i32 {
  return min(TILE, dim - first)
}

/** Moves a seeded stream forward. */
function advance(seeds: usize, steps: i32): void {
  let a = v128.load(seeds, 0)
  let b = v128.load(seeds, 16)
  let c = v128.load(seeds, 32)
  let d = v128.load(seeds, 48)
  for (let step = 0; step < steps; step++) {
    const word = i32x4.add(i32x4.add(a, b), d)
    d = i32x4.add(d, i32x4.splat(1))
    a = v128.xor(b, i32x4.shr_u(b, 9))
    b = i32x4.add(c, i32x4.shl(c, 3))
    c = i32x4.add(rotate21(c), word)
  }
  v128.store(seeds, a, 0)
  v128.store(seeds, b, 16)
  v128.store(seeds, c, 32)
  v128.store(seeds, d, 48)
}

// @ts-ignore: decorator
@inline
function rotate21(x: v128): v128 {
  return v128.or(i32x4.shl(x, 21), i32x4.shr_u(x, 11))
}

// @ts-ignore: decorator
@inline
function cubic(x: v128, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
  let p = f32x4.add(f32x4.mul(c3, x), c2)
  p = f32x4.add(f32x4.mul(p, x), c1)
  return f32x4.add(f32x4.mul(p, x), c0)
}

// @ts-ignore: decorator
@inline
function upperHalf(x: v128): v128 {
  return v128.shuffle<i32>(x, x, 2, 3, 2, 3)
}
