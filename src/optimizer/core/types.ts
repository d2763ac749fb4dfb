import type { Kernels, Moments, Precision, RowSum, Vector } from '../kernels/kernels.ts'

export type { Precision, Vector }

/** With (row, index) it determines every random number of a run. */
export interface Key {
  readonly seed: number
  readonly iteration: number
}

/**
 * What one iteration wants to know. Rows are written on demand, so nothing needs rows x dim memory. Valid until the
 * answers are told: the next iteration may reuse the object and its key.
 */
export interface Queries {
  readonly key: Key
  readonly rows: number
  readonly dim: number
  /** The first `centers` rows are the current point itself, one per stochastic sample; there may be none. */
  readonly centers: number
  /** Which sample xi of a stochastic objective this row uses. */
  sample(row: number): number
  /** Whether the asker reads what the objective can say of every row beside its value (`AttackFacts.competingClasses`). */
  readonly detailed?: boolean | undefined
  /** The precision of the rows, where it is known: room of that precision loses nothing. */
  readonly precision?: Precision | undefined
  /** Rows that have more digits than that, where there are any. */
  readonly isFiner?: ((row: number) => boolean) | undefined
  /** Where these are some rows of an iteration only: which of its rows this one is. */
  readonly original?: ((row: number) => number) | undefined
  /**
   * Memory for all rows, where the run has some to spare: an objective that writes every row there, one after the other, and leaves
   * them untouched may name it in `answers.kept`, and they need not be made again.
   */
  readonly buffer?: (() => Vector | undefined) | undefined
  /** A row as it lies in memory anyway, where it does: to be read there, before anything is told. */
  readonly inPlace?: ((row: number) => Vector | undefined) | undefined
  /** Writes one row into `into`, starting at `offset`. Rounded to the session's precision first. */
  write(row: number, into: Vector, offset?: number): void
}

/** What the objective said: allocated once per session, filled for each iteration. */
export interface Answers {
  readonly values: Float64Array
  /** 1 where the query failed. Values that are not finite count as failed, too. */
  readonly failed: Uint8Array
  /** Why a row failed, where that is known. */
  readonly reasons: (unknown | undefined)[]
  /**
   * All rows as `write` left them, one after the other, where the objective kept them untouched in memory from
   * `Session.allocate`: they need not be made again. Optional: the result is the same to the bit.
   */
  rowBuffer?: Vector | null
  /** 1 where the answer was known from an earlier query and nobody was asked: such a row costs no query. */
  cached?: Uint8Array
  /**
   * There where the asker ends at the first failure. An objective of which a row was not answered in time then asks no
   * further, and marks the rows it leaves without one: as `notAsked`, or as `abandoned` where they were under way.
   */
  dropped?: Uint8Array | undefined
  /** How often the black box was asked again for rows that had failed: reported, never counted as queries. */
  retries?: number
  /**
   * What the objective says about the centers beside their values, the same number of numbers for each, and behind that what
   * it says of every row where it was asked for details; kept in the journal.
   */
  notes?: Float64Array | null
  /** Whether the current point does what the objective is for, where that can be said: an attack's picture fools the model. */
  reached?: boolean | undefined
  /**
   * What the constraints come to, `RunContext.constraints` numbers for each row, one row after the other: at most 0 where they
   * hold, NaN where it is not known. A row may have them although its value failed.
   */
  constraints?: Float64Array | undefined
}

/** The size of an image. */
export interface ImageShape {
  readonly channels: number
  readonly height: number
  readonly width: number
}

/** A black box: fills `into` for every row of `queries`. Returns a promise only when it has to wait. */
export interface Objective {
  readonly dim: number
  evaluate(queries: Queries, into: Answers, signal?: AbortSignal): void | Promise<void>
  /** Told what was answered before a run was interrupted, in the order it was asked: a cache fills itself with it. */
  recall?(queries: Queries, answers: Answers): void
  /** What it remembers of all answers so far, for a checkpoint. Vectors may be those at work: they are copied or written at once. */
  save?(): SavedMemory
  /** Takes over what `save` gave, instead of being told those answers again. */
  restore?(saved: SavedMemory): void
  /** Told which run will ask, before it does: what is shared with other runs is addressed by its name. */
  attach?(to: AskingRun): void
  /** Lets go of processes, threads and connections. Whoever made the objective closes it; it may be called twice. */
  close?(): void | Promise<void>
}

