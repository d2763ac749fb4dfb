import type { AttackReport, ImageRecord } from '../../src/robustness/index.ts'
import { methodOf, methods, type ProblemName } from '../methods.ts'
import type { ClaimEvidence, ClaimReading, ClaimVerdict } from '../reproduction/page/claims-section.ts'
import { commonLimit, type Effort, type Limit, pairsOf } from '../reproduction/tables/measures.ts'
import { type Paired, paired } from './paired.ts'

/** Attacks by method. */
export type Reports = ReadonlyMap<string, AttackReport>

/** What is asked of two attacks, image by image. */
export interface Question {
  readonly measure: string
  /** NaN leaves an image out. */
  readonly value: (image: ImageRecord, limit: Limit) => number
  readonly wanted: 'less' | 'more'
}

export const unknown: ClaimVerdict = 'cannot be said from this scale'

/** Whether a method has less, or more, of something than every other method, or some of them, in every problem. */
export function against(
  problems: Readonly<Partial<Record<ProblemName, Reports>>>,
  method: string,
  by: Effort,
  question: Question,
  rivals: (name: string) => boolean = () => true,
): ClaimReading {
  const readings = (Object.entries(problems) as [ProblemName, Reports][]).map(([problem, reports]) => {
    const own = reports.get(method)
    const others = [...reports].filter(([name]) => name !== method && rivals(name))
    if (own === undefined || others.length === 0) return notRun(problem)
    const limit = commonLimit([...reports.values()], by)
    const found = joined(
      others.map(([other, report]) =>
        compared(
          { problem, method: titleOf(problem, method), other: titleOf(problem, other) },
          pairsOf(own, report, (image) => question.value(image, limit)),
          question,
          limit,
        ),
      ),
    )
    return reports.size < methods[problem].length ? joined([found, notRun(problem)]) : found
  })
  return joined(readings)
}

/** One line of evidence, and the verdict it gives. */
export function compared(
  names: Pick<ClaimEvidence, 'problem' | 'method' | 'other'>,
  pairs: readonly (readonly [number, number])[],
  { measure, wanted }: Pick<Question, 'measure' | 'wanted'>,
  limit: Limit,
): ClaimReading {
  const found = paired(pairs)
  const evidence = [{ ...names, measure: `${measure}, at ${limitText(limit)}`, ...found }]
  return { verdict: verdictOf(found, wanted), evidence, remarks: [] }
}

/** The share of its value that a quantity of which there is one per method must differ by to count. */
const clearShare = 0.1

/** What a comparison of single values rests on. */
const singleRemark = `There is one perturbation, and one seed, for each method: its distortion and its speed have no interval, and differences of them count above ${100 * clearShare} %.`

/** One line of evidence of two methods that have one value each. */
export function comparedOnce(
  names: Pick<ClaimEvidence, 'problem' | 'method' | 'other'>,
  [own, other]: readonly [number, number],
  { measure, wanted }: Pick<Question, 'measure' | 'wanted'>,
  limit: Limit,
): ClaimReading {
  const isKnown = Number.isFinite(own) && Number.isFinite(other)
  const isClear = isKnown && Math.abs(own - other) > clearShare * Math.max(Math.abs(own), Math.abs(other))
  const direction = !isClear ? 'unclear' : own < other ? 'less' : 'more'
  const found = { pairs: 1, mean: own, otherMean: other, difference: own - other, low: Number.NaN, high: Number.NaN }
  const evidence = [{ ...names, measure: `${measure}, at ${limitText(limit)}`, ...found, direction } as const]
  return { verdict: verdictOf({ direction }, wanted), evidence, remarks: [singleRemark] }
}

function verdictOf({ direction }: Pick<Paired, 'direction'>, wanted: 'less' | 'more'): ClaimVerdict {
  if (direction === 'unclear') return unknown
  return direction === wanted ? 'holds' : 'does not hold'
}

/** All must hold; one that does not is enough against it. */
export function together(verdicts: readonly ClaimVerdict[]): ClaimVerdict {
  if (verdicts.includes('does not hold')) return 'does not hold'
  return verdicts.length > 0 && verdicts.every((each) => each === 'holds') ? 'holds' : unknown
}

/** Readings that must all hold, as one. */
export function joined(readings: readonly ClaimReading[]): ClaimReading {
  return {
    verdict: together(readings.map(({ verdict }) => verdict)),
    evidence: readings.flatMap(({ evidence }) => evidence),
    remarks: [...new Set(readings.flatMap(({ remarks }) => remarks))],
  }
}

export function withRemark(reading: ClaimReading, ...remarks: readonly string[]): ClaimReading {
  return { ...reading, remarks: [...reading.remarks, ...remarks] }
}

export function notRun(problem: string): ClaimReading {
  return { verdict: unknown, evidence: [], remarks: [`The attacks of the ${problem} problem have not all been made.`] }
}

export function limitText({ by, most }: Limit): string {
  return `${most.toLocaleString('en')} ${by}`
}

export function titleOf(problem: ProblemName, method: string): string {
  return methodOf(problem, method).title
}
