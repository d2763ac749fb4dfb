import { atLeast, dot, dotDifference, largest, multiply } from './vectors.ts'

/**
 * Eigenvalues, in ascending order, and eigenvectors of a symmetric matrix: Householder tridiagonalisation, then implicit QL
 * (Bowdler, Martin, Reinsch and Wilkinson, 1968). Square roots only, so that the bits are the same everywhere.
 */
interface Eigen {
  readonly values: Float64Array
  /** Column j of this n x n matrix is the vector of value j. */
  readonly vectors: Float64Array
}

/** Decomposes a symmetric matrix, stored row by row. Entries must be finite. */
export function symmetricEigen(matrix: Float64Array, n: number): Eigen {
  const most = largest(matrix)
  const factor = moderating(most)
  // What is negligible beside the largest entry would end in numbers too small to have full precision.
  const least = 1e-140 * most * factor
  const v = matrix.map((entry) => (Math.abs(entry * factor) < least ? 0 : entry * factor))
  const values = new Float64Array(n)
  const offDiagonal = new Float64Array(n)
  tridiagonalize(v, n, values, offDiagonal)
  diagonalize(v, n, values, offDiagonal)
  sort(v, n, values)
  return { values: values.map((value) => value / factor), vectors: v }
}

/** The power of 2 that brings a magnitude near 1, so that products neither vanish nor overflow; multiplying by it is exact. */
function moderating(magnitude: number): number {
  const stride = 4_294_967_296 * 4_294_967_296 // 2^64
  let factor = 1
  if (magnitude === 0) return factor
  while (magnitude * factor < 1 / (stride * stride)) factor *= stride
  while (magnitude * factor > stride * stride) factor /= stride
  return factor
}

/** Leaves the diagonal in d, what is beside it in e (from index 1), and the transformation in v. */
function tridiagonalize(v: Float64Array, n: number, d: Float64Array, e: Float64Array): void {
  for (let i = n - 1; i > 0; i--) reflect(v, n, d, e, i)
  d[0] = 0
  e[0] = 0
  for (let i = 0; i < n; i++) accumulate(v, n, d, i)
}

/** One Householder step: row i loses all but its two last entries. */
function reflect(v: Float64Array, n: number, d: Float64Array, e: Float64Array, i: number): void {
  const last = i - 1
  let scale = 0
  if (last > 0) for (let k = 0; k <= last; k++) scale += Math.abs(v[i * n + k] as number)
  if (scale === 0) {
    e[i] = v[i * n + last] as number
    d[i] = 0
    return
  }
  let h = 0
  for (let k = 0; k <= last; k++) {
    const scaled = (v[i * n + k] as number) / scale
    v[i * n + k] = scaled
    h += scaled * scaled
  }
  const f = v[i * n + last] as number
  const g = f >= 0 ? -Math.sqrt(h) : Math.sqrt(h)
  e[i] = scale * g
  h -= f * g
  v[i * n + last] = f - g
  applyReflection(v, n, e, i, h)
  d[i] = h
}

function applyReflection(v: Float64Array, n: number, e: Float64Array, i: number, h: number): void {
  const last = i - 1
  let sum = 0
  for (let j = 0; j <= last; j++) {
    v[j * n + i] = (v[i * n + j] as number) / h
    let g = 0
    for (let k = 0; k <= j; k++) g += (v[j * n + k] as number) * (v[i * n + k] as number)
    for (let k = j + 1; k <= last; k++) g += (v[k * n + j] as number) * (v[i * n + k] as number)
    e[j] = g / h
    sum += (e[j] as number) * (v[i * n + j] as number)
  }
  const half = sum / (h + h)
  for (let j = 0; j <= last; j++) {
    const f = v[i * n + j] as number
    const g = (e[j] as number) - half * f
    e[j] = g
    for (let k = 0; k <= j; k++) {
      v[j * n + k] = (v[j * n + k] as number) - (f * (e[k] as number) + g * (v[i * n + k] as number))
    }
  }
}

