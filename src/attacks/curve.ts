import type { SavedMemory } from '../core/types.ts'
import type { AttackCurve, AttackPoint } from './records.ts'

/** Points kept before every second one is dropped. */
const capacity = 512

type Sample = { readonly [field in keyof AttackCurve]: number }
const fields = ['iteration', 'queries', 'loss', 'l2sq', 'linf', 'fooled'] as const

/** Records the course of an attack at evenly spaced iterations: all of a short one, fewer of a long one, the last always. */
export class CurveRecorder {
  #samples: Sample[] = []
  #spacing = 1
  #latest: Sample | undefined

  /** One evaluated point, as it is for each image. */
  add(points: readonly AttackPoint[], kappa: number): void {
    const sample = sampleOf(points, kappa)
    this.#latest = sample
    if (sample.iteration % this.#spacing !== 0) return
    this.#samples.push(sample)
    if (this.#samples.length <= capacity) return
    this.#spacing *= 2
    this.#samples = this.#samples.filter(({ iteration }) => iteration % this.#spacing === 0)
  }

  /** All there is to it: the samples, the latest of all at the end. */
  save(): SavedMemory {
    const all = this.#latest === undefined ? [] : [...this.#samples, this.#latest]
    const vectors = { samples: Float64Array.from(all.flatMap((sample) => fields.map((field) => sample[field]))) }
    return { vectors, state: { spacing: this.#spacing } }
  }

  /** Continues from what was saved. */
  restore({ vectors: { samples = new Float64Array(0) }, state }: SavedMemory): void {
    const all = Array.from({ length: samples.length / fields.length }, (_, i) => {
      const entries = fields.map((field, j) => [field, samples[i * fields.length + j]])
      return Object.fromEntries(entries) as Sample
    })
    this.#latest = all.pop()
    this.#samples = all
    this.#spacing = Number(state.spacing)
  }

  columns(): AttackCurve {
    const latest = this.#latest
    const isThere = latest === undefined || this.#samples.at(-1)?.iteration === latest.iteration
    const all = isThere ? this.#samples : [...this.#samples, latest]
    const columns = fields.map((field) => [field, all.map((sample) => sample[field])])
    return Object.fromEntries(columns) as unknown as AttackCurve
  }
}

function sampleOf(points: readonly AttackPoint[], kappa: number): Sample {
  const mean = (of: (point: AttackPoint) => number) => points.reduce((sum, each) => sum + of(each), 0) / points.length
  return {
    iteration: points[0]?.iteration ?? 0,
    queries: points[0]?.queries ?? 0,
    loss: mean(({ margin }) => Math.max(margin, -kappa)),
    l2sq: mean(({ l2sq }) => l2sq),
    linf: points.reduce((largest, { linf }) => Math.max(largest, linf), 0),
    fooled: mean(({ fooled }) => (fooled ? 1 : 0)),
  }
}

const pointFields = ['iteration', 'queries', 'l2sq', 'l2', 'linf', 'margin', 'predicted'] as const

/** Numbers of a point: whether there is one, its fields, and whether it fools the model. */
const width = pointFields.length + 2

/** Points of an attack, one per image, as numbers. */
export function numbersOf(points: readonly (AttackPoint | null)[]): Float64Array {
  const numbers = points.map((point) =>
    point === null
      ? new Array<number>(width).fill(0)
      : [1, ...pointFields.map((field) => point[field]), point.fooled ? 1 : 0],
  )
  return Float64Array.from(numbers.flat())
}

/** Reads what `numbersOf` wrote. */
export function pointsFrom(numbers: ArrayLike<number>): (AttackPoint | null)[] {
  return Array.from({ length: numbers.length / width }, (_, i) => {
    const [isThere, ...rest] = Array.from({ length: width }, (_, j) => numbers[i * width + j] as number)
    if (isThere !== 1) return null
    const entries = pointFields.map((field, j) => [field, rest[j]])
    return { ...Object.fromEntries(entries), fooled: rest.at(-1) === 1 } as AttackPoint
  })
}
