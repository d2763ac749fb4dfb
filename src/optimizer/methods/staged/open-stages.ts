import type { Key, Memory, Queries, RunContext, SavedMemory, Vector } from '../../core/types.ts'
import { type Batch, type OpenStages, onlyPoint, valuesOf } from './staged-search.ts'

/** A query that the method has not taken in yet. */
export interface OpenQuery {
  readonly point: Vector
  /** NaN if it failed; undefined while it is not answered. */
  readonly value: number | undefined
}

/** The answer to a query beside the stages. */
export interface BesideAnswer {
  readonly point: Vector
  /** NaN if it failed. */
  readonly value: number
  readonly constraints: Float64Array
}

/**
 * What a method does in a run with several queries under way. The rows of a batch are handed out one by one; if all are under way
 * and more may be, the method is asked for points beside them. What these come to waits until the stage at work has ended, so that a
 * resumed run can begin the stage again with what was known when it began.
 */
export interface Besides<Name extends string = string> {
  /** Told the points that are under way beside a stage when it begins; does nothing if left out. */
  stageBegins?(points: readonly Vector[]): void
  /** A point worth asking while others are under way: the rows of the batch, then those beside it. Undefined if there is none. Reads only. */
  propose(key: Key, open: readonly OpenQuery[]): Vector | undefined
  /** Takes in what such points came to, between two stages; returns the stage that follows, which was to be `next`. */
  learn(answers: readonly BesideAnswer[], next: Name | 'converged'): Name | 'converged'
}

/** The open queries of a run with several under way; undefined if there is one at a time. */
export function openStages<Name extends string>(
  at: RunContext,
  method: { readonly point: Vector; readonly constraints?: number | undefined },
  besides: Besides<Name>,
  saved: SavedMemory | undefined,
): OpenStages | undefined {
  if ((at.concurrency ?? 1) < 2 && saved?.vectors['open.queries'] === undefined) return undefined
  const { seed, dim } = at
  const { constraints = 0 } = method
  const open = new OpenTable(dim, constraints, saved)

  /** Opens one more query: the next row of the batch or, if all are under way, one beside it. False if there is none. */
  const openOne = (batch: Batch | undefined): boolean => {
    if (batch === undefined) return false
    if (open.rows.length < batch.rows) {
      open.add(open.rows.length, new Float64Array(0))
      return true
    }
    const rows = open.rows.map(({ row, given }) => {
      const point = method.point.slice()
      batch.write(row, point, 0)
      return { point, value: given?.[0] }
    })
    const others = open.beside.map(({ point, given }) => ({ point, value: given?.[0] }))
    const point = besides.propose({ seed, iteration: open.latest + 1 }, [...rows, ...others])
    if (point !== undefined) open.add(-1, Float64Array.from(point))
    return point !== undefined
  }
  return {
    memory: open,
    get isWaiting() {
      return open.unanswered.length > 0
    },
    queries: (stage) => ({
      open(most) {
        const batch = stage.batch()
        while (open.unanswered.length < most && openOne(batch));
        const rowOf = (row: number): Batch => ({ rows: 1, write: (_, into, from) => batch?.write(row, into, from) })
        return open.unanswered.map(({ row, number, point }): Queries => {
          return stage.queries(row < 0 ? onlyPoint(point) : rowOf(row), number)
        })
      },
      tell(number, answers) {
        const given = valuesOf(answers, 1, constraints)
        open.answer(number, given)
        stage.answered(open.takeRows(stage.batch()?.rows ?? Infinity))
        return !Number.isNaN(given[0])
      },
    }),
    beginStage: () => besides.stageBegins?.(open.atStage),
    endStage(next) {
      const answers = open.takeBeside()
      open.stageBegins()
      return answers.length === 0 ? next : besides.learn(answers, next as Name | 'converged')
    },
  }
}

/** A query under way or answered: a row of the batch at work, or a point beside it (row -1). */
interface OpenRow {
  readonly number: number
  readonly row: number
  /** Empty for a row of the batch. */
  readonly point: Float64Array
  /** The value and the constraints; undefined while it is not answered. */
  readonly given: Float64Array | undefined
}

/** Open queries in the order of their numbers. */
class OpenTable implements Memory {
  readonly state = {
    /** The number of the latest query, and of the latest one when the stage at work began. */
    latest: 0,
    before: 0,
  }
  readonly #width: number
  #all: readonly OpenRow[]

  /** Empty, or as it was saved. */
  constructor(dim: number, constraints: number, saved: SavedMemory | undefined) {
    const width = 4 + constraints
    const table = saved?.vectors['open.queries'] ?? new Float64Array(0)
    const points = saved?.vectors['open.points'] ?? new Float64Array(0)
    let beside = 0
    this.#width = width
    this.#all = Array.from({ length: table.length / width }, (_, k) => {
      const [number = 0, row = 0, isAnswered, ...given] = table.subarray(k * width, (k + 1) * width)
      const point = Float64Array.from(points.subarray(beside * dim, (row < 0 ? ++beside : beside) * dim))
      return { number, row, point, given: isAnswered === 1 ? Float64Array.from(given) : undefined }
    })
  }

  get vectors(): Record<string, Float64Array> {
    const blank = new Float64Array(this.#width - 3)
    const table = this.#all.flatMap(({ number, row, given }) => [number, row, given ? 1 : 0, ...(given ?? blank)])
    const points = this.beside.flatMap(({ point }) => [...point])
    return { queries: Float64Array.from(table), points: Float64Array.from(points) }
  }

  get latest(): number {
    return this.state.latest
  }

  get unanswered(): readonly OpenRow[] {
    return this.#all.filter(({ given }) => given === undefined)
  }

  /** Rows of the batch at work that were handed out. */
  get rows(): readonly OpenRow[] {
    return this.#all.filter(({ row }) => row >= 0)
  }

  get beside(): readonly OpenRow[] {
    return this.#all.filter(({ row }) => row < 0)
  }

  /** The points beside the stages that were under way when the stage at work began. */
  get atStage(): readonly Vector[] {
    return this.beside.filter(({ number }) => number <= this.state.before).map(({ point }) => point)
  }

  stageBegins(): void {
    this.state.before = this.state.latest
  }

  add(row: number, point: Float64Array): void {
    this.#all = [...this.#all, { number: ++this.state.latest, row, point, given: undefined }]
  }

  answer(number: number, given: Float64Array): void {
    this.#all = this.#all.map((each) => (each.number === number ? { ...each, given } : each))
  }

  /** The values of the batch at work and behind them its constraints, once all its rows are answered; they are then gone. */
  takeRows(count: number): Float64Array | undefined {
    const given = this.rows.flatMap((each) => (each.given === undefined ? [] : [each.given]))
    if (given.length < count) return undefined
    this.#all = this.beside
    const values = given.map(([value = Number.NaN]) => value)
    return Float64Array.from([...values, ...given.flatMap((each) => [...each.subarray(1)])])
  }

  /** The answers beside the stages, which are then gone. */
  takeBeside(): BesideAnswer[] {
    const answered = this.beside.flatMap(({ point, given }) => {
      return given === undefined ? [] : [{ point, value: given[0] as number, constraints: given.slice(1) }]
    })
    this.#all = this.#all.filter(({ row, given }) => row >= 0 || given === undefined)
    return answered
  }
}
