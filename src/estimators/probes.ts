import { centerValue } from '../core/answers.ts'
import { ZerothError } from '../core/errors.ts'
import { count, flag, type ScheduleOption, schedule } from '../core/options.ts'
import { part } from '../core/part.ts'
import { sampleDraw } from '../core/samples.ts'
import { scheduleOf } from '../core/schedule.ts'
import type { Answers, Begin, Directions, Estimation, Queries, Vector } from '../core/types.ts'
import type { RowSum } from '../kernels/kernels.ts'
import { anywhere, insideSet } from './placement.ts'

/** Options that every finite-difference estimator shares. */
export const probeOptions = {
  along: part<Directions>('directions', 'begin', 'where the probes lie: sphere(), gaussian(), ...'),
  directions: count('directions per iteration (the paper: q)', 10),
  samples: count('samples per iteration of a stochastic objective (the paper: b)', 1),
  smoothing: schedule('length of the probes (the paper: mu)', 1e-3),
  feasible: flag('keep every probe inside the set', false),
}

interface ProbeSettings {
  readonly along: Directions
  readonly directions: number
  readonly samples: number
  readonly smoothing: ScheduleOption
  readonly feasible: boolean
  readonly twoSided: boolean
  /** Whether the values at x itself are part of the estimate. */
  readonly needsCenter: boolean
  /** Whether single rows are looked at, and not only their sum. */
  readonly looksAtRows?: boolean
}

/** Larger gradient entries would overflow when squared; a difference that large says no more than its sign. */
export const largestGradient = { float64: 1e140, float32: 1e17 }

/** Shorter probes of points near 1 are off by several percent in float32. */
const smallestRadius32 = 1e-4

/** Keeps the sum of differences finite where the values themselves are near the largest numbers there are. */
const largestDifference = 1e300

/**
 * What all finite-difference estimators share: which rows they ask, and how answers become a gradient.
 * Rows in order: for each sample its center (where asked), then for each sample and direction x + mu u and, when
 * two-sided, x - mu u. All samples share the directions, as in eq. (14).
 */
