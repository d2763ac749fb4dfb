import { sampleDraw } from '../../core/answers.ts'
import type {
  Answers,
  Estimate,
  Key,
  Memory,
  OpenQueries,
  Queries,
  RunContext,
  SavedMemory,
  Search,
  Solver,
  Vector,
} from '../../core/types.ts'
import { randomWord } from '../../kernels/random.ts'
import { joined } from '../../numerics/vectors.ts'

/** Points to ask at once. Rows are written on demand, at the run's precision, and lie in the set of the run. */
export interface Batch {
  readonly rows: number
  /** There where the only row is the current point while it is asked, as that of an attack must be to count. */
  readonly center?: Vector | undefined
  write(row: number, into: Vector, offset: number): void
}

/**
 * A part of a method between two moments at which all it knows is in its memory. It yields batches and is given their
 * values, NaN where a query failed; it returns the name of the next stage. It changes the memory only after its last
 * batch: a run that is resumed begins the stage again, with the values it had been given.
 */
export type Stage<Name extends string = string> = Generator<Batch, Name | 'converged', Float64Array>

/** A method as stages with names. */
export interface StagedMethod<Name extends string = string> {
  /** Where it is: the point it would go on from. */
  readonly point: Vector
  /** What it knows between two stages beside that point. Vectors may change their length from one stage to the next. */
  readonly memory: Memory
  /** True where answers vary: the lowest is the luckiest, and the run ends with `point` instead. */
  readonly noisy?: boolean | undefined
  /** What is known of the value at the point where answers vary. */
  readonly estimate?: Estimate | undefined
  /** There in a method whose rows are no candidates unless they are centers: what it would answer now. */
  readonly answer?: Vector | undefined
  /** How many constraints it wants of each row: a stage is given them behind the values, row by row. */
  readonly constraints?: number | undefined
  /** Whether what it ended with may be no minimum: see Search. */
  readonly isDoubtful?: boolean | undefined
  /** The stages. The key is that of the iteration in which the stage began: all its random numbers follow from it. */
  readonly stages: Readonly<Record<Name, (key: Key) => Stage<Name>>>
  /** There in a run with several queries under way: `openStages` of `open-stages.ts`. */
  readonly open?: OpenStages | undefined
}

/** Queries of stages that are asked row by row, and others beside them. */
export interface OpenStages {
  readonly memory: Memory
  /** Whether some of them are not answered. */
  readonly isWaiting: boolean
  queries(at: StageAtWork): OpenQueries
  /** A stage begins, if a run is resumed once more. */
  beginStage(): void
  /** A stage has ended, and names the next; returns the one that follows. */
  endStage(next: string): string
}

/** The stage at work as `OpenStages` know it. */
export interface StageAtWork {
  /** What it wants to know; undefined if the method has ended. */
  batch(): Batch | undefined
  queries(batch: Batch, iteration: number): Queries
  /** An answer was counted; with the answers to the whole batch, if they are all there. */
  answered(given: Float64Array | undefined): void
}

/** Where a staged search is, beside what its method knows. */
type Progress = { stage: string; began: number }

const noisySum = 'a method that compares single values sees one term of a finite sum at a time: it may go astray'

/** A search that goes through the stages of a method, one batch per iteration. Every row is a candidate, or the centers are. */
export function stagedSearch<Name extends string>(
  at: RunContext,
  method: StagedMethod<Name>,
  first: NoInfer<Name>,
  saved?: SavedMemory,
): Search {
  if (at.population !== undefined && at.population > 1) at.warn(noisySum)
  return new StagedSearch(at, method as StagedMethod, first, saved?.vectors.told?.length ?? 0)
}

/** A solver that goes through the stages of the method that a run is given; `saved` is what a resumed run remembers. */
export function stagedSolver<Name extends string>(
  methodFor: (at: RunContext, saved: SavedMemory | undefined) => StagedMethod<Name>,
  first: NoInfer<Name>,
): Solver {
  const begin = (at: RunContext, saved?: SavedMemory): Search => stagedSearch(at, methodFor(at, saved), first, saved)
  return { start: begin, resume: begin }
}

class StagedSearch implements Search {
  iteration = 0
  readonly samples = 1
  readonly #method: StagedMethod
  readonly #state: Progress
  /** The values that the stage at work was given so far. */
  #told: Float64Array
  /** The stage at work and the batch it waits for; undefined until they are needed. */
  #working: { stage: Stage; batch: Batch } | undefined
  readonly #seed: number
  readonly #asked: (batch: Batch, iteration: number) => Queries
  constructor(at: RunContext, method: StagedMethod, first: string, told: number) {
    this.#method = method
    this.#state = { stage: first, began: 0 }
    this.#told = new Float64Array(told)
    this.#seed = at.seed
    this.#asked = asQueries(at)
  }

  get point(): Vector {
    return this.#batch()?.center ?? this.#method.point
  }

  get centers(): number {
    return this.#batch()?.center === undefined ? 0 : 1
  }

