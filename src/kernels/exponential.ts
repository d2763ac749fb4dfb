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
