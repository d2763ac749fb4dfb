/** Inner product in float64, by four lanes and a tail. */
export function dot<T>(a: usize, b: usize, dim: i32): f64 {
  let low = f64x2.splat(0)
  let high = f64x2.splat(0)
  const whole = dim & ~3
  for (let end = a + <usize>whole * sizeof<T>(); a < end; a += 4 * sizeof<T>(), b += 4 * sizeof<T>()) {
    if (sizeof<T>() == 4) {
      low = f64x2.add(low, f64x2.mul(promoted(a), promoted(b)))
      high = f64x2.add(high, f64x2.mul(promoted(a + 8), promoted(b + 8)))
    } else {
      low = f64x2.add(low, f64x2.mul(v128.load(a), v128.load(b)))
      high = f64x2.add(high, f64x2.mul(v128.load(a, 16), v128.load(b, 16)))
    }
  }
  let sum = f64x2.extract_lane(low, 0) + f64x2.extract_lane(low, 1) + (f64x2.extract_lane(high, 0) + f64x2.extract_lane(high, 1))
  for (let i = whole; i < dim; i++, a += sizeof<T>(), b += sizeof<T>()) sum += <f64>load<T>(a) * <f64>load<T>(b)
  return sum
}

// @ts-ignore: decorator
@inline
function promoted(at: usize): v128 {
  return f64x2.promote_low_f32x4(v128.load64_zero(at))
}