/** The run that asks an objective. */
export interface AskingRun {
  /** The same when the run is resumed, and no other run's. */
  readonly run: string
  /** Says something that the user of the run should know while it waits. */
  notice(message: string): void
  /** Told now and then who evaluates elsewhere, and what is left to do there. */
  counted?(counts: QueueCounts): void
}

/** A queue of jobs that workers on other machines do. */
export interface QueueCounts {
  /** Workers that serve what the run asks for. */
  readonly workers: number
  /** Jobs that no worker has begun. */
  readonly waiting: number
  readonly active: number
  /** Jobs that ended without an answer, those of earlier runs included as long as they are kept. */
  readonly failed: number
}

/** A black box that holds processes, threads or connections. Asking after `close` starts anew. */
export interface ClosableObjective extends Objective {
  close(): Promise<void>
}

/** A value per iteration, counted from 1 as in the paper; learning rates are told the dimension, too. */
export type Schedule = (iteration: number, dim?: number) => number

/** Lower and upper bounds, infinite where there are none: one each for every coordinate, or one for all. */
export interface Bounds {
  readonly lower: Vector
  readonly upper: Vector
}

/**
 * How one coordinate of the points of a run varies. A point has one number per variable: a continuous one lies between its
 * bounds, whole numbers and categories are indices 0, 1, ..., count - 1, whatever they stand for.
 */
export type Coordinate = Conditional &
  (
    | { readonly kind: 'continuous' }
    | {
        /** Ordered, at equal distances; by factors if `first` is there. */
        readonly kind: 'levels'
        readonly count: number
        /** For whole numbers that matter by factors: what level 0 stands for, in units of the step. Above 0. */
        readonly first?: number | undefined
      }
    | {
        /** One of a few things without order; a switch is one of two. */
        readonly kind: 'categories'
        readonly count: number
      }
  )

interface Conditional {
  /** All must hold for the variable to matter; it always does if left out. */
  readonly conditions?: readonly Condition[] | undefined
}

/** Holds where another coordinate, of levels or categories, is one of these indices and itself matters. */
export interface Condition {
  readonly on: number
  readonly among: readonly number[]
}

/** What a search may know of its variables beside their bounds. A set that has one holds its points alone, and snaps to them. */
export interface Space {
  readonly coordinates: readonly Coordinate[]
}

/** A closed convex set with its projection in a diagonal metric. */
export interface ConvexSet {
  /** False where the projection does not depend on the metric (boxes, the whole space). */
  readonly needsMetric: boolean
  /** Refuses a dimension that the set's own options do not fit. */
  check(dim: number): void
  /** The set as a box, where it is one. */
  bounds?(dim: number): Bounds
  /** Where the set is the part of a box within a distance of 0: that box and that distance. */
  readonly ball?: { readonly box: ConvexSet; readonly radius: number } | undefined
  /** True for the whole space: there is nothing to project. */
  readonly unbounded?: true
  /** True for a box that probes may leave unless the solver keeps them inside: the pixels of an attack, as in the paper. */
  readonly probesMayLeave?: true
  /**
   * What the coordinates of a box stand for, if some are whole numbers or categories, or matter only sometimes; continuous if
   * left out. Their bounds are 0 and count - 1; `project` and `contains` know that only indices are points.
   */
  readonly space?: Space | undefined
  /** For the scaled simplex, the sum of its coordinates: the entropy mirror map lives there alone. */
  readonly simplexSum?: number
  contains(x: Vector, tolerance?: number): boolean
  /** How many float64 numbers of working memory `project` needs. */
  scratchSize(dim: number): number
  /**
   * Replaces x by the point z of the set with the smallest sum of metric_i (z_i - x_i)^2; null is the Euclidean metric.
   * All entries of the metric are above 0.
   */
  project(x: Vector, metric: Vector | null, scratch: Float64Array): void
}

