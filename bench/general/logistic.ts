import { dataNormals, dataUniform } from './data-random.ts'
import type { Problem } from './problem.ts'
import { dot } from './vectors.ts'

/** Observations with a few features each: y times the features, row after row. */
interface Observations {
  readonly count: number
  /** Features that are not zero in each row. */
  readonly features: number
  readonly columns: Int32Array
  readonly entries: Float64Array
}

/** Observations, and features in each that are not zero, by the number of variables. */
const sizes: Readonly<Record<number, readonly [number, number]>> = {
  100: [500, 100],
  1000: [1000, 50],
  10000: [2000, 50],
}

const ridge = 1e-3

/** Logistic regression with a ridge penalty, on data drawn from the model. Its minimum is found here by Newton steps. */
export function logistic(dim: number): Pick<Problem, 'value' | 'best'> {
  const data = observations(dim)
  return { value: (x) => loss(data, x), best: loss(data, minimizer(data, dim)) }
}

function observations(dim: number): Observations {
  const [count, features] = sizes[dim] as readonly [number, number]
  const truth = dataNormals('logistic truth', dim, dim)
  const entries = dataNormals('logistic entries', dim, count * features)
  const columns = new Int32Array(count * features)
  for (let row = 0; row < count; row++) {
    const chosen = features === dim ? truth.map((_, i) => i) : distinct(row, dim, features)
    columns.set(chosen, row * features)
  }
  const data = { count, features, columns, entries }
  scores(data, truth).forEach((score, row) => {
    if (dataUniform('logistic labels', dim, row) < 1 / (1 + Math.exp(-score))) return
    for (let k = row * features; k < (row + 1) * features; k++) entries[k] = -(entries[k] as number)
  })
  return data
}

/** Different columns for a row: the first that come up. */
function distinct(row: number, dim: number, features: number): number[] {
  const found = new Set<number>()
  for (let i = 0; found.size < features; i++) found.add(Math.floor(dim * dataUniform(`logistic row ${row}`, dim, i)))
  return [...found]
}

function scores({ count, features, columns, entries }: Observations, x: Float64Array): Float64Array {
  const into = new Float64Array(count)
  for (let row = 0; row < count; row++) {
    let score = 0
    for (let k = row * features; k < (row + 1) * features; k++) {
      score += (entries[k] as number) * (x[columns[k] as number] as number)
    }
    into[row] = score
  }
  return into
}

function loss(data: Observations, x: Float64Array): number {
  let total = 0
  for (const z of scores(data, x)) total += Math.max(0, -z) + Math.log1p(Math.exp(-Math.abs(z)))
  return total / data.count + 0.5 * ridge * dot(x, x)
}

/** The sum of rows, each times its weight, plus the ridge's share of x. */
function combined({ count, features, columns, entries }: Observations, weights: Float64Array, x: Float64Array) {
  const into = x.map((v) => ridge * v)
  for (let row = 0; row < count; row++) {
    const weight = (weights[row] as number) / count
    for (let k = row * features; k < (row + 1) * features; k++) {
      const column = columns[k] as number
      into[column] = (into[column] as number) + weight * (entries[k] as number)
    }
  }
  return into
}

/** Newton's method with conjugate gradients, halving steps that do not descend; the loss is strongly convex. */
function minimizer(data: Observations, dim: number): Float64Array {
  let x: Float64Array = new Float64Array(dim)
  for (let iteration = 0; iteration < 50; iteration++) {
    const chances = scores(data, x).map((z) => 1 / (1 + Math.exp(z)))
    const gradient = combined(
      data,
      chances.map((p) => -p),
      x,
    )
    if (Math.sqrt(dot(gradient, gradient)) < 1e-12) break
    const curvatures = chances.map((p) => p * (1 - p))
    const product = (v: Float64Array): Float64Array =>
      combined(
        data,
        scores(data, v).map((s, row) => s * (curvatures[row] as number)),
        v,
      )
    const step = conjugateGradients(product, gradient)
    const before = loss(data, x)
    const moved = (t: number): Float64Array => x.map((v, i) => v - t * (step[i] as number))
    let t = 1
    while (t > 1e-6 && loss(data, moved(t)) > before) t /= 2
    x = moved(t)
  }
  return x
}

function conjugateGradients(product: (v: Float64Array) => Float64Array, right: Float64Array): Float64Array {
  const x = new Float64Array(right.length)
  const rest = right.slice()
  let direction = right.slice()
  let size = dot(rest, rest)
  const enough = 1e-20 * size
  for (let iteration = 0; iteration < 1000 && size > enough; iteration++) {
    const image = product(direction)
    const t = size / dot(direction, image)
    for (let i = 0; i < x.length; i++) {
      x[i] = (x[i] as number) + t * (direction[i] as number)
      rest[i] = (rest[i] as number) - t * (image[i] as number)
    }
    const before = size
    size = dot(rest, rest)
    direction = direction.map((v, i) => (rest[i] as number) + (size / before) * v)
  }
  return x
}
