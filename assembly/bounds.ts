// Probes that stay between bounds: src/optimizer/kernels/scalar.ts has the same element by element. A probe that is turned is
// computed in float64 and rounded once, whatever the precision.

/** row = the probes around x as they are asked. See `turned` and `clipped`. */
export function confine<T>(
  x: usize,
  lower: usize,
  upper: usize,
  uniform: bool,
  turn: bool,
  dim: i32,
  row: usize,
): void {
  const end = <usize>dim * sizeof<T>()
  let i: usize = 0
  while (i + 16 <= end) {
    // Most of a row is inside as it is, and nothing is written there.
    if (uniform) i = insideFrom<T>(row, lower, upper, i, end)
    for (const blockEnd = min(i + 64, end & ~15); i < blockEnd; i += 16) {
      const value = v128.load(row + i)
      const low = boundsAt<T>(lower, uniform, i)
      const high = boundsAt<T>(upper, uniform, i)
      v128.store(row + i, turn ? turned<T>(value, v128.load(x + i), low, high) : clipped<T>(value, low, high))
    }
  }
  for (; i < end; i += sizeof<T>()) {
    const value = load<T>(row + i)
    const low = boundAt<T>(lower, uniform, i)
    const high = boundAt<T>(upper, uniform, i)
    store<T>(row + i, turn ? turnedOne<T>(value, load<T>(x + i), low, high) : clippedOne<T>(value, low, high))
  }
}

/** The smallest distance of `count` coordinates from their bounds. */
export function roomBetween<T>(x: usize, lower: usize, upper: usize, uniform: bool, count: i32): T {
  const end = <usize>count * sizeof<T>()
  let least = v128.splat<T>(<T>Infinity)
  let i: usize = 0
  for (; i + 16 <= end; i += 16) {
    const value = v128.load(x + i)
    const below = v128.sub<T>(value, boundsAt<T>(lower, uniform, i))
    const above = v128.sub<T>(boundsAt<T>(upper, uniform, i), value)
    least = v128.pmin<T>(least, v128.pmin<T>(below, above))
  }
  let room = min<T>(v128.extract_lane<T>(least, 0), v128.extract_lane<T>(least, 1))
  if (sizeof<T>() == 4) room = min<T>(room, min<T>(v128.extract_lane<T>(least, 2), v128.extract_lane<T>(least, 3)))
  for (; i < end; i += sizeof<T>()) {
    const value = load<T>(x + i)
    room = min<T>(room, min<T>(value - boundAt<T>(lower, uniform, i), boundAt<T>(upper, uniform, i) - value))
  }
  return room
}

/** The first byte offset from `i` on, in steps of four vectors, where an element may leave bounds that hold for all. */
function insideFrom<T>(row: usize, lower: usize, upper: usize, i: usize, end: usize): usize {
  const low = boundsAt<T>(lower, true, 0)
  const high = boundsAt<T>(upper, true, 0)
  for (; i + 64 <= end; i += 64) {
    const first = v128.and(isInside<T>(v128.load(row + i), low, high), isInside<T>(v128.load(row + i, 16), low, high))
    const last = v128.and(isInside<T>(v128.load(row + i, 32), low, high), isInside<T>(v128.load(row + i, 48), low, high))
    const all = v128.and(first, last)
    if (!(sizeof<T>() == 4 ? i32x4.all_true(all) : i64x2.all_true(all))) break
  }
  return i
}

// @ts-ignore: decorator
@inline
function isInside<T>(value: v128, low: v128, high: v128): v128 {
  return v128.and(v128.ge<T>(value, low), v128.le<T>(value, high))
}

/** The bounds of a vector of coordinates at byte offset `i`; `uniform` ones are one number for all. */
// @ts-ignore: decorator
@inline
export function boundsAt<T>(bound: usize, uniform: bool, i: usize): v128 {
  if (!uniform) return v128.load(bound + i)
  return sizeof<T>() == 4 ? v128.load32_splat(bound) : v128.load64_splat(bound)
}

// @ts-ignore: decorator
@inline
export function boundAt<T>(bound: usize, uniform: bool, i: usize): T {
  return load<T>(bound + (uniform ? 0 : i))
}

/**
 * One-sided probes: those that would leave are turned round the center, and clipped if that leaves, too. No branches: at a
 * corner half of the coordinates would take each.
 */
// @ts-ignore: decorator
@inline
export function turned<T>(value: v128, center: v128, low: v128, high: v128): v128 {
  const inside = isInside<T>(value, low, high)
  return v128.bitselect(value, clipped<T>(mirrored<T>(value, center), low, high), inside)
}

// @ts-ignore: decorator
@inline
export function turnedOne<T>(value: T, center: T, low: T, high: T): T {
  if (value >= low && value <= high) return value
  return clippedOne<T>(<T>(<f64>center - (<f64>value - <f64>center)), low, high)
}

/** Two-sided probes keep their sides. */
// @ts-ignore: decorator
@inline
export function clipped<T>(value: v128, low: v128, high: v128): v128 {
  return v128.pmin<T>(v128.pmax<T>(value, low), high)
}

// @ts-ignore: decorator
@inline
export function clippedOne<T>(value: T, low: T, high: T): T {
  const above = value < low ? low : value
  return high < above ? high : above
}

// @ts-ignore: decorator
@inline
function mirrored<T>(value: v128, center: v128): v128 {
  if (sizeof<T>() == 8) return f64x2.sub(center, f64x2.sub(value, center))
  const first = mirroredPair(value, center)
  const second = mirroredPair(v128.shuffle<i32>(value, value, 2, 3, 2, 3), v128.shuffle<i32>(center, center, 2, 3, 2, 3))
  return v128.shuffle<i32>(first, second, 0, 1, 4, 5)
}

/** The lower two of four, in float64 on the way. */
// @ts-ignore: decorator
@inline
function mirroredPair(value: v128, center: v128): v128 {
  const base = f64x2.promote_low_f32x4(center)
  return f32x4.demote_f64x2_zero(f64x2.sub(base, f64x2.sub(f64x2.promote_low_f32x4(value), base)))
}
