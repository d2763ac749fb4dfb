import { ZerothError } from '../core/errors.ts'
import { sampleDraw } from '../core/samples.ts'
import type { Answers, Begin, Queries, Schedule, Vector } from '../core/types.ts'
import type { Placement } from './placement.ts'

/** How the rows of an iteration are counted. */
export interface ProbeLayout {
  readonly directions: number
  readonly samples: number
  /** Samples whose center is asked: all of them, or none. */
  readonly centers: number
  readonly twoSided: boolean
}

/** Keeps the sum of differences finite where the values themselves are near the largest numbers there are. */
const largestDifference = 1e300

/**
 * The rows of an iteration, and the differences between their answers.
 * Rows in order: for each sample its center (where asked), then for each sample and direction x + mu u and, when
 * two-sided, x - mu u. All samples share the directions, as in eq. (14).
 */
export class ProbeRows {
  readonly queries: Queries
  readonly key: { readonly seed: number; iteration: number }
  /** The sum of the differences along each direction, and how many they are. */
  readonly slopes: Float64Array
  readonly counts: Uint32Array
  readonly #layout: ProbeLayout
  readonly #perSample: number
  #center: Vector

  constructor(at: Begin, layout: ProbeLayout, placement: Placement, radiusAt: Schedule) {
    this.key = { seed: at.seed, iteration: 0 }
    this.slopes = new Float64Array(layout.directions)
    this.counts = new Uint32Array(layout.directions)
    this.#layout = layout
    this.#perSample = layout.directions * sidesOf(layout)
    this.#center = at.start
    this.queries = this.#asking(at, placement, radiusAt)
  }

  /** The queries around x, its random numbers taken from the iteration. */
  aim(x: Vector, iteration: number): Queries {
    this.#center = x
    this.key.iteration = iteration
    return this.queries
  }

  /** Sums the differences along each direction over the samples, leaving out failed ones; returns how many it kept. */
  differences(answers: Answers): number {
    const { samples, centers, twoSided } = this.#layout
    const sides = sidesOf(this.#layout)
    let kept = 0
    for (let i = 0; i < this.slopes.length; i++) {
      let [sum, count] = [0, 0]
      for (let j = 0; j < samples; j++) {
        const probe = centers + j * this.#perSample + i * sides
        const base = twoSided ? probe + 1 : j
        if (answers.failed[probe] === 1 || answers.failed[base] === 1) continue
        sum += limited((answers.values[probe] as number) - (answers.values[base] as number), largestDifference)
        count++
      }
      this.slopes[i] = sum
      this.counts[i] = count
      kept += count
    }
    return kept
  }

  #asking(at: Begin, placement: Placement, radiusAt: Schedule): Queries {
    const { dim, population, precision } = at
    const { samples, centers } = this.#layout
    const { key } = this
    const [perSample, sides] = [this.#perSample, sidesOf(this.#layout)]
    const draw = sampleDraw(samples, population)
    const rows = centers + samples * perSample
    let room: Vector | undefined
    const queries: Queries = {
      key,
      // Taken when it is first wanted; none where it is not the run's own memory.
      room: () => {
        room ??= at.kernels.allocate(rows * dim, precision)
        return room.buffer === at.start.buffer ? room : undefined
      },
      rows,
      dim,
      precision,
      centers,
      sample: (row) => draw.at(key, row < centers ? row : Math.floor((row - centers) / perSample)),
      write: (row, into, offset = 0) => {
        checkPlace(queries, row, into, offset)
        if (row < centers) return into.set(this.#center, offset)
        const probe = (row - centers) % perSample
        const sign = probe % sides === 0 ? 1 : -1
        placement.write(this.#center, radiusAt(key.iteration), key, Math.floor(probe / sides), sign, into, offset)
      },
    }
    return queries
  }
}

/** Probes per direction and sample. */
export function sidesOf({ twoSided }: { readonly twoSided: boolean }): 1 | 2 {
  return twoSided ? 2 : 1
}

/** value, held within +-limit. */
export function limited(value: number, limit: number): number {
  return Math.min(Math.max(value, -limit), limit)
}

/** Refuses a row that does not exist and a place that it does not fit into: beyond it lies other memory. */
function checkPlace({ rows, dim }: Queries, row: number, into: Vector, offset: number): void {
  if (!(row >= 0 && row < rows && Number.isInteger(row))) {
    throw new ZerothError('wrong-order', `queries.write: there is no row ${row}; rows are 0 to ${rows - 1}`)
  }
  if (!(offset >= 0 && offset + dim <= into.length && Number.isInteger(offset))) {
    const where = `a vector of ${into.length} from ${offset} on`
    throw new ZerothError('wrong-order', `queries.write: a row of ${dim} numbers does not fit into ${where}`)
  }
}