/** Adds step i to the product of all transformations so far. */
function accumulate(v: Float64Array, n: number, d: Float64Array, i: number): void {
  if (d[i] !== 0) {
    for (let j = 0; j < i; j++) {
      let g = 0
      for (let k = 0; k < i; k++) g += (v[i * n + k] as number) * (v[k * n + j] as number)
      for (let k = 0; k < i; k++) v[k * n + j] = (v[k * n + j] as number) - g * (v[k * n + i] as number)
    }
  }
  d[i] = v[i * n + i] as number
  v[i * n + i] = 1
  for (let j = 0; j < i; j++) {
    v[j * n + i] = 0
    v[i * n + j] = 0
  }
}

const maxSweeps = 60

/** Implicit QL with shifts on the tridiagonal matrix; the vectors turn with it. */
function diagonalize(v: Float64Array, n: number, d: Float64Array, e: Float64Array): void {
  e.copyWithin(0, 1)
  e[n - 1] = 0
  for (let l = 0; l < n; l++) {
    for (let sweep = 0; sweep < maxSweeps; sweep++) {
      const m = firstSmall(n, d, e, l)
      if (m === l) break
      sweepUp(v, n, d, e, l, m)
    }
  }
}

function firstSmall(n: number, d: Float64Array, e: Float64Array, from: number): number {
  for (let m = from; m < n - 1; m++) {
    const size = Math.abs(d[m] as number) + Math.abs(d[m + 1] as number)
    if (Math.abs(e[m] as number) <= 2.220446049250313e-16 * size) return m
  }
  return n - 1
}

function sweepUp(v: Float64Array, n: number, d: Float64Array, e: Float64Array, l: number, m: number): void {
  let g = ((d[l + 1] as number) - (d[l] as number)) / (2 * (e[l] as number))
  const r0 = length2(g, 1)
  g = (d[m] as number) - (d[l] as number) + (e[l] as number) / (g + (g >= 0 ? r0 : -r0))
  let [s, c, p] = [1, 1, 0]
  for (let i = m - 1; i >= l; i--) {
    const f = s * (e[i] as number)
    const b = c * (e[i] as number)
    const r = length2(f, g)
    e[i + 1] = r
    if (r === 0) {
      d[i + 1] = (d[i + 1] as number) - p
      e[m] = 0
      return
    }
    s = f / r
    c = g / r
    const before = (d[i + 1] as number) - p
    const turn = ((d[i] as number) - before) * s + 2 * c * b
    p = s * turn
    d[i + 1] = before + p
    g = c * turn - b
    rotate(v, n, i, c, s)
  }
  d[l] = (d[l] as number) - p
  e[l] = g
  e[m] = 0
}

function rotate(v: Float64Array, n: number, i: number, c: number, s: number): void {
  for (let k = 0; k < n; k++) {
    const f = v[k * n + i + 1] as number
    const own = v[k * n + i] as number
    v[k * n + i + 1] = s * own + c * f
    v[k * n + i] = c * own - s * f
  }
}

/** sqrt(a^2 + b^2) without overflow; `Math.hypot` has other bits in other engines. */
function length2(a: number, b: number): number {
  const x = Math.abs(a)
  const y = Math.abs(b)
  const most = Math.max(x, y)
  if (most === 0) return 0
  const ratio = Math.min(x, y) / most
  return most * Math.sqrt(1 + ratio * ratio)
}

function sort(v: Float64Array, n: number, d: Float64Array): void {
  for (let i = 0; i < n - 1; i++) {
    let least = i
    for (let j = i + 1; j < n; j++) if ((d[j] as number) < (d[least] as number)) least = j
    if (least === i) continue
    swap(d, i, least)
    for (let k = 0; k < n; k++) swap(v, k * n + i, k * n + least)
  }
}

function swap(a: Float64Array, i: number, j: number): void {
  const kept = a[i] as number
  a[i] = a[j] as number
  a[j] = kept
}

/** Matrices are stored row by row, n x n, as float64. */

/**
 * The lower triangular L with L L' = A, written into `into`; reads the lower triangle of A. False where A is not positive
 * definite, as far as rounding lets one see it.
 */
