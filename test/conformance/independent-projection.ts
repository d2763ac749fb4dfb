/**
 * Projections found without multipliers' equations, sorting or Dykstra, to compare the library's with: slow, and only
 * for a handful of coordinates.
 */

/** a'x <= b, or a'x = b. */
export interface Row {
  readonly a: readonly number[]
  readonly b: number
  readonly equality?: boolean
}

/**
 * The nearest point of a polyhedron: solves for every choice of rows that might hold with equality, keeps the feasible
 * answers, and takes the nearest. The projection lies on one of those faces, so it is among them.
 */
export function nearestInPolyhedron(y: readonly number[], h: readonly number[], rows: readonly Row[]): number[] {
  const fixed = rows.filter((row) => row.equality)
  const optional = rows.filter((row) => !row.equality)
  let best: number[] = []
  let least = Infinity
  for (const chosen of subsets(optional, y.length - fixed.length)) {
    const x = nearestOnRows(y, h, [...fixed, ...chosen])
    if (x === undefined || !rows.every((row) => satisfies(row, x))) continue
    const distance = squaredDistance(x, y, h)
    if (distance < least) [best, least] = [x, distance]
  }
  return best
}

/** The nearest point of a Euclidean ball: accelerated projected gradient on sum h (x - y)^2, projecting by rescaling. */
export function nearestInBall(y: readonly number[], h: readonly number[], center: readonly number[], radius: number) {
  const [largest, smallest] = [Math.max(...h), Math.min(...h)]
  const ratio = Math.sqrt(smallest / largest)
  const momentum = (1 - ratio) / (1 + ratio)
  let x = [...center]
  let ahead = x
  for (let step = 0; step < 60 / ratio + 100; step++) {
    const downhill = ahead.map((value, i) => value - (at(h, i) / largest) * (value - at(y, i)))
    const length = Math.hypot(...downhill.map((value, i) => value - at(center, i)))
    const shrink = Math.min(1, radius / length)
    const next = downhill.map((value, i) => at(center, i) + shrink * (value - at(center, i)))
    ahead = next.map((value, i) => value + momentum * (value - at(x, i)))
    x = next
  }
  return x
}

/** The nearest point of a box and a ball: for every choice of coordinates at a bound, the ball that is left of the rest. */
export function nearestInBoxAndBall(
  y: readonly number[],
  h: readonly number[],
  bounds: { readonly lower: readonly number[]; readonly upper: readonly number[] },
  center: readonly number[],
  radius: number,
): number[] {
  let best: number[] = []
  let least = Infinity
  for (const pinned of cornersAndFaces(bounds.lower, bounds.upper)) {
    const used = pinned.reduce((sum: number, value, i) => sum + (value === null ? 0 : (value - at(center, i)) ** 2), 0)
    if (used > radius ** 2 + 1e-12) continue
    const free = pinned.flatMap((value, i) => (value === null ? [i] : []))
    const pick = (v: readonly number[]) => free.map((i) => at(v, i))
    const left = Math.sqrt(Math.max(0, radius ** 2 - used))
    const part = free.length === 0 ? [] : nearestInBall(pick(y), pick(h), pick(center), left)
    const x = pinned.map((value, i) => value ?? at(part, free.indexOf(i)))
    if (!x.every((value, i) => value >= at(bounds.lower, i) - 1e-9 && value <= at(bounds.upper, i) + 1e-9)) continue
    const distance = squaredDistance(x, y, h)
    if (distance < least) [best, least] = [x, distance]
  }
  return best
}

function* subsets<T>(items: readonly T[], most: number): Generator<T[]> {
  const [first, ...rest] = items
  if (first === undefined || most <= 0) {
    yield []
    return
  }
  yield* subsets(rest, most)
  for (const subset of subsets(rest, most - 1)) yield [first, ...subset]
}

/** Every way to pin each coordinate to its lower bound, to its upper bound or not at all. */
function* cornersAndFaces(lower: readonly number[], upper: readonly number[], i = 0): Generator<(number | null)[]> {
  if (i === lower.length) {
    yield []
    return
  }
  for (const rest of cornersAndFaces(lower, upper, i + 1)) {
    for (const value of [null, at(lower, i), at(upper, i)]) yield [value, ...rest]
  }
}

/** The nearest point with a'x = b for all rows, by elimination on the full optimality system in (x, multipliers). */
function nearestOnRows(y: readonly number[], h: readonly number[], rows: readonly Row[]): number[] | undefined {
  const dim = y.length
  const system = [
    ...y.map((value, i) => [
      ...y.map((_, j) => (i === j ? at(h, i) : 0)),
      ...rows.map((row) => at(row.a, i)),
      at(h, i) * value,
    ]),
    ...rows.map((row) => [...row.a, ...rows.map(() => 0), row.b]),
  ]
  return solve(system)?.slice(0, dim)
}

/** Gauss-Jordan elimination with row exchanges; undefined where the system is singular. */
function solve(system: number[][]): number[] | undefined {
  const size = system.length
  for (let column = 0; column < size; column++) {
    let pivot = column
    for (let row = column; row < size; row++) {
      if (Math.abs(at(system[row] ?? [], column)) > Math.abs(at(system[pivot] ?? [], column))) pivot = row
    }
    const chosen = system[pivot] ?? []
    if (Math.abs(at(chosen, column)) < 1e-11) return undefined
    ;[system[pivot], system[column]] = [system[column] ?? [], chosen]
    for (const other of system) {
      if (other === chosen) continue
      const factor = at(other, column) / at(chosen, column)
      for (let k = column; k <= size; k++) other[k] = at(other, k) - factor * at(chosen, k)
    }
  }
  return system.map((row, i) => at(row, size) / at(row, i))
}

function satisfies(row: Row, x: readonly number[]): boolean {
  const level = row.a.reduce((sum, a, i) => sum + a * at(x, i), 0)
  return row.equality ? Math.abs(level - row.b) < 1e-8 : level < row.b + 1e-9
}

function squaredDistance(x: readonly number[], y: readonly number[], h: readonly number[]): number {
  return x.reduce((sum, value, i) => sum + at(h, i) * (value - at(y, i)) ** 2, 0)
}

function at(v: readonly number[], i: number): number {
  return v[i] as number
}
