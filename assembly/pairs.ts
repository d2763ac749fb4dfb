/**
 * into = base + one, behind = base + other; the squares of both rows are added to `squares` in float64, from the first to the last.
 * One lane per row: the order of the additions is that of a plain loop, and the two need not wait for each other.
 */
export function addPair(base: usize, one: usize, other: usize, into: usize, behind: usize, dim: i32, squares: usize): void {
  let sums = v128.load(squares)
  const whole = dim & ~3
  for (const end = base + (<usize>whole << 2); base < end; base += 16, one += 16, other += 16, into += 16, behind += 16) {
    const pixels = v128.load(base)
    const a = v128.load(one)
    const b = v128.load(other)
    v128.store(into, f32x4.add(pixels, a))
    v128.store(behind, f32x4.add(pixels, b))
    const front = v128.shuffle<f32>(a, b, 0, 4, 1, 5)
    const back = v128.shuffle<f32>(a, b, 2, 6, 3, 7)
    sums = plusSquares(sums, front)
    sums = plusSquares(sums, v128.shuffle<f64>(front, front, 1, 1))
    sums = plusSquares(sums, back)
    sums = plusSquares(sums, v128.shuffle<f64>(back, back, 1, 1))
  }
  let first = f64x2.extract_lane(sums, 0)
  let second = f64x2.extract_lane(sums, 1)
  for (let i = whole; i < dim; i++, base += 4, one += 4, other += 4, into += 4, behind += 4) {
    const a = load<f32>(one)
    const b = load<f32>(other)
    first += <f64>a * <f64>a
    second += <f64>b * <f64>b
    store<f32>(into, load<f32>(base) + a)
    store<f32>(behind, load<f32>(base) + b)
  }
  store<f64>(squares, first)
  store<f64>(squares, second, 8)
}

/** Adds the squares of the two floats in the low half. */
// @ts-ignore: decorator
@inline
function plusSquares(sums: v128, values: v128): v128 {
  const wide = f64x2.promote_low_f32x4(values)
  return f64x2.add(sums, f64x2.mul(wide, wide))
}