export function cholesky(a: Float64Array, n: number, into: Float64Array): boolean {
  for (let i = 0; i < n; i++) {
    // Four entries of a row at a time: each number of it is read once for all of them.
    for (let first = 0; first <= i; first += 4) {
      subtractProducts(a, n, i, first, into)
      for (let j = first; j < first + 4 && j <= i; j++) {
        let sum = into[i * n + j] as number
        for (let k = first; k < j; k++) sum -= (into[i * n + k] as number) * (into[j * n + k] as number)
        if (i !== j) into[i * n + j] = sum / (into[j * n + j] as number)
        else if (sum > 0 && sum < Infinity) into[i * n + i] = Math.sqrt(sum)
        else return false
      }
    }
    into.fill(0, i * n + i + 1, (i + 1) * n)
  }
  return true
}

/** Entries first to first + 3 of row i, as far as i, less the products of that row with theirs before `first`. */
function subtractProducts(a: Float64Array, n: number, i: number, first: number, into: Float64Array): void {
  const row = i * n
  const count = Math.min(4, i + 1 - first)
  // Where there are fewer than four, one stands in for those that are missing.
  const r0 = first * n
  const r1 = (first + Math.min(1, count - 1)) * n
  const r2 = (first + Math.min(2, count - 1)) * n
  const r3 = (first + count - 1) * n
  let s0 = 0
  let s1 = 0
  let s2 = 0
  let s3 = 0
  for (let k = 0; k < first; k++) {
    const own = into[row + k] as number
    s0 += own * (into[r0 + k] as number)
    s1 += own * (into[r1 + k] as number)
    s2 += own * (into[r2 + k] as number)
    s3 += own * (into[r3 + k] as number)
  }
  const from = row + first
  into[from] = (a[from] as number) - s0
  if (count > 1) into[from + 1] = (a[from + 1] as number) - s1
  if (count > 2) into[from + 2] = (a[from + 2] as number) - s2
  if (count > 3) into[from + 3] = (a[from + 3] as number) - s3
}

/** Replaces b by the z with L z = b. */
export function solveLower(l: Float64Array, n: number, b: Float64Array): void {
  for (let i = 0; i < n; i++) {
    let sum = b[i] as number
    for (let k = 0; k < i; k++) sum -= (l[i * n + k] as number) * (b[k] as number)
    b[i] = sum / (l[i * n + i] as number)
  }
}

/** Replaces b by the z with L' z = b. */
export function solveUpper(l: Float64Array, n: number, b: Float64Array): void {
  for (let i = n - 1; i >= 0; i--) {
    const value = (b[i] as number) / (l[i * n + i] as number)
    b[i] = value
    for (let k = 0; k < i; k++) b[k] = (b[k] as number) - value * (l[i * n + k] as number)
  }
}

/** The BFGS update of B, damped (Powell, 1978) so that B stays positive definite. */
export function dampedUpdate(b: Float64Array, s: Float64Array, y: Float64Array): void {
  const n = s.length
  const bs = new Float64Array(n)
  multiply(b, s, bs)
  const sBs = dot(s, bs)
  if (!(sBs > 0)) return
  const sy = dot(s, y)
  const share = sy < 0.2 * sBs ? (0.8 * sBs) / (sBs - sy) : 1
  const z = share === 1 ? y : y.map((each, i) => share * each + (1 - share) * (bs[i] as number))
  const sz = dot(s, z)
  if (!(sz > 1e-300)) return
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const change = ((z[i] as number) * (z[j] as number)) / sz - ((bs[i] as number) * (bs[j] as number)) / sBs
      b[i * n + j] = (b[i * n + j] as number) + change
    }
  }
}

/** The matrix with the magnitudes of its eigenvalues, none below 1e-8 of the largest. */
export function positive(matrix: Float64Array, n: number): Float64Array {
  const { values, vectors } = symmetricEigen(matrix, n)
  const sizes = atLeast(values, 1e-8)
  const made = new Float64Array(n * n)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0
      for (let k = 0; k < n; k++) {
        sum += (vectors[i * n + k] as number) * (sizes[k] as number) * (vectors[j * n + k] as number)
      }
      made[i * n + j] = sum
      made[j * n + i] = sum
    }
  }
  return made
}