/** What a method may know of the attack whose objective it minimises, beside what the answers say. */
export interface AttackFacts {
  /** The largest change of a variable that is allowed; no limit if left out. */
  readonly linf?: number | undefined
  /** The largest Euclidean length of the change that is allowed; no limit if left out. */
  readonly l2?: number | undefined
  /** True where a value is the loss plus the squared length of the change: what it takes to be fooled is the loss alone. */
  readonly addsSquares?: boolean | undefined
  /** True where a given class is to be reached, not just any other. */
  readonly targeted?: boolean | undefined
  /** True where the model answers with a class alone: values tell success from failure, and have no slopes. */
  readonly labelsOnly?: boolean | undefined
  /** Where the variables make pictures at all, whatever the limits: points on the way to a success may lie there. */
  readonly pictures?: Bounds | undefined
  /** The value of a success beside what its distance from the start adds to it; 0 if left out. */
  readonly floor?: number | undefined
  /** Points far from the start that probably succeed, such as images of the class to reach. */
  readonly startingPoints?: readonly Vector[] | undefined
  /** Classes of which each row can tell, where the queries ask for details, the value if that class alone were the goal. */
  readonly competingClasses?: number | undefined
  /**
   * Where each row can tell, if the queries ask for details, how far the class to get away from is ahead of each class: how many
   * classes there are, the one to get away from, and the one to reach.
   */
  readonly classes?:
    | { readonly count: number; readonly label: number; readonly target?: number | undefined }
    | undefined
  /** Where the model sees multiples of a step only, such as bytes: that step, in units of the variables. */
  readonly grid?: number | undefined
  /** The length from which on probes tell more of the slope than of the model's noise; any does if left out. */
  readonly probe?: number | undefined
}

/** A point that a run knows of beside its start. */
export interface KnownPoint {
  /** In the set of the run. */
  readonly point: Vector
  /** What the objective says there; left out, the run asks it before it goes its own ways. */
  readonly value?: number | undefined
  /** What the constraints come to there, where the value is given and the run has some. */
  readonly constraints?: Float64Array | undefined
}

/** What a run is given when it begins: parts take what they need and allocate their buffers once. */
export interface RunContext {
  readonly dim: number
  readonly seed: number
  /** Where the run begins. It belongs to the run, which may use it as its current point. */
  readonly start: Vector
  /** Where the whole run began, for a method that takes over from another; the start if left out. */
  readonly origin?: Vector | undefined
  /** The value at the start, where it is known already; unknown if left out. */
  readonly startValue?: number | undefined
  readonly set: ConvexSet
  readonly precision: Precision
  readonly kernels: Kernels
  readonly budget: Budget
  /** Ask the current point itself in each iteration, also where the estimate does not need it. */
  readonly trackBest: boolean
  /** Number of samples of a finite sum; undefined where samples are drawn from an infinite population. */
  readonly population: number | undefined
  /** Where the variables are the pixels of an image, channel by channel and row by row: its size. */
  readonly shape?: ImageShape | undefined
  /** What is known of the attack that the run is, where it is one. */
  readonly attack?: AttackFacts | undefined
  /** How many constraints come with each value, to be at most 0; none if left out. */
  readonly constraints?: number | undefined
  /** Further starts, and points whose values are known already: for methods that say so (`Solver.takesKnown`). */
  readonly known?: readonly KnownPoint[] | undefined
  /** Queries that may be under way at once; 1 if left out. */
  readonly concurrency?: number | undefined
  /** Says something the user should know about this run without stopping it. */
  warn(message: string): void
}

/** Limits of a run. Whichever is reached first ends it; none is ever exceeded. */
export interface Budget {
  readonly maxQueries?: number | undefined
  /** True where nobody set a limit, and the usual number of queries applies. */
  readonly isDefault?: boolean | undefined
  readonly maxIterations?: number | undefined
  /** Milliseconds. */
  readonly maxTime?: number | undefined
  readonly target?: number | undefined
}

