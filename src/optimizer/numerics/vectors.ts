/** Plain sums over small vectors, in order: the same bits everywhere. */

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}

/** The length of a - b. */
export function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let squares = 0
  for (let i = 0; i < a.length; i++) {
    const gap = (a[i] as number) - (b[i] as number)
    squares += gap * gap
  }
  return Math.sqrt(squares)
}

/** g'(to - from). */
export function dotDifference(g: ArrayLike<number>, to: ArrayLike<number>, from: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < g.length; i++) sum += (g[i] as number) * ((to[i] as number) - (from[i] as number))
  return sum
}

export function norm(a: ArrayLike<number>): number {
  return Math.sqrt(dot(a, a))
}

export function sum(values: ArrayLike<number>): number {
  let all = 0
  for (let i = 0; i < values.length; i++) all += values[i] as number
  return all
}

/** NaN of nothing. */
export function mean(values: ArrayLike<number>): number {
  return sum(values) / values.length
}

/** The largest magnitude; 0 of an empty vector. */
export function largest(a: ArrayLike<number>): number {
  let most = 0
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i] as number))
  return most
}

/** into = A v for a matrix stored row by row. */
export function multiply(a: Float64Array, v: Float64Array, into: Float64Array): void {
  const n = v.length
  for (let i = 0; i < into.length; i++) {
    let sum = 0
    for (let j = 0; j < n; j++) sum += (a[i * n + j] as number) * (v[j] as number)
    into[i] = sum
  }
}

/** The middle value; the mean of the two middle ones where there is an even number. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort()
  const half = sorted.length >> 1
  const upper = sorted[half] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] as number) + upper) / 2
}

export function diagonal(entries: Float64Array): Float64Array {
  const n = entries.length
  const made = new Float64Array(n * n)
  for (let i = 0; i < n; i++) made[i * n + i] = entries[i] as number
  return made
}

/** Magnitudes, none below a share of the largest. */
export function atLeast(values: Float64Array, share: number): Float64Array {
  const least = share * Math.max(largest(values), 1e-300)
  return values.map((value) => Math.max(Math.abs(value), least))
}

/** Whether magnitudes differ by more than a factor. */
export function isUneven(magnitudes: Float64Array, factor: number): boolean {
  let [least, most] = [Infinity, 0]
  for (const each of magnitudes) {
    least = Math.min(least, each)
    most = Math.max(most, each)
  }
  return most > factor * Math.max(least, 1e-300)
}

/** One list behind the other. */
export function joined(a: Float64Array, b: Float64Array): Float64Array {
  const both = new Float64Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

/** Indices by ascending values, the first of equal ones first. */
export function ascending(values: Float64Array): number[] {
  return Array.from(values.keys()).sort((a, b) => (values[a] as number) - (values[b] as number) || a - b)
}
