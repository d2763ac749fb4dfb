import type { AttackReport } from '../../src/attacks/index.ts'
import { methodOf, methods, type ProblemName } from '../methods.ts'
import type { ClaimEvidence, ClaimReading, ClaimResult, ClaimVerdict } from '../reproduction/page/claims-section.ts'
import { betaGrid } from '../reproduction/tables/cells.ts'
import {
  commonLimit,
  distortionAt,
  type Effort,
  firstSuccess,
  type Limit,
  objectiveAt,
  pairsOf,
} from '../reproduction/tables/measures.ts'
import { tableA3 } from '../reproduction/tables/published.ts'
import { type Paired, paired } from './paired.ts'

/** The attacks that the claims are about, as far as they have been made. */
export interface ClaimData {
  /** Table A3 by problem and method. */
  readonly perImage: Readonly<Record<ProblemName, ReadonlyMap<string, AttackReport>>>
  /** Fig. A1 by problem and pair of betas, "0.9 0.3". */
  readonly betas: Readonly<Record<ProblemName | 'universal', ReadonlyMap<string, AttackReport>>>
}

/** The verdict on each claim of the paper, at equal iterations and at equal queries. */
export function judgeClaims(data: ClaimData): ClaimResult[] {
  return claims.map(({ id, claim, read }) => {
    const [iterations, queries] = (['iterations', 'queries'] as const).map((by) => read(data, by)) as [
      ClaimReading,
      ClaimReading,
    ]
    return { id, claim, verdict: together([iterations.verdict, queries.verdict]), iterations, queries }
  })
}

interface Claim {
  readonly id: string
  readonly claim: string
  read(data: ClaimData, by: Effort): ClaimReading
}

const adamm = 'zo-adamm'

const claims: readonly Claim[] = [
  {
    id: 'C1',
    claim: 'ZO-AdaMM reaches low loss and low distortion together.',
    // The sum that all methods minimise is low only where both are.
    read: ({ perImage }, by) =>
      against(perImage, adamm, by, { measure: 'objective', value: objectiveAt, wanted: 'less' }),
  },
  {
    id: 'C2',
    claim: 'ZO-signSGD and ZO-NES overshoot: their distortion grows after the first success.',
    read: overshoot,
  },
  {
    id: 'C3',
    claim: 'ZO-SCD needs the most iterations to its first success.',
    read: ({ perImage: { unconstrained } }, by) =>
      against({ unconstrained }, 'zo-scd', by, {
        measure: `${by} to first success`,
        value: firstSuccess,
        wanted: 'more',
      }),
  },
  { id: 'C4', claim: 'The best beta2 is small (0.3 to 0.5), the best beta1 is 0.9.', read: bestBetas },
  {
    id: 'C5',
    claim: 'ZO-AdaMM converges much faster than all six others.',
    read: ({ perImage }, by) =>
      withRemark(
        against(perImage, adamm, by, { measure: `${by} to first success`, value: firstSuccess, wanted: 'less' }),
        theirOwn,
      ),
  },
]

/** What the paper's table says of its claim. */
const theirOwn = `Read as: it needs less to its first success. So read, the paper's own Table A3 is against it: ${(
  [
    ['unconstrained', 'zo-sgd'],
    ['constrained', 'zo-psgd'],
  ] as const
)
  .map(([problem, other]) => {
    const [theirs, own] = [tableA3[problem][other], tableA3[problem][adamm]].map((each) => each?.firstIterations)
    return `${problem}, ${titleOf(problem, other)} needs ${theirs} iterations, ${titleOf(problem, adamm)} ${own}`
  })
  .join('; ')}.`

interface Question {
  readonly measure: string
  readonly value: (image: AttackReport['images'][number], limit: Limit) => number
  readonly wanted: 'less' | 'more'
}

/** Whether a method has less, or more, of something than every other method, in every problem. */
function against(
  problems: Readonly<Partial<ClaimData['perImage']>>,
  method: string,
  by: Effort,
  { measure, value, wanted }: Question,
): ClaimReading {
  const readings = (Object.entries(problems) as [ProblemName, ReadonlyMap<string, AttackReport>][]).map(
    ([problem, reports]) => {
      const own = reports.get(method)
      const others = [...reports].filter(([name]) => name !== method)
      if (own === undefined || others.length === 0) return notRun(problem)
      const limit = commonLimit([...reports.values()], by)
      const evidence = others.map(([other, report]): ClaimEvidence => {
        const found = paired(pairsOf(own, report, (image) => value(image, limit)))
        const names = { problem, method: titleOf(problem, method), other: titleOf(problem, other) }
        return { ...names, measure: `${measure}, at ${limitText(limit)}`, ...found }
      })
      const found = { verdict: together(evidence.map((each) => verdictOf(each, wanted))), evidence, remarks: [] }
      return reports.size < methods[problem].length ? joined([found, notRun(problem)]) : found
    },
  )
  return joined(readings)
}

function withRemark(reading: ClaimReading, remark: string): ClaimReading {
  return { ...reading, remarks: [...reading.remarks, remark] }
}