/** Directions u_1, u_2, ... as functions of their address. E[factor u u^T] is the identity. */
export interface Directions {
  start(at: RunContext, count: number): DirectionsState
}

/** Directions at work in one run. */
export interface DirectionsState {
  /** How many there are per iteration. */
  readonly count: number
  readonly factor: number
  /** into[offset...] = x + scale u_row, at the run's precision. */
  write(x: Vector, scale: number, key: Key, row: number, into: Vector, offset: number): void
  /**
   * gradient += weight ((x + scale u_row) - x), or the two-sided difference when antithetic, without keeping rows.
   * Must give the bits that `write` followed by `Kernels.accumulateRow` gives. Optional: a faster way, nothing more.
   */
  accumulate?(
    x: Vector,
    scale: number,
    key: Key,
    row: number,
    weight: number,
    antithetic: boolean,
    gradient: Vector,
  ): void
  /**
   * gradient += sum_row weights_row scale u_row in one go, for directions that are cheap to add up before they are written
   * out. Where it exists it takes the place of `accumulate`; rounding need not be that of single rows.
   */
  combine?(scale: number, key: Key, weights: Float64Array, gradient: Vector): void
  /** What the directions remember between iterations, where they do. */
  readonly memory?: Memory | undefined
  /** Told once per iteration, after its answers were used, where the run was and the value there (NaN if unknown). */
  learn?(x: Vector, value: number): void
  /** Where the directions are scaled normals: the s for which x + scale u_row is x + s z_row. */
  normalScale?(key: Key, row: number, scale: number): number
}

/** Turns answers into a gradient estimate. */
export interface Estimator {
  start(at: RunContext): EstimatorState
}

/** An estimator at work in one run. */
export interface EstimatorState {
  readonly rows: number
  readonly centers: number
  /** How many samples of a stochastic objective each point is asked with; 1 if left out. */
  readonly samples?: number
  /** The rows of one iteration around x. Only reads; the same key gives the same rows. */
  queries(x: Vector, iteration: number): Queries
  /** Writes the estimate into `gradient` and returns how many differences it averaged; 0 leaves nothing to use. */
  estimate(x: Vector, iteration: number, answers: Answers, gradient: Vector): number
  /** The same estimate as a sum over normal directions, where it is one; null where nothing could be used. */
  readonly sum?: ((iteration: number, answers: Answers) => RowSum | null) | undefined
  /** What the estimator remembers between iterations, where it does. */
  readonly memory?: Memory | undefined
}

/** A subspace to look for directions in: few coordinates that stand for all. Its vectors are orthonormal. */
export interface Basis {
  start(at: RunContext): BasisState
}

/** A basis at work in one run. */
export interface BasisState {
  /** How many vectors it has now. */
  readonly dim: number
  /**
   * into = sum_j coefficients_j b_j, over all coordinates of the run. Some bases change with the key; left out, it is that
   * of the first iteration.
   */
  expand(coefficients: Float64Array, into: Float64Array, key?: Key): void
  /** into[offset...] += weight b_index, for single vectors that are cheaper to write than a sum of all. */
  add?(index: number, weight: number, into: Vector, offset: number): void
  /** into_j = the inner product of b_j with an image of the run: what `expand` makes of it is the part in the subspace. */
  project?(image: Float64Array, into: Float64Array): void
  /** How much is expected of one of its vectors, compared with the others; the same of all if left out. Above 0. */
  prospect?(index: number): number
  /**
   * The group of one of its vectors: those along which a function's slopes are likely to be of about the same size, such as
   * similar frequencies. Numbers that differ by 1 or 2 are groups much like each other. All are of group 0 if left out.
   */
  group?(index: number): number
  /** True where the vectors change with the key: nothing learned about one holds for the next. */
  readonly changing?: true
  /** Takes more vectors; false where there are no more. What it has now is kept in `memory`. */
  grow?(): boolean
  readonly memory?: Memory | undefined
}

