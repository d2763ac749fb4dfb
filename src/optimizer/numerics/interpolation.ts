/**
 * Quadratics that take given values at 2 n + 1 points of n variables and whose second derivatives differ as little as can
 * be (in the Frobenius norm) from those of the quadratic before. Their equations have the matrix
 *
 *     ( A  X' )     A_kl = (y_k . y_l)^2 / 2,
 *     ( X  0  )     X has the columns (1, y_k),
 *
 * of which the inverse is kept as Powell keeps it (The BOBYQA algorithm, 2009, section 2; NEWUOA, 2006, section 4): its
 * leading part is Z Z', with n columns of Z, and B holds the rest without the row and column of the constant term.
 */
export interface Interpolation {
  readonly dim: number
  /** 2 dim + 1. */
  readonly count: number
  /** y_k, row by row: positions relative to a base. */
  readonly offsets: Float64Array
  /** B: a row of `dim` numbers for each point, then for each variable. */
  readonly b: Float64Array
  /** Z, column by column. */
  readonly z: Float64Array
}

export function emptyInterpolation(dim: number): Interpolation {
  const count = 2 * dim + 1
  const zeros = (n: number): Float64Array => new Float64Array(n)
  return { dim, count, offsets: zeros(count * dim), b: zeros((count + dim) * dim), z: zeros(dim * count) }
}

/** What adding a step to the set would mean: see `lagrange`. */
export interface Lagrange {
  /** The Lagrange functions at the new point, then what else `exchange` needs. */
  readonly values: Float64Array
  beta: number
}

/** Sets the points 0, first_i e_i and second_i e_i: row 0, rows 1 + i and rows 1 + dim + i. */
export function star(on: Interpolation, first: Float64Array, second: Float64Array): void {
  const { dim, count, offsets, b, z } = on
  for (const array of [offsets, b, z]) array.fill(0)
  for (let i = 0; i < dim; i++) {
    const p = first[i] as number
    const q = second[i] as number
    const atP = 1 + i
    const atQ = 1 + dim + i
    offsets[atP * dim + i] = p
    offsets[atQ * dim + i] = q
    b[i] = -(p + q) / (p * q)
    b[atP * dim + i] = -q / (p * (p - q))
    b[atQ * dim + i] = -p / (q * (q - p))
    z[i * count] = Math.SQRT2 / (p * q)
    z[i * count + atP] = Math.SQRT2 / (p * (p - q))
    z[i * count + atQ] = Math.SQRT2 / (q * (q - p))
  }
}

/** The Lagrange functions at y_best + d (NEWUOA, section 4): `beta` and the values of which `exchange` is made. */
export function lagrange(on: Interpolation, best: number, d: Float64Array, w: Float64Array, into: Lagrange): void {
  const { dim, count, offsets, b, z } = on
  const { values } = into
  let along = 0
  let dd = 0
  let yy = 0
  for (let i = 0; i < dim; i++) {
    const y = offsets[best * dim + i] as number
    const di = d[i] as number
    along += y * di
    dd += di * di
    yy += y * y
  }
  for (let k = 0; k < count; k++) {
    let yd = 0
    let ybest = 0
    let bd = 0
    for (let i = 0; i < dim; i++) {
      const y = offsets[k * dim + i] as number
      const di = d[i] as number
      yd += y * di
      ybest += y * (offsets[best * dim + i] as number)
      bd += (b[k * dim + i] as number) * di
    }
    w[k] = yd * (0.5 * yd + ybest)
    values[k] = bd
  }
  let beta = along * along + dd * (yy + 2 * along + 0.5 * dd)
  for (let j = 0; j < dim; j++) {
    let sum = 0
    for (let k = 0; k < count; k++) sum += (z[j * count + k] as number) * (w[k] as number)
    beta -= sum * sum
    for (let k = 0; k < count; k++) values[k] = (values[k] as number) + sum * (z[j * count + k] as number)
  }
  values.fill(0, count)
  for (let k = 0; k < count; k++) {
    const weight = w[k] as number
    for (let i = 0; i < dim; i++)
      values[count + i] = (values[count + i] as number) + weight * (b[k * dim + i] as number)
  }
  for (let i = 0; i < dim; i++) {
    let sum = 0
    for (let j = 0; j < dim; j++) sum += (b[(count + i) * dim + j] as number) * (d[j] as number)
    const di = d[i] as number
    beta -= di * (2 * (values[count + i] as number) + sum)
    values[count + i] = (values[count + i] as number) + sum
  }
  values[best] = (values[best] as number) + 1
  into.beta = beta
}