/** How far a step may go on each coordinate: below[i] <= p_i <= above[i]. */
export interface StepBounds {
  readonly below: Float64Array
  readonly above: Float64Array
}

/**
 * The p that minimises g'p + p'Bp / 2 within bounds, for a positive definite B; null where B is not, or p is no descent.
 * Without bounds it is the Newton step; with them, projected Newton steps on the free coordinates (Bertsekas, 1982).
 */
export function quadraticStep(b: Float64Array, g: Float64Array, bounds: StepBounds | undefined): Float64Array | null {
  const p = bounds === undefined ? newtonStep(b, g, allOf(g.length)) : boxStep(b, g, bounds)
  return p?.every(Number.isFinite) && dot(p, g) < 0 ? p : null
}

const maxSteps = 60
const maxHalvings = 20

function boxStep(b: Float64Array, g: Float64Array, { below, above }: StepBounds): Float64Array | null {
  const n = g.length
  const clipped = (z: Float64Array): Float64Array =>
    z.map((value, i) => Math.min(Math.max(value, below[i] as number), above[i] as number))
  const slope = new Float64Array(n)
  const model = (z: Float64Array): number => {
    multiply(b, z, slope)
    return dot(g, z) + 0.5 * dot(z, slope)
  }
  const tolerance = 1e-12 * (largest(g) + 1e-300)
  let p = clipped(new Float64Array(n))
  for (let step = 0; step < maxSteps; step++) {
    const value = model(p)
    const q = slope.map((each, i) => each + (g[i] as number))
    const free = freeOf(p, q, below, above)
    if (free.every((i) => Math.abs(q[i] as number) <= tolerance)) break
    const s = newtonStep(b, q, free)
    if (s === null) return null
    const next = descend(p, s, (z) => model(z) <= value + 1e-6 * dotDifference(q, z, p), clipped)
    if (isSame(next, p)) break
    p = next
  }
  return p
}

/** The first of p + s, p + s / 2, ... that is good enough, brought into the box. */
function descend(
  p: Float64Array,
  s: Float64Array,
  isGood: (z: Float64Array) => boolean,
  clipped: (z: Float64Array) => Float64Array,
): Float64Array {
  let z = p
  let t = 1
  for (let halving = 0; halving < maxHalvings; halving++) {
    z = clipped(p.map((value, i) => value + t * (s[i] as number)))
    if (isGood(z)) break
    t *= 0.5
  }
  return z
}

/** The coordinates that no bound holds back. */
function freeOf(p: Float64Array, q: Float64Array, below: Float64Array, above: Float64Array): number[] {
  return allOf(p.length).filter((i) => {
    const [value, slope] = [p[i] as number, q[i] as number]
    return !((value <= (below[i] as number) && slope > 0) || (value >= (above[i] as number) && slope < 0))
  })
}

/** -B^-1 q on the free coordinates, 0 on the others; null where B is not positive definite there. */
function newtonStep(b: Float64Array, q: Float64Array, free: readonly number[]): Float64Array | null {
  const n = q.length
  const m = free.length
  const part = new Float64Array(m * m)
  const z = new Float64Array(m)
  for (let i = 0; i < m; i++) {
    z[i] = -(q[free[i] as number] as number)
    for (let j = 0; j <= i; j++) part[i * m + j] = b[(free[i] as number) * n + (free[j] as number)] as number
  }
  if (!cholesky(part, m, part)) return null
  solveLower(part, m, z)
  solveUpper(part, m, z)
  const step = new Float64Array(n)
  for (let i = 0; i < m; i++) step[free[i] as number] = z[i] as number
  return step
}

function allOf(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i)
}

function isSame(z: Float64Array, p: Float64Array): boolean {
  return z.every((value, i) => Math.abs(value - (p[i] as number)) <= 1e-14 * Math.abs(p[i] as number))
}
