export { squashPair, squashRow } from './squash'

// What is known of a row lies in `sizes`, for each of the kernel's rows: first the squares of all, then the largest of all, as f64.

/**
 * into = base + one, behind = base + other; the squares of both rows are added to `sizes` in float64, from the first to the last.
 * One lane per row: the order of the additions is that of a plain loop, and the two need not wait for each other. The size of
 * each row's largest number is there, too, where it is larger than what was there; what is no number has none.
 */
export function addPair(base: usize, one: usize, other: usize, into: usize, behind: usize, dim: i32, sizes: usize): void {
  let sums = v128.load(sizes)
  let highestOne = f32x4.splat(0)
  let lowestOne = f32x4.splat(0)
  let highestOther = f32x4.splat(0)
  let lowestOther = f32x4.splat(0)
  const whole = dim & ~3
  for (const end = base + (<usize>whole << 2); base < end; base += 16, one += 16, other += 16, into += 16, behind += 16) {
    const pixels = v128.load(base)
    const a = v128.load(one)
    const b = v128.load(other)
    v128.store(into, f32x4.add(pixels, a))
    v128.store(behind, f32x4.add(pixels, b))
    highestOne = f32x4.pmax(highestOne, a)
    lowestOne = f32x4.pmin(lowestOne, a)
    highestOther = f32x4.pmax(highestOther, b)
    lowestOther = f32x4.pmin(lowestOther, b)
    const front = v128.shuffle<f32>(a, b, 0, 4, 1, 5)
    const back = v128.shuffle<f32>(a, b, 2, 6, 3, 7)
    sums = plusSquares(sums, front)
    sums = plusSquares(sums, v128.shuffle<f64>(front, front, 1, 1))
    sums = plusSquares(sums, back)
    sums = plusSquares(sums, v128.shuffle<f64>(back, back, 1, 1))
  }
  let first = f64x2.extract_lane(sums, 0)
  let second = f64x2.extract_lane(sums, 1)
  let largestOne = largestOf(highestOne, lowestOne)
  let largestOther = largestOf(highestOther, lowestOther)
  for (let i = whole; i < dim; i++, base += 4, one += 4, other += 4, into += 4, behind += 4) {
    const a = load<f32>(one)
    const b = load<f32>(other)
    first += <f64>a * <f64>a
    second += <f64>b * <f64>b
    largestOne = larger(largestOne, abs<f32>(a))
    largestOther = larger(largestOther, abs<f32>(b))
    store<f32>(into, load<f32>(base) + a)
    store<f32>(behind, load<f32>(base) + b)
  }
  store<f64>(sizes, first)
  store<f64>(sizes, second, 8)
  keepLargest(sizes + 16, largestOne)
  keepLargest(sizes + 24, largestOther)
}

/** The same with one row. */
export function addRow(base: usize, row: usize, into: usize, dim: i32, sizes: usize): void {
  let sum = load<f64>(sizes)
  let highest = f32x4.splat(0)
  let lowest = f32x4.splat(0)
  const whole = dim & ~3
  for (const end = base + (<usize>whole << 2); base < end; base += 16, row += 16, into += 16) {
    const a = v128.load(row)
    v128.store(into, f32x4.add(v128.load(base), a))
    highest = f32x4.pmax(highest, a)
    lowest = f32x4.pmin(lowest, a)
    const front = squaresOf(a)
    const back = squaresOf(v128.shuffle<f64>(a, a, 1, 1))
    sum += f64x2.extract_lane(front, 0)
    sum += f64x2.extract_lane(front, 1)
    sum += f64x2.extract_lane(back, 0)
    sum += f64x2.extract_lane(back, 1)
  }
  let largest = largestOf(highest, lowest)
  for (let i = whole; i < dim; i++, base += 4, row += 4, into += 4) {
    const a = load<f32>(row)
    sum += <f64>a * <f64>a
    largest = larger(largest, abs<f32>(a))
    store<f32>(into, load<f32>(base) + a)
  }
  store<f64>(sizes, sum)
  keepLargest(sizes + 8, largest)
}

/** Adds the squares of the two floats in the low half. */
// @ts-ignore: decorator
@inline
function plusSquares(sums: v128, values: v128): v128 {
  return f64x2.add(sums, squaresOf(values))
}

/** The squares of the two floats in the low half. */
// @ts-ignore: decorator
@inline
function squaresOf(values: v128): v128 {
  const wide = f64x2.promote_low_f32x4(values)
  return f64x2.mul(wide, wide)
}

/** The largest size among the highest numbers, none below 0, and the lowest, none above it. */
function largestOf(highest: v128, lowest: v128): f32 {
  const sizes = f32x4.pmax(highest, f32x4.neg(lowest))
  const first = larger(f32x4.extract_lane(sizes, 0), f32x4.extract_lane(sizes, 1))
  return larger(first, larger(f32x4.extract_lane(sizes, 2), f32x4.extract_lane(sizes, 3)))
}

function keepLargest(at: usize, largest: f32): void {
  if (<f64>largest > load<f64>(at)) store<f64>(at, <f64>largest)
}

// @ts-ignore: decorator
@inline
function larger(a: f32, b: f32): f32 {
  return b > a ? b : a
}

/** row = factor row + shift, in float64 and rounded once. */
export function scaleRow(row: usize, dim: i32, factor: f64, shift: f64): void {
  const factors = f64x2.splat(factor)
  const shifts = f64x2.splat(shift)
  const whole = dim & ~3
  for (const end = row + (<usize>whole << 2); row < end; row += 16) {
    const values = v128.load(row)
    const front = scaledPair(values, factors, shifts)
    const back = scaledPair(v128.shuffle<f64>(values, values, 1, 1), factors, shifts)
    v128.store(row, v128.shuffle<f64>(front, back, 0, 2))
  }
  for (let i = whole; i < dim; i++, row += 4) store<f32>(row, <f32>(<f64>load<f32>(row) * factor + shift))
}

/** The two floats in the low half, scaled. */
// @ts-ignore: decorator
@inline
function scaledPair(values: v128, factors: v128, shifts: v128): v128 {
  return f32x4.demote_f64x2_zero(f64x2.add(f64x2.mul(f64x2.promote_low_f32x4(values), factors), shifts))
}