/** (Z Z')_kk: the second derivative of the k-th Lagrange function in its own direction. */
export function ownCurvature({ dim, count, z }: Interpolation, k: number): number {
  let sum = 0
  for (let j = 0; j < dim; j++) sum += (z[j * count + k] as number) * (z[j * count + k] as number)
  return sum
}

/**
 * Brings the inverse up to date when point `out` is replaced by the one that `at` belongs to (NEWUOA, eqs. 4.11 to 4.14);
 * the caller writes its offsets. Changes `at`; w is scratch of count + 3 dim numbers.
 */
export function exchange(on: Interpolation, out: number, at: Lagrange, w: Float64Array): void {
  const { dim, count, b, z } = on
  const { values, beta } = at
  onlyFirstColumn(on, out)
  const own = z[out] as number
  for (let k = 0; k < count; k++) w[k] = own * (z[k] as number)
  const alpha = w[out] as number
  const tau = values[out] as number
  const denominator = alpha * beta + tau * tau
  const root = Math.sqrt(denominator)
  values[out] = tau - 1
  for (let k = 0; k < count; k++) z[k] = (tau / root) * (z[k] as number) - (own / root) * (values[k] as number)
  for (let i = 0; i < dim; i++) w[count + i] = b[out * dim + i] as number
  const first = w.subarray(count + dim, count + 2 * dim)
  const second = w.subarray(count + 2 * dim)
  for (let i = 0; i < dim; i++) {
    const v = values[count + i] as number
    const u = w[count + i] as number
    first[i] = (alpha * v - tau * u) / denominator
    second[i] = (-beta * u - tau * v) / denominator
  }
  for (let k = 0; k < count + dim; k++) {
    const v = values[k] as number
    const u = w[k] as number
    for (let i = 0; i < dim; i++) {
      b[k * dim + i] = (b[k * dim + i] as number) + (first[i] as number) * v + (second[i] as number) * u
    }
  }
}

/** Turns the columns of Z so that only the first has an entry in row `k`; Z Z' stays. */
function onlyFirstColumn({ dim, count, z }: Interpolation, k: number): void {
  for (let j = 1; j < dim; j++) {
    const p = z[k] as number
    const q = z[j * count + k] as number
    if (q === 0) continue
    const length = Math.sqrt(p * p + q * q)
    const c = p / length
    const s = q / length
    for (let l = 0; l < count; l++) {
      const zl = z[l] as number
      const zjl = z[j * count + l] as number
      z[l] = c * zl + s * zjl
      z[j * count + l] = c * zjl - s * zl
    }
    z[j * count + k] = 0
  }
}

