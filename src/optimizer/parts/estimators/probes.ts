import { centerValue, sampleDraw } from '../../core/answers.ts'
import { ZerothError } from '../../core/errors.ts'
import { scheduleOf } from '../../core/iteration.ts'
import {
  count,
  flag,
  optional,
  type ScheduleOption,
  type ShapeOf,
  schedule,
  type Table,
  table,
  withDefault,
} from '../../core/options.ts'
import { part } from '../../core/part.ts'
import { inwardBounds } from '../../core/space.ts'
import type {
  Answers,
  Bounds,
  Directions,
  DirectionsState,
  EstimatorState,
  Key,
  Queries,
  RunContext,
  Schedule,
  Vector,
} from '../../core/types.ts'
import type { RowSum } from '../../kernels/kernels.ts'

const declared = table({
  /** Where the probes lie: sphere(), gaussian(), ... */
  along: part<Directions>('directions', 'start'),
  /** Directions per iteration (the paper: q). At least 1; default 10. */
  directions: withDefault(count, 10),
  /** Samples per iteration of a stochastic objective (the paper: b). At least 1; default 1. */
  samples: withDefault(count, 1),
  /** Length of the probes (the paper: mu). */
  smoothing: withDefault(schedule, 1e-3),
  /** Keep every probe inside the set; if left out, only where the set is a box. */
  feasible: optional(flag),
})

export type ProbeShape = ShapeOf<typeof declared>

/** Options that every finite-difference estimator shares. */
export const probeOptions: Table<ProbeShape> = declared

interface ProbeSettings {
  readonly along: Directions
  readonly directions: number
  readonly samples: number
  readonly smoothing: ScheduleOption
  readonly feasible?: boolean | undefined
  readonly twoSided: boolean
  /** Whether the values at x itself are part of the estimate. */
  readonly needsCenter: boolean
  /** Whether single rows are needed, and not only their sum. */
  readonly looksAtRows?: boolean
}

/** Shorter probes of points near 1 are off by several percent in float32. */
const smallestRadius32 = 1e-4

/** What all finite-difference estimators share: which rows they ask, and how answers become a gradient. */
export function probes(at: RunContext, settings: ProbeSettings) {
  const { samples, twoSided, needsCenter, looksAtRows } = settings
  const feasible = isInside(at, settings.feasible)
  const rows = settings.along.start(at, settings.directions)
  const placement = feasible ? insideSet(at, rows, twoSided) : anywhere(rows)
  const radiusAt = visible(at, rows.factor, scheduleOf(settings.smoothing))
  warnOfSmall(at, radiusAt(1))
  const centers = needsCenter || at.trackBest ? samples : 0
  const probing = new ProbeRows(at, { directions: rows.count, samples, centers, twoSided }, placement, radiusAt)
  const sums = new ProbeSums(at, { probing, rows, placement, radiusAt, feasible, twoSided, looksAtRows })
  return {
    sums,
    directions: rows.count,
    /** The factor that makes an average of one-sided difference quotients an estimate of the gradient; it may change. */
    get factor() {
      return rows.factor
    },
    rows: probing.queries.rows,
    centers,
    samples,
    aim: (x: Vector, iteration: number): Queries => probing.aim(x, iteration),
    differences: (answers: Answers): number => probing.differences(answers),
    slope: (direction: number): number => probing.slopes[direction] as number,
    /** How many differences that slope is the sum of. */
    kept: (direction: number): number => probing.counts[direction] as number,
    realisedStep: sums.realisedStep.bind(sums),
    /** What the directions remember, and how they are told what became of an iteration. */
    memory: rows.memory,
    learn(x: Vector, answers: Answers): void {
      rows.learn?.(x, centerValue(answers, centers))
    },
  }
}

/** Probes long enough for a model that sees multiples of a step only: one step in every variable. */
function visible({ attack, warn }: RunContext, factor: number, radiusAt: Schedule): Schedule {
  const { grid } = attack ?? {}
  if (grid === undefined) return radiusAt
  const least = grid * Math.sqrt(factor)
  if (radiusAt(1) < least) warn(`the model takes bytes: smoothing is raised from ${radiusAt(1)} to ${least}`)
  return (iteration) => Math.max(radiusAt(iteration), least)
}