/** A step about to be taken: x - rate direction / sqrt(squares), projected in the metric sqrt(metricSquares). */
export interface Move {
  direction: Vector
  squares: Vector | null
  metricSquares: Vector | null
}

/** What a part remembers beside vectors: numbers, which are saved to the bit, flags, and names such as that of a phase. */
export type State = Record<string, number | boolean | string>

/** Everything a run must remember between iterations, by name. Vectors and state are live: a resumed run writes into them. */
export interface Memory {
  readonly vectors?: Readonly<Record<string, Vector>> | undefined
  /** One plain object, whatever the precision of the run; its fields are there from the beginning. */
  readonly state?: State | undefined
  /** What the parts of a part remember. */
  readonly parts?: Readonly<Record<string, Memory | undefined>> | undefined
}

/** A memory as a checkpoint keeps it: plain data, the name of a part before those of what it remembers, as in `step.first`. */
export interface SavedMemory {
  readonly vectors: Readonly<Record<string, Vector>>
  readonly state: Readonly<State>
}

/** Turns a gradient estimate into a move. */
export interface Step {
  start(at: RunContext): StepState
}

/** A step at work in one run. */
export interface StepState {
  readonly memory: Memory
  /** `point` is where the move starts. */
  apply(move: Move, iteration: number, point: Vector): void
  /** What `apply` does, where a kernel can do it in the same pass as everything else. */
  readonly fused?: FusedStep | undefined
}

/** A step that a kernel knows. */
export interface FusedStep {
  readonly kind: 'plain' | 'sign' | 'maximum' | 'second'
  readonly moments: Moments | null
  readonly beta1: Schedule
  readonly beta2: Schedule
}

/** How a move leaves a point: along straight lines, or along another geometry. */
export interface Mirror {
  start(at: RunContext): MirrorState
}

/** A mirror at work in one run. */
export interface MirrorState {
  advance(x: Vector, rate: number, move: Move): void
  /** Where a straight step and a clip are all there is to it. */
  readonly fused?: { readonly rateFactor: number; readonly bounds: Bounds | undefined } | undefined
}

/** What one of several methods in a row did. */
export interface Phase {
  /** The method. */
  readonly method: string
  /** Why it was chosen. */
  readonly why: string
  readonly queries: number
  /** The best value of the run when it ended, or now. */
  readonly value: number
}

/** A recipe for a whole run. */
export interface Solver {
  start(at: RunContext): Search
  /**
   * Begins with room for a saved memory, which is then copied into that of the search. A method whose memory has the same
   * names and lengths all the time needs none: it begins as always. One in several phases begins the phase at work alone.
   */
  resume?(at: RunContext, saved: SavedMemory): Search
  /** True for a method that needs no slopes: values that only tell success from failure are enough for it. */
  readonly readsLabels?: true | undefined
  /** True for a method that reads `set.space` and asks only points that the set contains; others are given no set that has one. */
  readonly takesMixed?: true | undefined
  /** True for a method that keeps to constraints; others do not see them. */
  readonly takesConstraints?: true | undefined
  /** True for a method that begins from `RunContext.known`, too. */
  readonly takesKnown?: true | undefined
  /** `openKernels`, for a method whose hot loops are worth WebAssembly; plain ones if left out, which make smaller bundles. */
  readonly openKernels?:
    | ((choice: Kernels | 'fastest' | 'scalar', dim: number, precision: Precision) => Kernels)
    | undefined
}

/** The mean of the answers at a point, how many there were (with none the mean is NaN), and the standard deviation of one. */
export interface Estimate {
  readonly mean: number
  readonly answers: number
  readonly deviation: number
}

/** Single queries that are under way together and answered in any order. `open` only reads; `tell` alone advances. */
export interface OpenQueries {
  /**
   * The queries without an answer, oldest first, and new ones until there are `most` or the method has no more to ask. Each has a
   * number of its own, the iteration of its key.
   */
  open(most: number): readonly Queries[]
  /** Takes the answer to one of them; false if it held nothing to move by. */
  tell(number: number, answers: Answers): boolean
}

