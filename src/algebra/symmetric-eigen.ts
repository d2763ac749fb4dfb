import { largest } from './vectors.ts'

/**
 * Eigenvalues, in ascending order, and eigenvectors of a symmetric matrix: Householder tridiagonalisation, then implicit QL
 * (Bowdler, Martin, Reinsch and Wilkinson, 1968). Square roots only, so that the bits are the same everywhere.
 */
export interface Eigen {
  readonly values: Float64Array
  /** Column j of this n x n matrix is the vector of value j. */
  readonly vectors: Float64Array
}

/** Decomposes a symmetric matrix, stored row by row. Entries must be finite. */
export function symmetricEigen(matrix: Float64Array, n: number): Eigen {
  // What is negligible beside the largest entry would end in numbers too small to have full precision.
  const least = Math.max(1e-140 * largest(matrix), 1e-290)
  const v = matrix.map((entry) => (Math.abs(entry) < least ? 0 : entry))
  const values = new Float64Array(n)
  const offDiagonal = new Float64Array(n)
  tridiagonalize(v, n, values, offDiagonal)
  diagonalize(v, n, values, offDiagonal)
  sort(v, n, values)
  return { values, vectors: v }
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
