import { TANH_BELOW, TANH_ABOVE } from './memory'

// src/kernels/hyperbolic.ts and exponential.ts, operation by operation.

/** into = tanh(x) in float32, four at a time. */
export function tanh32(x: usize, into: usize, dim: i32): void {
  const whole = dim & ~3
  for (let end = x + (<usize>whole << 2); x < end; x += 16, into += 16) v128.store(into, tangents(v128.load(x)))
  for (let i = whole; i < dim; i++, x += 4, into += 4) {
    v128.store32_lane(into, tangents(v128.load32_zero(x)), 0)
  }
}

/** into = tanh(x) in float64. */
export function tanh64(x: usize, into: usize, dim: i32): void {
  for (let end = x + (<usize>dim << 3); x < end; x += 8, into += 8) store<f64>(into, tangent(load<f64>(x)))
}

// @ts-ignore: decorator
@inline
function tangents(value: v128): v128 {
  const limit = f32x4.splat(7.905311107635498)
  const one = f32x4.splat(1)
  // A comparison with NaN is false, so these keep it.
  const below = v128.bitselect(limit, value, f32x4.lt(limit, value))
  const x = v128.bitselect(f32x4.neg(limit), below, f32x4.lt(below, f32x4.neg(limit)))
  const xx = f32x4.mul(x, x)
  let p = v128.load32_splat(TANH_ABOVE, 24)
  p = f32x4.add(f32x4.mul(p, xx), v128.load32_splat(TANH_ABOVE, 20))
  p = f32x4.add(f32x4.mul(p, xx), v128.load32_splat(TANH_ABOVE, 16))
  p = f32x4.add(f32x4.mul(p, xx), v128.load32_splat(TANH_ABOVE, 12))
  p = f32x4.add(f32x4.mul(p, xx), v128.load32_splat(TANH_ABOVE, 8))
  p = f32x4.add(f32x4.mul(p, xx), v128.load32_splat(TANH_ABOVE, 4))
  p = f32x4.mul(f32x4.add(f32x4.mul(p, xx), v128.load32_splat(TANH_ABOVE, 0)), x)
  let q = v128.load32_splat(TANH_BELOW, 12)
  q = f32x4.add(f32x4.mul(q, xx), v128.load32_splat(TANH_BELOW, 8))
  q = f32x4.add(f32x4.mul(q, xx), v128.load32_splat(TANH_BELOW, 4))
  q = f32x4.add(f32x4.mul(q, xx), v128.load32_splat(TANH_BELOW, 0))
  const quotient = f32x4.div(p, q)
  const capped = v128.bitselect(one, quotient, f32x4.lt(one, quotient))
  return v128.bitselect(f32x4.neg(one), capped, f32x4.lt(capped, f32x4.neg(one)))
}

function tangent(x: f64): f64 {
  if (x == 0) return x
  const size = abs(x)
  if (!(size >= 0.625)) {
    const z = x * x
    const p = (-0.9643991794250523 * z - 99.28772310019185) * z - 1614.6876844170845
    const q = ((z + 112.81167849163293) * z + 2235.4883906010045) * z + 4844.063053251255
    return x + x * z * (p / q)
  }
  const result = 1 - 2 / (exponential(2 * size) + 1)
  return x < 0 ? -result : result
}

function exponential(x: f64): f64 {
  if (x > 709.782712893384) return Infinity
  if (x < -745.1332191019411) return 0
  const k = floor(1.4426950408889634 * x + 0.5)
  const high = x - k * 0.6931471803691238
  const low = k * 1.9082149292705877e-10
  const r = high - low
  const rr = r * r
  const p4 = -1.6533902205465252e-6 + rr * 4.1381367970572385e-8
  const p3 = 6.613756321437934e-5 + rr * p4
  const p2 = -0.0027777777777015593 + rr * p3
  const p1 = 0.16666666666666602 + rr * p2
  const c = r - rr * p1
  const y = 1 - (low - (r * c) / (2 - c) - high)
  const whole = <i32>k
  const half = whole / 2
  return y * powerOfTwo(half) * powerOfTwo(whole - half)
}

function powerOfTwo(k: i32): f64 {
  return reinterpret<f64>(<i64>(k + 1023) << 52)
}
