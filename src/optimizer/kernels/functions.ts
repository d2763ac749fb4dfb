const ln2High = 0.6931471803691238
const ln2Low = 1.9082149292705877e-10
const inverseLn2 = 1.4426950408889634

const bits = new DataView(new ArrayBuffer(8))

/**
 * e^x in plain arithmetic (the fdlibm method, below 1 ulp): the language leaves the last bits of `Math.exp` to each
 * engine, and results that depend on it must not differ between them.
 */
export function exponential(x: number): number {
  if (Number.isNaN(x)) return x
  if (x > 709.782712893384) return Infinity
  if (x < -745.1332191019411) return 0
  const k = Math.floor(inverseLn2 * x + 0.5)
  const high = x - k * ln2High
  const low = k * ln2Low
  const r = high - low
  const rr = r * r
  const p5 = 4.1381367970572385e-8
  const p4 = -1.6533902205465252e-6 + rr * p5
  const p3 = 6.613756321437934e-5 + rr * p4
  const p2 = -0.0027777777777015593 + rr * p3
  const p1 = 0.16666666666666602 + rr * p2
  const c = r - rr * p1
  const y = 1 - (low - (r * c) / (2 - c) - high)
  // 2^k in two factors, so that results near the ends of the range pass through no premature overflow or underflow.
  const half = Math.trunc(k / 2)
  return y * powerOfTwo(half) * powerOfTwo(k - half)
}

function powerOfTwo(k: number): number {
  bits.setInt32(0, (k + 1023) << 20)
  bits.setInt32(4, 0)
  return bits.getFloat64(0)
}

/** The high word of sqrt(1/2) short of that of 1: added to a mantissa it carries into the exponent from sqrt(2) on. */
const toRootOfTwo = 0x3ff00000 - 0x3fe6a09e
const twoTo54 = 18014398509481984

/**
 * ln x in plain arithmetic (the method of fdlibm and musl, below 1 ulp): the language leaves the last bits of `Math.log` to
 * each engine, and results that depend on it must not differ between them.
 */
export function logarithm(x: number): number {
  if (x === 0) return -Infinity
  if (!(x > 0)) return Number.NaN
  if (x === Infinity) return x
  const isSubnormal = x < 2.2250738585072014e-308
  bits.setFloat64(0, isSubnormal ? x * twoTo54 : x)
  // x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2).
  const high = bits.getInt32(0) + toRootOfTwo
  const k = (high >> 20) - 1023 - (isSubnormal ? 54 : 0)
  bits.setInt32(0, (high & 0xfffff) + 0x3fe6a09e)
  const f = bits.getFloat64(0) - 1
  const half = 0.5 * f * f
  const s = f / (2 + f)
  const z = s * s
  const w = z * z
  const even = w * (0.3999999999940942 + w * (0.22222198432149784 + w * 0.15313837699209373))
  const odd = z * (0.6666666666666735 + w * (0.2857142874366239 + w * (0.1818357216161805 + w * 0.14798198605116586)))
  return s * (half + (even + odd)) + k * ln2Low - half + f + k * ln2High
}