/** The distortion at the end against that at the first success, of the images that were fooled. */
function overshoot({ perImage }: ClaimData, by: Effort): ClaimReading {
  const subjects = [
    ['unconstrained', 'zo-sign-sgd', true],
    ['constrained', 'zo-nes', true],
    ['unconstrained', adamm, false],
    ['constrained', adamm, false],
  ] as const
  const readings = subjects.map(([problem, method, counts]): ClaimReading => {
    const report = perImage[problem].get(method)
    if (report === undefined) return counts ? notRun(problem) : { verdict: 'holds', evidence: [], remarks: [] }
    const limit = commonLimit([...perImage[problem].values()], by)
    const fooled = report.images.filter((image) => firstSuccess(image, limit) <= limit.most)
    const found = paired(fooled.map((image) => [distortionAt(image, limit), image.first?.l2sq ?? Number.NaN]))
    const title = titleOf(problem, method)
    const names = { problem, method: title, other: 'itself at first success' }
    const evidence = [{ ...names, measure: `squared distortion, at ${limitText(limit)}`, ...found }]
    const remarks = keptRemarks(report, `${title}, ${problem}`)
    // What ZO-AdaMM does is shown beside it, but is no part of the claim.
    return { verdict: counts ? verdictOf(found, 'more') : 'holds', evidence, remarks }
  })
  return joined(readings)
}

/** How many successes last, and how the distortion of those alone went. */
function keptRemarks({ summary: { kept }, images }: AttackReport, name: string): string[] {
  if (Number.isNaN(kept)) return []
  const lasting = images.filter(({ first, final }) => first !== null && final?.fooled === true)
  const { mean, otherMean } = paired(lasting.map(({ first, final }) => [first?.l2sq ?? 0, final?.l2sq ?? 0]))
  const of = lasting.length === 0 ? '' : `; their squared distortion: ${short(mean)} at first, ${short(otherMean)} then`
  return [`${name}: ${Math.round(100 * kept)} % of the images it fooled still fool the model at its end${of}.`]
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)))
}

/** Whether the best pair of betas is one of those the paper recommends. */
function bestBetas({ betas }: ClaimData, by: Effort): ClaimReading {
  const readings = (['unconstrained', 'constrained'] as const).map((problem): ClaimReading => {
    const pairs = [...betas[problem]]
    const best = lowest(pairs)
    const isMeant = ([pair]: readonly [string, unknown]): boolean => recommended.includes(pair)
    const rival = best === undefined ? undefined : lowest(pairs.filter((each) => isMeant(each) !== isMeant(best)))
    // The best of some of the pairs is not the best.
    const isWhole = pairs.length === betaGrid.length * betaGrid.length
    if (best === undefined || rival === undefined || !isWhole) return notRun(problem)
    const limit = commonLimit([best[1], rival[1]], by)
    const found = paired(pairsOf(best[1], rival[1], (image) => objectiveAt(image, limit)))
    const names = { problem, method: `betas ${best[0]}`, other: `betas ${rival[0]}` }
    const evidence = [{ ...names, measure: `objective, at ${limitText(limit)}`, ...found }]
    const sure = found.direction === 'less'
    return { verdict: sure ? (isMeant(best) ? 'holds' : 'does not hold') : unknown, evidence, remarks: [] }
  })
  const universal = lowest([...betas.universal])
  const told =
    universal === undefined ? [] : [`Universal: best at betas ${universal[0]}; one run each, which decides nothing.`]
  const { verdict, evidence, remarks } = joined(readings)
  return {
    verdict,
    evidence,
    remarks: [...remarks, ...told, flattered, 'One method throughout: equal iterations are equal queries.'],
  }
}

const recommended = ['0.9 0.3', '0.9 0.5']
const flattered =
  'The best of 25 pairs is picked and compared on the same images, which flatters it: the interval does not know of the choice.'
const unknown: ClaimVerdict = 'cannot be said from this scale'

function lowest(pairs: readonly (readonly [string, AttackReport])[]): readonly [string, AttackReport] | undefined {
  const value = ([, { summary }]: readonly [string, AttackReport]): number => summary.finalObjective.mean
  const known = pairs.filter((each) => Number.isFinite(value(each)))
  return known.reduce<(typeof known)[number] | undefined>(
    (best, each) => (best === undefined || value(each) < value(best) ? each : best),
    undefined,
  )
}

function verdictOf({ direction }: Paired | ClaimEvidence, wanted: 'less' | 'more'): ClaimVerdict {
  if (direction === 'unclear') return unknown
  return direction === wanted ? 'holds' : 'does not hold'
}

/** All must hold; one that does not is enough against it. */
function together(verdicts: readonly ClaimVerdict[]): ClaimVerdict {
  if (verdicts.includes('does not hold')) return 'does not hold'
  return verdicts.length > 0 && verdicts.every((each) => each === 'holds') ? 'holds' : unknown
}

function joined(readings: readonly ClaimReading[]): ClaimReading {
  return {
    verdict: together(readings.map(({ verdict }) => verdict)),
    evidence: readings.flatMap(({ evidence }) => evidence),
    remarks: [...new Set(readings.flatMap(({ remarks }) => remarks))],
  }
}

function notRun(problem: string): ClaimReading {
  return { verdict: unknown, evidence: [], remarks: [`The attacks of the ${problem} problem have not all been made.`] }
}

function limitText({ by, most }: Limit): string {
  return `${most.toLocaleString('en')} ${by}`
}

function titleOf(problem: ProblemName, method: string): string {
  return methodOf(problem, method).title
}