  get memory(): Memory {
    const { point, memory: method, open } = this.#method
    const parts = open === undefined ? { method } : { method, open: open.memory }
    return { vectors: { point, told: this.#told }, state: this.#state, parts }
  }

  get candidates(): true | undefined {
    return this.#method.answer === undefined ? true : undefined
  }

  get noisy(): true | undefined {
    return this.#method.noisy === true ? true : undefined
  }

  get estimate(): Estimate | undefined {
    return this.noisy && this.#method.estimate
  }

  get answer(): Vector | undefined {
    return this.noisy ? this.#method.point : this.#method.answer
  }

  get isDoubtful(): boolean {
    return this.#method.isDoubtful === true
  }

  get finished(): 'converged' | undefined {
    return this.#batch() === undefined && this.#method.open?.isWaiting !== true ? 'converged' : undefined
  }

  get rows(): number {
    return this.#batch()?.rows ?? 1
  }

  get openQueries(): OpenQueries | undefined {
    return this.#method.open?.queries({
      batch: () => this.#batch(),
      queries: this.#asked,
      answered: (given) => {
        this.iteration++
        if (given !== undefined) this.#give(given)
        else if (this.#working === undefined) this.#endStage('converged')
      },
    })
  }

  ask(): Queries {
    return this.#asked(this.#batch() ?? onlyPoint(this.#method.point), this.iteration + 1)
  }

  tell(answers: Answers): boolean {
    const batch = this.#batch()
    this.iteration++
    return batch !== undefined && this.#give(valuesOf(answers, batch.rows, this.#constraints))
  }

  /** A center that brings no value has failed; so the stage is told. */
  skip(): void {
    const isCenter = this.centers > 0
    this.iteration++
    if (isCenter) this.#give(new Float64Array(1 + this.#constraints).fill(Number.NaN))
  }

  get #constraints(): number {
    return this.#method.constraints ?? 0
  }

  #give(given: Float64Array): boolean {
    if (this.#working === undefined) return false
    const next = this.#working.stage.next(given)
    if (next.done === true) this.#endStage(next.value)
    else {
      this.#told = joined(this.#told, given)
      this.#working.batch = next.value
    }
    return given.some((value) => !Number.isNaN(value))
  }

  #endStage(next: string): void {
    this.#told = new Float64Array(0)
    this.#turn(this.#method.open?.endStage(next) ?? next)
  }

  #turn(stage: string): void {
    this.#state.stage = stage
    this.#state.began = this.iteration
    this.#working = undefined
  }

  /** The batch to ask now; undefined where the method has ended. Reads only: what it begins depends on the memory alone. */
  #batch(): Batch | undefined {
    while (this.#working === undefined && this.#state.stage !== 'converged') this.#begin()
    return this.#working?.batch
  }

  /** Begins a stage and gives it what it had been told; one that asks nothing is over at once. */
  #begin(): void {
    const key = { seed: this.#seed, iteration: this.#state.began }
    this.#method.open?.beginStage()
    const stage = this.#method.stages[this.#state.stage]?.(key)
    if (stage === undefined) throw new RangeError(`the method has no stage "${this.#state.stage}"`)
    let next = stage.next()
    let used = 0
    while (next.done !== true && used < this.#told.length) {
      const count = next.value.rows * (1 + this.#constraints)
      next = stage.next(this.#told.slice(used, used + count))
      used += count
    }
    if (next.done === true) this.#turn(next.value)
    else this.#working = { stage, batch: next.value }
  }
}

/** A batch of a single point. */
export function onlyPoint(point: Vector): Batch {
  return { rows: 1, write: (_, into, offset) => into.set(point, offset) }
}

/** A batch of the current point, as which a point is asked that shall count by itself. */
export function currentPoint(point: Vector): Batch {
  return { ...onlyPoint(point), center: point }
}

/** Times that a start which fails is asked before a method gives up. */
const startTries = 4

/** The value at the start, asked only where it is not known; NaN where it fails again and again. */
export function* askStart(point: Vector, known: number): Generator<Batch, number, Float64Array> {
  let value = known
  for (let tries = 0; Number.isNaN(value) && tries < startTries; tries++) value = (yield onlyPoint(point))[0] as number
  return value
}

function asQueries({ dim, seed, population, precision }: RunContext): (batch: Batch, iteration: number) => Queries {
  const draw = sampleDraw(1, population)
  return (batch, iteration) => {
    const key = { seed, iteration }
    return {
      key,
      dim,
      precision,
      rows: batch.rows,
      centers: batch.center === undefined ? 0 : 1,
      // Terms of a finite sum are compared with each other, so all rows see the same one; noise is that of each row.
      sample: (row) => (population === undefined ? randomWord({ ...key, row }, 'samples', 0) : draw.at(key, 0)),
      write: (row, into, offset = 0) => batch.write(row, into, offset),
    }
  }
}

/** The values of all rows, NaN where a query failed, and behind them so many constraints of each, NaN where they are not known. */
export function valuesOf({ values, failed, constraints }: Answers, rows: number, each: number): Float64Array {
  const given = new Float64Array(rows * (1 + each)).fill(Number.NaN)
  for (let row = 0; row < rows; row++) if (failed[row] !== 1) given[row] = values[row] as number
  if (each > 0 && constraints) given.set(constraints.subarray(0, rows * each), rows)
  return given
}