function warnOfSmall({ precision, warn }: RunContext, radius: number): void {
  if (precision === 'float64' || radius >= smallestRadius32) return
  warn(`smoothing ${radius} is small for float32: directions lose digits below ${smallestRadius32}`)
}

/** The estimation around probes; `write` makes the estimate at x of the differences that were kept and their number. */
export function estimationOf(
  probing: ReturnType<typeof probes>,
  write: (x: Vector, iteration: number, gradient: Vector, kept: number) => void,
): EstimatorState {
  return {
    rows: probing.rows,
    centers: probing.centers,
    samples: probing.samples,
    queries: probing.aim,
    estimate(x, iteration, answers, gradient) {
      const kept = probing.differences(answers)
      write(x, iteration, gradient, kept)
      probing.learn(x, answers)
      return kept
    },
    memory: probing.memory,
  }
}

/** The estimation that averages difference quotients; `scale` turns a sum of so many differences into the estimate. */
export function averaging(probing: ReturnType<typeof probes>, scale: (kept: number) => number): EstimatorState {
  return {
    ...estimationOf(probing, (x, iteration, gradient, kept) =>
      probing.sums.assemble(x, iteration, kept === 0 ? 0 : scale(kept), gradient),
    ),
    sum: !probing.sums.isNormalSum
      ? undefined
      : (iteration, answers) => {
          const kept = probing.differences(answers)
          return kept === 0 ? null : probing.sums.sum(iteration, scale(kept), answers.rowBuffer ?? null)
        },
  }
}

/** How often the smoothing radius is halved in search of a feasible query before the query is projected instead. */
const halvings = 8

/** Whether probes keep to the set: as the option says, otherwise in boxes, where it costs next to nothing. */
export function isInside({ set }: RunContext, feasible: boolean | undefined): boolean {
  return feasible ?? (set.bounds !== undefined && set.probesMayLeave !== true)
}

/** Where probe rows lie around x. */
interface Placement {
  /** Writes x + sign * radius * u (moved into the set if asked for) and returns the radius it used. */
  write(x: Vector, radius: number, key: Key, direction: number, sign: 1 | -1, into: Vector, offset: number): number
}

/** Queries exactly at x +- radius u, inside the set or not: what the paper and its reference code do. */
function anywhere(rows: DirectionsState): Placement {
  return {
    write(x, radius, key, direction, sign, into, offset) {
      rows.write(x, sign * radius, key, direction, into, offset)
      return radius
    },
  }
}

/**
 * Queries that never leave the set.
 * In a box: a one-sided probe turns round each coordinate that would leave (u_i becomes -u_i), a two-sided probe is
 * clipped, which keeps its signs. Turned coordinates are correlated, so near a corner the estimate is biased.
 * In other sets: the whole direction is turned (which changes nothing in u u^T), then its radius halved; at a corner
 * where that does not help the query is projected. The estimate uses the step really taken in every case.
 */
function insideSet(at: RunContext, rows: DirectionsState, twoSided: boolean): Placement {
  const bounds = inwardBounds(at)
  return bounds === undefined ? insideShape(at, rows, twoSided) : insideBox(at, rows, bounds, twoSided)
}

function insideBox(
  { kernels, dim, precision }: RunContext,
  rows: DirectionsState,
  bounds: Bounds,
  twoSided: boolean,
): Placement {
  const candidate = kernels.allocate(dim, precision)
  const { lower, upper } = bounds
  return {
    write(x, radius, key, direction, sign, into, offset) {
      // Where the row lies in the memory of the kernels, it is written there at once.
      const isOurs = into.buffer === candidate.buffer && into.BYTES_PER_ELEMENT === candidate.BYTES_PER_ELEMENT
      const [row, at] = isOurs ? [into, offset] : [candidate, 0]
      rows.write(x, sign * radius, key, direction, row, at)
      kernels.confine(x, lower, upper, !twoSided, row, at)
      if (!isOurs) into.set(row, offset)
      return radius
    },
  }
}

