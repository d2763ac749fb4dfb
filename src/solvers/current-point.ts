import { sampleDraw } from '../core/samples.ts'
import type { Begin, Queries, Vector } from '../core/types.ts'

/** The current point of a search, asked alone in each iteration. */
export function onePoint({ dim, seed, population }: Begin, point: Vector): (iteration: number) => Queries {
  const key = { seed, iteration: 0 }
  const draw = sampleDraw(1, population)
  const queries: Queries = {
    key,
    dim,
    precision: point instanceof Float32Array ? 'float32' : 'float64',
    rows: 1,
    centers: 1,
    sample: () => draw.at(key, 0),
    inPlace: () => point,
    write: (_, into, offset = 0) => into.set(point, offset),
  }
  return (iteration) => {
    key.iteration = iteration
    return queries
  }
}

/** A vector of the run with the entries of another. */
export function copyOf({ kernels, dim, precision }: Begin, from: Vector): Vector {
  const made = kernels.allocate(dim, precision)
  made.set(from)
  return made
}
