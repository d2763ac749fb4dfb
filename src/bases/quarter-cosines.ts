/**
 * cos(pi m / 2n) for m = 0 ... n in plain arithmetic (fdlibm's polynomials, below 1 ulp of the angle): the language leaves
 * the last bits of `Math.cos` to each engine.
 */
export function quarterCosines(n: number): Float64Array {
  const halfPi = 1.5707963267948966
  return Float64Array.from({ length: n + 1 }, (_, m) =>
    2 * m <= n ? smallCosine((m / n) * halfPi) : smallSine(((n - m) / n) * halfPi),
  )
}

/** cos x for x from 0 to pi / 4. */
function smallCosine(x: number): number {
  const z = x * x
  const c5 = 2.087572321298175e-9 + z * -1.1359647557788195e-11
  const c4 = -2.7557314351390663e-7 + z * c5
  const c3 = 2.480158728947673e-5 + z * c4
  const c2 = -0.001388888888887411 + z * c3
  const c1 = 0.0416666666666666 + z * c2
  return 1 - (0.5 * z - z * z * c1)
}

/** sin x for x from 0 to pi / 4. */
function smallSine(x: number): number {
  const z = x * x
  const s5 = -2.5050760253406863e-8 + z * 1.58969099521155e-10
  const s4 = 2.7557313707070068e-6 + z * s5
  const s3 = -1.984126982985795e-4 + z * s4
  const s2 = 0.00833333333332249 + z * s3
  return x + x * z * (-0.16666666666666632 + z * s2)
}