/** Inside a set that is no box. */
function insideShape(
  { kernels, dim, precision, set }: RunContext,
  rows: DirectionsState,
  twoSided: boolean,
): Placement {
  const candidate = kernels.allocate(dim, precision)
  const opposite = kernels.allocate(dim, precision)
  const scratch = new Float64Array(set.scratchSize(dim))

  /** The signed radius at which the probe, and its mirror image if two-sided, lie inside; 0 where none was found. */
  const feasibleRadius = (x: Vector, radius: number, key: Key, direction: number): number => {
    for (let halving = 0, r = radius; halving <= halvings; halving++, r /= 2) {
      rows.write(x, r, key, direction, candidate, 0)
      rows.write(x, -r, key, direction, opposite, 0)
      const ahead = set.contains(candidate)
      const behind = set.contains(opposite)
      if (twoSided ? ahead && behind : ahead) return r
      if (!twoSided && behind) return -r
    }
    return 0
  }

  return {
    write(x, radius, key, direction, sign, into, offset) {
      const signed = feasibleRadius(x, radius, key, direction)
      rows.write(x, sign * (signed === 0 ? radius : signed), key, direction, candidate, 0)
      if (signed === 0) set.project(candidate, null, scratch)
      into.set(candidate, offset)
      return signed === 0 ? radius : Math.abs(signed)
    },
  }
}

/** How the rows of an iteration are counted. */
interface ProbeLayout {
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
class ProbeRows {
  readonly queries: Queries
  readonly key: { readonly seed: number; iteration: number }
  /** The sum of the differences along each direction, and how many they are. */
  readonly slopes: Float64Array
  readonly counts: Uint32Array
  readonly #layout: ProbeLayout
  readonly #perSample: number
  #center: Vector