/** A solver at work. `ask` only reads; `tell` alone advances. */
export interface Search {
  readonly point: Vector
  readonly memory: Memory
  /** Completed iterations. Assigned when a run is resumed. */
  iteration: number
  /** Queries of the next iteration; their number may differ from one to the next. */
  readonly rows: number
  readonly centers: number
  /** How many samples of a stochastic objective each point is asked with; as many as there are centers if left out. */
  readonly samples?: number
  /**
   * True where every row is a point that the run may end with, as in general-purpose methods: then the best answered row
   * counts for the history, the target and the result, not the centers alone. Notes and `reached` stay about centers. Refused
   * with several samples; a method that compares points again because of noise leaves it out.
   */
  readonly candidates?: true | undefined
  /**
   * True where answers vary and the search has seen it: the lowest of them is the luckiest. Then the run ends with `answer`,
   * at the value it has when it is asked again.
   */
  readonly noisy?: true | undefined
  /** What a search that has seen noise knows of the value at the point that it would end with. */
  readonly estimate?: Estimate | undefined
  /** What the search has done so far, for one that puts several methods in a row. */
  readonly phases?: readonly Phase[] | undefined
  ask(): Queries
  /** Advances by one iteration; false where the answers held nothing to move by. */
  tell(answers: Answers): boolean
  /** Counts an iteration that brought no value of the current point, without moving: only a point on trial is given up. */
  skip(): void
  /**
   * Takes the place of `ask` and `tell` in a run with several queries under way, if the method can say what to ask next before all
   * of them are answered. An iteration is then one answer.
   */
  readonly openQueries?: OpenQueries | undefined
  /** What the search would answer now, where that is not the current point; a run ends with its evaluation. */
  readonly answer?: Vector | undefined
  /**
   * True where a search that has ended has no reason to believe in a minimum: its differences promised a gain that no value
   * showed, or saw nothing at all. The function may be rough, or its values rounded.
   */
  readonly isDoubtful?: boolean | undefined
  /** Why the search has nothing more to do, where it knows. */
  readonly finished?: 'converged' | undefined
}

/** One iteration as the session saw it. */
export interface HistoryRecord {
  /** Its number, from 1. */
  readonly iteration: number
  /** Queries answered when the iteration was complete. */
  readonly queries: number
  /** The value at the point of the iteration; NaN where it was not asked or not answered. */
  readonly value: number
  /** The best value so far; NaN before the first. */
  readonly best: number
}

/** Everything a session needs to go on as if it had never stopped: plain data, safe to clone. */
export interface Checkpoint {
  readonly format: 'zeroth-checkpoint'
  readonly version: 1
  /** The solver and the set with all their options, to refuse another run's. */
  readonly solver: string
  readonly set: string
  readonly seed: number
  readonly dim: number
  readonly precision: Precision
  readonly iteration: number
  readonly queries: number
  /** How many of them had been asked when the iteration ended that brought the last gain; `queries` if left out. */
  readonly gained?: number | undefined
  readonly cacheHits: number
  readonly retries: number
  readonly best: { readonly value: number; readonly point: Vector }
  /** The value of the current point, where the run had ended with its evaluation. */
  readonly finalValue: number | null
  /** The largest value seen, for the failure policy `worst`. */
  readonly worst: number
  /** How many queries failed, why the first did, and how many did since the last answer. */
  readonly failures: { readonly count: number; readonly first: unknown; readonly streak?: number | undefined }
  readonly skippedIterations: number
  readonly history: { readonly records: readonly HistoryRecord[]; readonly spacing: number }
  /** What the parts of the run had to say about it. */
  readonly warnings: readonly string[]
  /** What the search remembers, the phase at work included. */
  readonly memory: SavedMemory
  /** What the objective remembers of its answers, where it does: the account of an attack. */
  readonly account?: SavedMemory | undefined
}
