const ln2High = 0.6931471803691238
const ln2Low = 1.9082149292705877e-10
const twoTo54 = 18014398509481984

const bits = new DataView(new ArrayBuffer(8))

/**
 * The natural logarithm in plain arithmetic (the fdlibm method, below 1 ulp): the language leaves the last bits of `Math.log`
 * to each engine, and results that depend on it must not differ between them.
 */
export function logarithm(x: number): number {
  if (!(x > 0)) return x === 0 ? -Infinity : Number.NaN
  if (x === Infinity) return x
  // x = 2^k (1 + f), with 1 + f between sqrt(1/2) and sqrt(2).
  const isTiny = x < 2.2250738585072014e-308
  bits.setFloat64(0, isTiny ? x * twoTo54 : x)
  const high = bits.getInt32(0)
  const mantissa = high & 0xfffff
  const carry = (mantissa + 0x95f64) & 0x100000
  bits.setInt32(0, mantissa | (carry ^ 0x3ff00000))
  const k = (high >> 20) - 1023 + (carry >> 20) - (isTiny ? 54 : 0)
  return k * ln2High - lostAfter(bits.getFloat64(0) - 1, k * ln2Low)
}

/** What is to be taken from k ln2High: the rest of k ln 2, and ln(1 + f) = f - f^2/2 + s (f^2/2 + R), s = f / (2 + f). */
function lostAfter(f: number, rest: number): number {
  const s = f / (2 + f)
  const z = s * s
  const half = 0.5 * f * f
  const p7 = 0.14798198605116586
  const p6 = 0.15313837699209373 + z * p7
  const p5 = 0.1818357216161805 + z * p6
  const p4 = 0.22222198432149784 + z * p5
  const p3 = 0.2857142874366239 + z * p4
  const p2 = 0.3999999999940942 + z * p3
  const p1 = 0.6666666666666735 + z * p2
  return half - (s * (half + z * p1) + rest) - f
}