  constructor(at: RunContext, layout: ProbeLayout, placement: Placement, radiusAt: Schedule) {
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

  #asking(at: RunContext, placement: Placement, radiusAt: Schedule): Queries {
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
      buffer: () => {
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
function sidesOf({ twoSided }: { readonly twoSided: boolean }): 1 | 2 {
  return twoSided ? 2 : 1
}

/** value, held within +-limit. */
function limited(value: number, limit: number): number {
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

/** Larger gradient entries would overflow when squared; a difference that large says no more than its sign. */
export const largestGradient = { float64: 1e140, float32: 1e17 }

/** What a sum over probes is made from. */
interface SumParts {
  readonly probing: ProbeRows
  readonly rows: DirectionsState
  readonly placement: Placement
  readonly radiusAt: Schedule
  readonly feasible: boolean
  readonly twoSided: boolean
  /** Whether single rows are used, and not only their sum. */
  readonly looksAtRows?: boolean | undefined
}

/** Turns the differences along directions into a gradient. Directions are made again, not stored. */
class ProbeSums {
  readonly #at: RunContext
  readonly #parts: SumParts
  readonly #ahead: Vector
  readonly #behind: Vector
  readonly #weights: Float64Array
  readonly #terms: Vector
  readonly #sum: { count: number; kept: Vector | null } & Pick<RowSum, 'key' | 'antithetic' | 'inside' | 'terms'>

  constructor(at: RunContext, parts: SumParts) {
    const { rows, feasible, twoSided, looksAtRows, probing } = parts
    const { kernels, dim, precision } = at
    const needsRows = feasible || (rows.accumulate ?? rows.combine) === undefined || looksAtRows === true
    this.#at = at
    this.#parts = parts
    this.#ahead = kernels.allocate(needsRows ? dim : 0, precision)
    this.#behind = kernels.allocate(needsRows && twoSided ? dim : 0, precision)
    this.#terms = kernels.allocate(3 * rows.count, 'float64')
    this.#weights = new Float64Array(rows.count)
    const sum = { key: probing.key, antithetic: twoSided, inside: feasible, terms: this.#terms }
    this.#sum = { ...sum, count: 0, kept: null }
  }

  /** Whether `sum` can stand for `assemble`. */
  get isNormalSum(): boolean {
    const { feasible, rows } = this.#parts
    const isPlain = !feasible || this.#at.set.bounds !== undefined
    return isPlain && rows.normalScale !== undefined && rows.learn === undefined
  }

  /** scale sum_i slope_i step_i / radius^2 as a sum over normals, or over the rows themselves where they were kept. */
  sum(iteration: number, scale: number, kept: Vector | null): RowSum {
    const { probing, radiusAt, twoSided, rows } = this.#parts
    const { key, slopes, queries } = probing
    key.iteration = iteration
    this.#checkKept(kept)
    const radius = radiusAt(iteration)
    const usable = twoSided ? null : kept
    let place = 0
    for (let i = 0; i < slopes.length; i++) {
      const slope = scale * (slopes[i] as number)
      if (slope === 0) continue
      this.#terms[place] = usable === null ? i : queries.centers + i
      this.#terms[place + 1] = usable === null ? (rows.normalScale?.(key, i, radius) ?? 0) : 0
      this.#terms[place + 2] = this.#weightOf(slope, radius)
      place += 3
    }
    this.#sum.count = place / 3
    this.#sum.kept = usable
    return this.#sum
  }

  /** gradient = scale sum_i slope_i step_i / radius^2, where step_i is the rounded step that the objective saw. */
  assemble(x: Vector, iteration: number, scale: number, gradient: Vector): void {
    const { probing, feasible, rows, radiusAt, twoSided } = this.#parts
    probing.key.iteration = iteration
    gradient.fill(0)
    const radius = radiusAt(iteration)
    if (!feasible && rows.combine !== undefined) {
      for (let i = 0; i < probing.slopes.length; i++) {
        const slope = scale * (probing.slopes[i] as number)
        this.#weights[i] = sidesOf(this.#parts) * this.#weightOf(slope, radius)
      }
      rows.combine(radius, probing.key, this.#weights, gradient)
      return
    }
    for (let i = 0; i < probing.slopes.length; i++) {
      const slope = scale * (probing.slopes[i] as number)
      if (slope === 0) continue
      if (feasible || rows.accumulate === undefined) this.#addStep(x, i, slope, gradient)
      else rows.accumulate(x, radius, probing.key, i, this.#weightOf(slope, radius), twoSided, gradient)
    }
  }

  /** The step of one probe as the objective saw it, rounding included: x + mu u minus x (or minus x - mu u). */
  realisedStep(x: Vector, iteration: number, direction: number, into: Vector): void {
    this.#parts.probing.key.iteration = iteration
    into.fill(0)
    this.#place(x, direction)
    this.#at.kernels.accumulateRow(this.#ahead, this.#parts.twoSided ? this.#behind : x, 1, into)
  }

  #addStep(x: Vector, direction: number, slope: number, gradient: Vector): void {
    const weight = this.#weightOf(slope, this.#place(x, direction))
    this.#at.kernels.accumulateRow(this.#ahead, this.#parts.twoSided ? this.#behind : x, weight, gradient)
  }

  /** Writes the probes along a direction again; returns the radius that they were placed with. */
  #place(x: Vector, direction: number): number {
    const { placement, probing, radiusAt, twoSided } = this.#parts
    const { key } = probing
    const radius = radiusAt(key.iteration)
    const used = placement.write(x, radius, key, direction, 1, this.#ahead, 0)
    if (twoSided) placement.write(x, radius, key, direction, -1, this.#behind, 0)
    return used
  }

  #weightOf(slope: number, radius: number): number {
    const { count } = this.#parts.rows
    return limited(slope / (radius * radius), largestGradient[this.#at.precision] / (radius * count))
  }

  #checkKept(kept: Vector | null): void {
    const { rows, dim } = this.#parts.probing.queries
    if (kept === null || kept.length >= rows * dim) return
    throw new ZerothError('invalid-answers', `answers.kept needs ${rows} rows of ${dim}, got ${kept.length} numbers`)
  }
}
