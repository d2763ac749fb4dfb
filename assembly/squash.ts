// The way of the unconstrained form from variables to pixels: see src/optimizer/kernels/row-pair.ts, whose bits these are.

/** Numbers of the formula, as src/optimizer/kernels/row-pair.ts puts them into memory: constants would be made again in every round. */
// @ts-ignore: decorator
@inline
function number(numbers: usize, index: i32): v128 {
  return v128.load64_splat(numbers + (<usize>index << 3))
}

/**
 * Makes pixels of two rows, from `from` on, two pixels at a time; `sizes` as in pairs.ts, of the changes. Returns how many are
 * done: it stops at variables beyond 4, and where less than two are left.
 */
export function squashPair(
  base: usize,
  one: usize,
  other: usize,
  into: usize,
  behind: usize,
  from: i32,
  dim: i32,
  sizes: usize,
  numbers: usize,
): i32 {
  let sums = v128.load(sizes)
  let largest = v128.load(sizes, 16)
  const most = number(numbers, 0)
  let i = from
  for (; i + 2 <= dim; i += 2) {
    const at = <usize>i << 2
    const a = f64x2.promote_low_f32x4(v128.load64_zero(one + at))
    const b = f64x2.promote_low_f32x4(v128.load64_zero(other + at))
    const isNear = v128.and(f64x2.le(f64x2.abs(a), most), f64x2.le(f64x2.abs(b), most))
    if (!i64x2.all_true(isNear)) break
    const pixels = f64x2.promote_low_f32x4(v128.load64_zero(base + at))
    const ones = number(numbers, 13)
    const t = f64x2.mul(number(numbers, 11), f64x2.sub(pixels, number(numbers, 10)))
    const less = f64x2.sub(ones, t)
    const more = f64x2.add(ones, t)
    const slope = f64x2.mul(f64x2.mul(number(numbers, 12), less), more)
    const first = shown(a, pixels, less, more, slope, numbers)
    const second = shown(b, pixels, less, more, slope, numbers)
    v128.store64_lane(into + at, f32x4.demote_f64x2_zero(first), 0)
    v128.store64_lane(behind + at, f32x4.demote_f64x2_zero(second), 0)
    const change = f64x2.sub(first, pixels)
    const otherChange = f64x2.sub(second, pixels)
    const front = v128.shuffle<f64>(change, otherChange, 0, 2)
    const back = v128.shuffle<f64>(change, otherChange, 1, 3)
    sums = f64x2.add(sums, f64x2.mul(front, front))
    sums = f64x2.add(sums, f64x2.mul(back, back))
    largest = f64x2.pmax(largest, f64x2.pmax(f64x2.abs(front), f64x2.abs(back)))
  }
  v128.store(sizes, sums)
  v128.store(sizes, largest, 16)
  return i
}

/** The same with one row. */
export function squashRow(
  base: usize,
  row: usize,
  into: usize,
  from: i32,
  dim: i32,
  sizes: usize,
  numbers: usize,
): i32 {
  let sum = load<f64>(sizes)
  let largest = v128.load64_splat(sizes + 8)
  const most = number(numbers, 0)
  let i = from
  for (; i + 2 <= dim; i += 2) {
    const at = <usize>i << 2
    const w = f64x2.promote_low_f32x4(v128.load64_zero(row + at))
    if (!i64x2.all_true(f64x2.le(f64x2.abs(w), most))) break
    const pixels = f64x2.promote_low_f32x4(v128.load64_zero(base + at))
    const ones = number(numbers, 13)
    const t = f64x2.mul(number(numbers, 11), f64x2.sub(pixels, number(numbers, 10)))
    const less = f64x2.sub(ones, t)
    const more = f64x2.add(ones, t)
    const slope = f64x2.mul(f64x2.mul(number(numbers, 12), less), more)
    const pixel = shown(w, pixels, less, more, slope, numbers)
    v128.store64_lane(into + at, f32x4.demote_f64x2_zero(pixel), 0)
    const change = f64x2.sub(pixel, pixels)
    const squares = f64x2.mul(change, change)
    sum += f64x2.extract_lane(squares, 0)
    sum += f64x2.extract_lane(squares, 1)
    largest = f64x2.pmax(largest, f64x2.abs(change))
  }
  store<f64>(sizes, sum)
  const front = f64x2.extract_lane(largest, 0)
  const back = f64x2.extract_lane(largest, 1)
  store<f64>(sizes, front > back ? front : back, 8)
  return i
}

/** The pixels between black and white that the variables make of others. */
// @ts-ignore: decorator
@inline
function shown(w: v128, pixels: v128, less: v128, more: v128, slope: v128, numbers: usize): v128 {
  const x = f64x2.mul(number(numbers, 1), w)
  const y = f64x2.mul(x, x)
  let odd = f64x2.add(number(numbers, 5), y)
  odd = f64x2.add(number(numbers, 4), f64x2.mul(y, odd))
  odd = f64x2.add(number(numbers, 3), f64x2.mul(y, odd))
  odd = f64x2.mul(x, f64x2.add(number(numbers, 2), f64x2.mul(y, odd)))
  let even = f64x2.add(number(numbers, 8), f64x2.mul(number(numbers, 9), y))
  even = f64x2.add(number(numbers, 7), f64x2.mul(y, even))
  even = f64x2.add(number(numbers, 6), f64x2.mul(y, even))
  even = f64x2.add(number(numbers, 2), f64x2.mul(y, even))
  const sum = f64x2.add(even, odd)
  const difference = f64x2.sub(even, odd)
  const up = f64x2.mul(sum, sum)
  const down = f64x2.mul(difference, difference)
  const four = number(numbers, 0)
  const gap = f64x2.mul(f64x2.mul(f64x2.mul(four, odd), even), f64x2.add(up, down))
  const under = f64x2.add(f64x2.mul(f64x2.mul(more, up), up), f64x2.mul(f64x2.mul(less, down), down))
  const changed = f64x2.add(pixels, f64x2.div(f64x2.mul(slope, gap), under))
  const ones = number(numbers, 13)
  return f64x2.pmin(ones, f64x2.pmax(f64x2.splat(0), changed))
}
