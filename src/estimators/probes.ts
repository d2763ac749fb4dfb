import { centerValue } from '../core/answers.ts'
import { count, flag, optional, type ScheduleOption, schedule } from '../core/options.ts'
import { part } from '../core/part.ts'
import { scheduleOf } from '../core/schedule.ts'
import type { Answers, Begin, Directions, Estimation, Queries, Schedule, Vector } from '../core/types.ts'
import { anywhere, insideSet, isInside } from './placement.ts'
import { ProbeRows } from './probe-rows.ts'
import { ProbeSums } from './probe-sums.ts'

/** Options that every finite-difference estimator shares. */
export const probeOptions = {
  along: part<Directions>('directions', 'begin', 'where the probes lie: sphere(), gaussian(), ...'),
  directions: count('directions per iteration (the paper: q)', 10),
  samples: count('samples per iteration of a stochastic objective (the paper: b)', 1),
  smoothing: schedule('length of the probes (the paper: mu)', 1e-3),
  feasible: optional(flag('keep every probe inside the set; if left out, only where the set is a box')),
}

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
export function probes(at: Begin, settings: ProbeSettings) {
  const { samples, twoSided, needsCenter, looksAtRows } = settings
  const feasible = isInside(at, settings.feasible)
  const rows = settings.along.begin(at, settings.directions)
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
function visible({ attack, warn }: Begin, factor: number, radiusAt: Schedule): Schedule {
  const { grid } = attack ?? {}
  if (grid === undefined) return radiusAt
  const least = grid * Math.sqrt(factor)
  if (radiusAt(1) < least) warn(`the model takes bytes: smoothing is raised from ${radiusAt(1)} to ${least}`)
  return (iteration) => Math.max(radiusAt(iteration), least)
}

function warnOfSmall({ precision, warn }: Begin, radius: number): void {
  if (precision === 'float64' || radius >= smallestRadius32) return
  warn(`smoothing ${radius} is small for float32: directions lose digits below ${smallestRadius32}`)
}

/** The estimation around probes; `write` makes the estimate at x of the differences that were kept and their number. */
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
      probing.sums.assemble(x, iteration, kept === 0 ? 0 : scale(kept), gradient),
    ),
    sum: !probing.sums.isNormalSum
      ? undefined
      : (iteration, answers) => {
          const kept = probing.differences(answers)
          return kept === 0 ? null : probing.sums.sum(iteration, scale(kept), answers.kept ?? null)
        },
  }
}