/** Moves the base to y_best, for offsets that have become long beside their differences (BOBYQA's shift of the origin). */
export function recenter(on: Interpolation, best: number): void {
  const { dim, count, offsets, b, z } = on
  const shift = offsets.slice(best * dim, best * dim + dim)
  let square = 0
  for (const each of shift) square += each * each
  const sums = new Float64Array(count)
  const v = new Float64Array(Math.max(count, dim))
  for (let k = 0; k < count; k++) {
    let sum = -0.5 * square
    for (let i = 0; i < dim; i++) sum += (offsets[k * dim + i] as number) * (shift[i] as number)
    sums[k] = sum
    const rest = 0.25 * square - 0.5 * sum
    for (let i = 0; i < dim; i++) v[i] = sum * (offsets[k * dim + i] as number) + rest * (shift[i] as number)
    addSymmetric(on, b.subarray(k * dim, k * dim + dim), v)
  }
  const w = new Float64Array(dim)
  for (let j = 0; j < dim; j++) {
    let sumZ = 0
    let sumV = 0
    for (let k = 0; k < count; k++) {
      const each = z[j * count + k] as number
      v[k] = (sums[k] as number) * each
      sumZ += each
      sumV += v[k] as number
    }
    const share = 0.25 * square * sumZ - 0.5 * sumV
    for (let i = 0; i < dim; i++) w[i] = share * (shift[i] as number)
    for (let k = 0; k < count; k++) {
      const vk = v[k] as number
      for (let i = 0; i < dim; i++) w[i] = (w[i] as number) + vk * (offsets[k * dim + i] as number)
    }
    for (let k = 0; k < count; k++) {
      const zk = z[j * count + k] as number
      for (let i = 0; i < dim; i++) b[k * dim + i] = (b[k * dim + i] as number) + zk * (w[i] as number)
    }
    for (let i = 0; i < dim; i++) {
      const row = (count + i) * dim
      const wi = w[i] as number
      for (let l = 0; l < dim; l++) b[row + l] = (b[row + l] as number) + wi * (w[l] as number)
    }
  }
  for (let k = 0; k < count; k++) {
    for (let i = 0; i < dim; i++) offsets[k * dim + i] = (offsets[k * dim + i] as number) - (shift[i] as number)
  }
}

/** The last rows of B += p q' + q p'. */
function addSymmetric({ dim, count, b }: Interpolation, p: Float64Array, q: Float64Array): void {
  for (let i = 0; i < dim; i++) {
    const row = (count + i) * dim
    const pi = p[i] as number
    const qi = q[i] as number
    for (let j = 0; j < dim; j++) b[row + j] = (b[row + j] as number) + pi * (q[j] as number) + qi * (p[j] as number)
  }
}

/** A quadratic of least second derivatives. */
export interface Fitted {
  /** Its second derivatives are the sum of weights_k y_k y_k'. */
  readonly weights: Float64Array
  /** Its gradient at the point that was asked for. */
  readonly gradient: Float64Array
}

/** The quadratic of least second derivatives through given values, up to its constant; its gradient at `about`. */
export function leastQuadratic(on: Interpolation, residuals: Float64Array, about: Float64Array, into: Fitted): void {
  const { dim, count, offsets, b, z } = on
  const { weights, gradient } = into
  weights.fill(0)
  gradient.fill(0)
  for (let j = 0; j < dim; j++) {
    let sum = 0
    for (let k = 0; k < count; k++) sum += (z[j * count + k] as number) * (residuals[k] as number)
    for (let k = 0; k < count; k++) weights[k] = (weights[k] as number) + sum * (z[j * count + k] as number)
  }
  for (let k = 0; k < count; k++) {
    let inner = 0
    for (let i = 0; i < dim; i++) inner += (offsets[k * dim + i] as number) * (about[i] as number)
    const weight = inner * (weights[k] as number)
    const residual = residuals[k] as number
    for (let i = 0; i < dim; i++) {
      const more = weight * (offsets[k * dim + i] as number) + residual * (b[k * dim + i] as number)
      gradient[i] = (gradient[i] as number) + more
    }
  }
}

/** hessian += sum of weights_k y_k y_k', two points at a time: half the reads and writes of the matrix. */
export function addCurvature(
  { dim, count, offsets }: Interpolation,
  weights: Float64Array,
  hessian: Float64Array,
): void {
  for (let k = 0; k < count; k += 2) {
    const from = k * dim
    const next = k + 1 < count ? from + dim : from
    const weight = weights[k] as number
    const nextWeight = k + 1 < count ? (weights[k + 1] as number) : 0
    for (let i = 0; i < dim; i++) {
      const factor = weight * (offsets[from + i] as number)
      const nextFactor = nextWeight * (offsets[next + i] as number)
      if (factor === 0 && nextFactor === 0) continue
      const row = i * dim
      for (let j = 0; j <= i; j++) {
        const more = factor * (offsets[from + j] as number) + nextFactor * (offsets[next + j] as number)
        hessian[row + j] = (hessian[row + j] as number) + more
      }
    }
  }
  for (let i = 0; i < dim; i++) for (let j = 0; j < i; j++) hessian[j * dim + i] = hessian[i * dim + j] as number
}
