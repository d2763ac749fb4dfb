import { count, option, table } from '../core/options.ts'
import { definePart, part } from '../core/part.ts'
import { numberWithin } from '../core/schema.ts'
import type { Begin, DirectionRows, Directions, Key } from '../core/types.ts'
import type { Kernels } from '../kernels/kernels.ts'
import { randomWord } from '../kernels/random.ts'
import { sphere } from './sphere.ts'
import { StepHistory } from './step-history.ts'
import { writeStep } from './write-step.ts'

/**
 * Directions that lean towards the latest steps of the run (Guided ES, Maheswaranathan et al. 2019):
 * u = sqrt(1 - share) v + sqrt(share) ||v|| w, with v of the directions `within` and w = sum_j +-q_j / sqrt(k), the signs
 * random and q_1 ... q_k an orthonormal basis Q of the latest steps. Before the first step u = v.
 *
 * The factor is that of `within`. For unit vectors v in d dimensions E[factor u u^T] is then
 * (1 - share) I + share (d / k) Q Q^T: its trace is still d, but a share of it lies in the span of the steps, where
 * estimates come out longer. Steps that do not depend on the length of an estimate suit it best.
 */
export const guided = definePart({
  kind: 'directions',
  name: 'guided',
  summary: 'Directions that lean towards the latest steps of the run.',
  options: table({
    within: part<Directions>('directions', 'begin', 'the directions that are made to lean', () => sphere()),
    memory: count('how many of the latest steps are kept', 5),
    share: option(
      numberWithin({ least: 0, below: 1 }),
      'how much of a squared direction lies in the span of the steps',
      0.5,
    ),
  }),
  examples: () => [{}, { memory: 2, share: 0.9 }],
  make: ({ within, memory, share }): Directions => ({
    begin(at, count): DirectionRows {
      const inner = within.begin(at, count)
      const history = new StepHistory(at, memory)
      const rows = leaning(at, inner, history, { share, memory })
      return {
        ...rows,
        get factor() {
          return inner.factor
        },
        memory: { parts: { within: inner.memory, history: history.memory } },
        learn(x, value) {
          inner.learn?.(x, value)
          history.learn(x)
        },
      }
    },
  }),
})

/** Rows that lean towards the steps of a history, as far as it has any. */
function leaning(
  { dim, kernels }: Begin,
  inner: DirectionRows,
  history: StepHistory,
  { share, memory }: { readonly share: number; readonly memory: number },
): Pick<DirectionRows, 'count' | 'write' | 'combine'> {
  const [keep, take] = [Math.sqrt(1 - share), Math.sqrt(share)]
  const u = kernels.allocate(dim, 'float64') as Float64Array
  const coefficients = new Float64Array(memory)
  const lengths = rowLengths(kernels, inner, u)
  const leans = (): boolean => share > 0 && history.size > 0
  /** Adds weight ||v_row|| w_row to the coefficients of the steps. */
  const lean = (key: Key, row: number, weight: number): void => {
    const each = (weight * lengths.of(key, row)) / Math.sqrt(history.size)
    for (let j = 0; j < history.size; j++) {
      coefficients[j] = (coefficients[j] as number) + (isAhead(key, row, j) ? each : -each)
    }
  }
  return {
    count: inner.count,
    write(x, scale, key, row, into, offset) {
      if (!leans()) return inner.write(x, scale, key, row, into, offset)
      lengths.write(key, row)
      coefficients.fill(0)
      lean(key, row, take)
      for (let i = 0; i < dim; i++) u[i] = keep * (u[i] as number)
      history.add(coefficients, u)
      writeStep(x, scale, u, 0, dim, into, offset)
    },
    ...(inner.combine === undefined ? {} : { combine }),
  }

  function combine(...[scale, key, weights, gradient]: Parameters<NonNullable<DirectionRows['combine']>>): void {
    if (!leans()) return inner.combine?.(scale, key, weights, gradient)
    inner.combine?.(scale * keep, key, weights, gradient)
    coefficients.fill(0)
    for (let row = 0; row < inner.count; row++) lean(key, row, scale * take * (weights[row] as number))
    history.add(coefficients, gradient)
  }
}

/** The random sign of step j in a row. */
function isAhead(key: Key, row: number, j: number): boolean {
  return (randomWord({ ...key, row: row + 1 }, 'subspaces', j) & 1) === 1
}

/** The lengths of directions: found when one is written, and needed again to use its answer. */
function rowLengths(kernels: Kernels, inner: DirectionRows, u: Float64Array) {
  const origin = kernels.allocate(u.length, 'float64')
  const lengths = new Float64Array(inner.count)
  const known = { seed: -1, iteration: -1 }
  const areOf = (key: Key): boolean => known.iteration === key.iteration && known.seed === key.seed
  /** u = v_row; keeps its length. */
  const write = (key: Key, row: number): void => {
    if (!areOf(key)) lengths.fill(0)
    known.iteration = key.iteration
    known.seed = key.seed
    inner.write(origin, 1, key, row, u, 0)
    lengths[row] = Math.sqrt(kernels.dot(u, u))
  }
  return {
    write,
    of(key: Key, row: number): number {
      if (!areOf(key) || lengths[row] === 0) write(key, row)
      return lengths[row] as number
    },
  }
}