export function probes(at: Begin, settings: ProbeSettings) {
  const { samples, twoSided, feasible } = settings
  const rows = settings.along.begin(at, settings.directions)
  const placement = feasible ? insideSet(at, rows, twoSided) : anywhere(rows)
  const radiusAt = scheduleOf(settings.smoothing)
  const draw = sampleDraw(samples, at.population)
  if (at.precision === 'float32' && radiusAt(1) < smallestRadius32) {
    at.warn(`smoothing ${radiusAt(1)} is small for float32: directions lose digits below ${smallestRadius32}`)
  }
  const sides = twoSided ? 2 : 1
  const perSample = rows.count * sides
  const centers = settings.needsCenter || at.trackBest ? samples : 0
  const { normalScale } = rows
  const needsRows = feasible || (rows.accumulate ?? rows.combine) === undefined || settings.looksAtRows === true
  const ahead = at.kernels.allocate(needsRows ? at.dim : 0, at.precision)
  const behind = at.kernels.allocate(needsRows && twoSided ? at.dim : 0, at.precision)
  const terms = at.kernels.allocate(3 * rows.count, 'float64')
  const slopes = new Float64Array(rows.count)
  const counts = new Uint32Array(rows.count)
  const weights = new Float64Array(rows.count)
  const key = { seed: at.seed, iteration: 0 }
  const sum = { key, antithetic: twoSided, terms, count: 0, kept: null as Vector | null }
  let center: Vector = at.start

  const queries: Queries = {
    key,
    rows: centers + samples * perSample,
    dim: at.dim,
    centers,
    sample: (row) => draw.at(key, row < centers ? row : Math.floor((row - centers) / perSample)),
    write(row, into, offset = 0) {
      checkPlace(queries, row, into, offset)
      if (row < centers) return into.set(center, offset)
      const probe = (row - centers) % perSample
      const sign = probe % sides === 0 ? 1 : -1
      placement.write(center, radiusAt(key.iteration), key, Math.floor(probe / sides), sign, into, offset)
    },
  }

  return {
    directions: rows.count,
    /** The factor that makes an average of one-sided difference quotients an estimate of the gradient; it may change. */
    get factor() {
      return rows.factor
    },
    rows: queries.rows,
    centers,
    samples,
    /** The queries around x, its random numbers taken from the iteration. */
    aim(x: Vector, iteration: number): Queries {
      center = x
      key.iteration = iteration
      return queries
    },
    /** Sums the differences along each direction over the samples, leaving out failed ones; returns how many it kept. */
    differences(answers: Answers): number {
      let kept = 0
      for (let i = 0; i < slopes.length; i++) {
        slopes[i] = 0
        counts[i] = 0
        for (let j = 0; j < samples; j++) {
          const probe = centers + j * perSample + i * sides
          const base = twoSided ? probe + 1 : j
          if (answers.failed[probe] === 1 || answers.failed[base] === 1) continue
          const change = (answers.values[probe] as number) - (answers.values[base] as number)
          slopes[i] = (slopes[i] as number) + limited(change, largestDifference)
          counts[i] = (counts[i] as number) + 1
        }
        kept += counts[i] as number
      }
      return kept
    },
    /** Whether `sum` can stand for `assemble`. */
    isNormalSum: !feasible && normalScale !== undefined && rows.learn === undefined,
    /** scale sum_i slope_i step_i / radius^2 as a sum over normals, or over the rows themselves where they were kept. */
    sum(iteration: number, scale: number, kept: Vector | null): RowSum {
      key.iteration = iteration
      const radius = radiusAt(iteration)
      if (kept !== null && kept.length < queries.rows * at.dim) {
        const needed = `${queries.rows} rows of ${at.dim}`
        throw new ZerothError('invalid-answers', `answers.kept must hold ${needed} numbers, got ${kept.length} in all`)
      }
      const usable = twoSided ? null : kept
      let place = 0
      for (let i = 0; i < slopes.length; i++) {
        const slope = scale * (slopes[i] as number)
        if (slope === 0) continue
        terms[place] = usable === null ? i : centers + i
        terms[place + 1] = usable === null && normalScale !== undefined ? normalScale(key, i, radius) : 0
        terms[place + 2] = weightOf(slope, radius)
        place += 3
      }
      sum.count = place / 3
      sum.kept = usable
      return sum
    },
    /** What the directions remember, and how they are told what became of an iteration. */
    memory: rows.memory,
    learn(x: Vector, answers: Answers): void {
      rows.learn?.(x, centerValue(answers, centers))
    },
    slope: (direction: number): number => slopes[direction] as number,
    /** How many differences that slope is the sum of. */
    kept: (direction: number): number => counts[direction] as number,
    /** The step of one probe as the objective saw it, rounding included: x + mu u minus x (or minus x - mu u). */
    realisedStep(x: Vector, iteration: number, direction: number, into: Vector): void {
      key.iteration = iteration
      into.fill(0)
      placement.write(x, radiusAt(iteration), key, direction, 1, ahead, 0)
      if (twoSided) placement.write(x, radiusAt(iteration), key, direction, -1, behind, 0)
      at.kernels.accumulateRow(ahead, twoSided ? behind : x, 1, into)
    },
    /**
     * gradient = scale sum_i slope_i step_i / radius^2. Directions are made again, not stored, and step_i is the
     * rounded step that the objective saw.
     */
    assemble(x: Vector, iteration: number, scale: number, gradient: Vector): void {
      key.iteration = iteration
      gradient.fill(0)
      const radius = radiusAt(iteration)
      if (!feasible && rows.combine !== undefined) {
        for (let i = 0; i < slopes.length; i++) {
          weights[i] = sides * weightOf(scale * (slopes[i] as number), radius)
        }
        rows.combine(radius, key, weights, gradient)
        return
      }
      for (let i = 0; i < slopes.length; i++) {
        const slope = scale * (slopes[i] as number)
        if (slope === 0) continue
        if (!feasible && rows.accumulate !== undefined) {
          rows.accumulate(x, radius, key, i, weightOf(slope, radius), twoSided, gradient)
          continue
        }
        const used = placement.write(x, radius, key, i, 1, ahead, 0)
        if (twoSided) placement.write(x, radius, key, i, -1, behind, 0)
        at.kernels.accumulateRow(ahead, twoSided ? behind : x, weightOf(slope, used), gradient)
      }
    },
  }

  function weightOf(slope: number, radius: number): number {
    return limited(slope / (radius * radius), largestGradient[at.precision] / (radius * rows.count))
  }
}

/** The estimation around probes; `write` makes the estimate at x of the differences that were kept, so many of them. */
export function estimationOf(
  probing: ReturnType<typeof probes>,
  write: (x: Vector, iteration: number, gradient: Vector, kept: number) => void,
): Estimation {
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
export function averaging(probing: ReturnType<typeof probes>, scale: (kept: number) => number): Estimation {
  return {
    ...estimationOf(probing, (x, iteration, gradient, kept) =>
      probing.assemble(x, iteration, kept === 0 ? 0 : scale(kept), gradient),
    ),
    sum: !probing.isNormalSum
      ? undefined
      : (iteration, answers) => {
          const kept = probing.differences(answers)
          return kept === 0 ? null : probing.sum(iteration, scale(kept), answers.kept ?? null)
        },
  }
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

/** value, held within +-limit. */
function limited(value: number, limit: number): number {
  return Math.min(Math.max(value, -limit), limit)
}
