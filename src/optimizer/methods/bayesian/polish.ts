import type { Key, Memory, RunContext, SavedMemory, Vector } from '../../core/types.ts'
import { type QuasiNewtonStage, quasiNewtonFrom } from '../quasi-newton.ts'
import type { Batch, StagedMethod } from '../staged/staged-search.ts'
import type { Domain } from './domain.ts'

/** A point that was asked, and its value; NaN where the query failed. */
interface Answered {
  readonly point: Vector
  readonly value: number
}

/** What came of a stage. */
interface Polished {
  readonly answered: readonly Answered[]
  /** Whether it has nothing more to do, and whether an iteration is complete. */
  readonly isOver: boolean
  readonly isIteration: boolean
}

/** The quasi-Newton method at work on the continuous coordinates, around the centre of a run on a smooth function. */
export class Polish {
  readonly #at: RunContext
  readonly #domain: Domain
  #method: StagedMethod<QuasiNewtonStage> | undefined
  readonly #state: { isOn: boolean; stage: string; hasHessian: boolean }

  constructor(at: RunContext, domain: Domain, saved: SavedMemory | undefined) {
    this.#at = at
    this.#domain = domain
    this.#state = { isOn: false, stage: 'gradient', hasHessian: false }
    if (saved?.vectors['method.polish.inner.point'] === undefined) return
    const d = domain.continuous.length
    this.#method = this.#made(new Float64Array(d), Number.NaN, new Float64Array(d * d))
  }

  get isOn(): boolean {
    return this.#state.isOn
  }

  get memory(): Memory {
    const method = this.#method
    const inner = method && { ...method.memory, vectors: { ...method.memory.vectors, point: method.point } }
    return { state: this.#state, parts: { inner } }
  }

  /** The most queries that the next stage asks at once, with those that must follow. */
  get queries(): number {
    const d = this.#domain.continuous.length
    if (this.#state.stage !== 'gradient') return 1
    return 2 * d + (this.#state.hasHessian ? 0 : (d * (d - 1)) / 2)
  }

  /** Whether its differences promised what no value showed. */
  get isDoubtful(): boolean {
    return this.#method?.isDoubtful === true
  }

  begin(centre: Float64Array, value: number, curvatures: Float64Array): void {
    const start = Float64Array.from(this.#domain.continuous, (i) => centre[i] as number)
    this.#method = this.#made(start, value, curvatures)
    Object.assign(this.#state, { isOn: true, stage: 'gradient', hasHessian: false })
  }

  end(): void {
    this.#method = undefined
    this.#state.isOn = false
  }

  /** One stage; the other coordinates are those of the centre. */
  *stage(key: Key, centre: Float64Array): Generator<Batch, Polished, Float64Array> {
    const method = this.#method as StagedMethod<QuasiNewtonStage>
    const state = this.#state
    const name = state.stage as QuasiNewtonStage
    const stage = method.stages[name](key)
    const answered: Answered[] = []
    let next = stage.next()
    while (next.done !== true) {
      const points = this.#pointsOf(next.value, centre)
      const values = yield batchOf(points)
      points.forEach((point, row) => {
        answered.push({ point, value: values[row] as number })
      })
      next = stage.next(values.slice(0, points.length))
    }
    state.hasHessian = true
    state.stage = next.value
    return { answered, isOver: next.value === 'converged', isIteration: name === 'search' }
  }

  #pointsOf(batch: Batch, centre: Float64Array): Vector[] {
    const { continuous } = this.#domain
    const row = new Float64Array(continuous.length)
    return Array.from({ length: batch.rows }, (_, k) => {
      batch.write(k, row, 0)
      const place = centre.slice()
      continuous.forEach((i, j) => {
        place[i] = row[j] as number
      })
      return this.#domain.own(place)
    })
  }

  #made(start: Float64Array, value: number, curvatures: Float64Array): StagedMethod<QuasiNewtonStage> {
    const { kernels, precision, budget } = this.#at
    const point = kernels.allocate(start.length, precision)
    point.set(start)
    const at: RunContext = {
      ...this.#at,
      dim: start.length,
      start: point,
      origin: point,
      startValue: value,
      set: unitCube,
      constraints: undefined,
      known: undefined,
      // It is about scales that the user of this method cannot set.
      warn: () => undefined,
    }
    return quasiNewtonFrom(at, { curvatures, horizon: budget.maxQueries ?? Infinity })
  }
}

const unitCube: RunContext['set'] = {
  needsMetric: false,
  check: () => undefined,
  bounds: () => ({ lower: Float64Array.of(0), upper: Float64Array.of(1) }),
  contains: (x, tolerance = 0) => x.every((each) => each >= -tolerance && each <= 1 + tolerance),
  scratchSize: () => 0,
  project(x) {
    for (let i = 0; i < x.length; i++) x[i] = Math.min(Math.max(x[i] as number, 0), 1)
  },
}

/** A batch of some points. */
export function batchOf(points: readonly Vector[]): Batch {
  return { rows: points.length, write: (row, into, offset) => into.set(points[row] as Vector, offset) }
}
