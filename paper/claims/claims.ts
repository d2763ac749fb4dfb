import type { AttackReport } from '../../src/robustness/index.ts'
import { methods, type ProblemName } from '../methods.ts'
import type { ClaimReading, ClaimResult } from '../reproduction/page/claims-section.ts'
import { betaGrid, universalMethods } from '../reproduction/tables/cells.ts'
import {
  commonLimit,
  curveEnd,
  distortionAt,
  type Effort,
  effortToGoal,
  firstSuccess,
  type Limit,
  objectiveAt,
  objectiveCourse,
  pairsOf,
} from '../reproduction/tables/measures.ts'
import { tableA3 } from '../reproduction/tables/published.ts'
import { fewestPairs, paired } from './paired.ts'
import {
  against,
  compared,
  comparedOnce,
  joined,
  limitText,
  notRun,
  type Question,
  type Reports,
  titleOf,
  together,
  unknown,
  withRemark,
} from './readings.ts'

/** The attacks that the claims are about, as far as they have been made. */
export interface ClaimData {
  /** Table A3 by problem and method. */
  readonly perImage: Readonly<Record<ProblemName, Reports>>
  /** Table 2 by method. */
  readonly universal: Reports
  /** Fig. A1 by problem and pair of betas, "0.9 0.3". */
  readonly betas: Readonly<Record<ProblemName | 'universal', Reports>>
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

/** The sum that all methods minimise, low only where loss and distortion both are. */
const lessObjective: Question = { measure: 'objective', value: objectiveAt, wanted: 'less' }

const claims: readonly Claim[] = [
  {
    id: 'C1',
    claim: 'ZO-AdaMM reaches low loss and low distortion together.',
    read: ({ perImage }, by) => against(perImage, adamm, by, lessObjective),
  },
  {
    id: 'C2',
    claim: 'ZO-signSGD and ZO-NES overshoot: their distortion grows after the first success.',
    read: overshoot,
  },
  {
    id: 'C3',
    claim: 'ZO-SCD needs the most iterations to its first success and ends with the largest distortion.',
    read: ({ perImage: { unconstrained } }, by) =>
      joined([
        against({ unconstrained }, 'zo-scd', by, {
          measure: `${by} to first success`,
          value: firstSuccess,
          wanted: 'more',
        }),
        against({ unconstrained }, 'zo-scd', by, { ...fooledDistortion, wanted: 'more' }),
      ]),
  },
  {
    id: 'C4',
    claim:
      'Of the betas searched, beta1 = 0.9 with beta2 = 0.3 or 0.5 performs well, and the largest beta2, 0.9, is not the best.',
    read: goodBetas,
  },
  {
    id: 'C5a',
    claim: 'ZO-AdaMM converges faster than all six others, to its first success.',
    read: ({ perImage }, by) =>
      withRemark(
        against(perImage, adamm, by, { measure: `${by} to first success`, value: firstSuccess, wanted: 'less' }),
        theirOwn,
      ),
  },
  {
    id: 'C5b',
    claim: 'ZO-AdaMM converges faster than all six others, to a solution of high accuracy.',
    read: ({ perImage }, by) => withRemark(accurate(perImage, by), accuracyRemark),
  },
  {
    id: 'C6',
    claim: 'The universal attack of ZO-AdaMM has the highest success rate with the lowest distortion.',
    read: ({ universal }, by) => universally(universal, by, [mostFooled, leastDistortion]),
  },
  {
    id: 'C7',
    claim: 'The universal attack of ZO-AdaMM is the fastest to reach the smallest perturbation.',
    read: ({ universal }, by) => withRemark(universally(universal, by, [soonest, leastDistortion]), accuracyRemark),
  },
  {
    id: 'C8',
    claim: 'Unconstrained, ZO-signSGD and ZO-AdaMM achieve better attacks than ZO-SCD and ZO-SGD.',
    read: ({ perImage: { unconstrained } }, by) => {
      const better = ['zo-sign-sgd', adamm]
      const worse = (name: string): boolean => !better.includes(name)
      return joined(better.map((method) => against({ unconstrained }, method, by, lessObjective, worse)))
    },
  },
  {
    id: 'C9',
    claim: 'Constrained, ZO-AdaMM achieves the best attacks but for a slight drop of the success rate.',
    read: ({ perImage: { constrained } }, by) =>
      joined([
        against({ constrained }, adamm, by, lessObjective),
        against({ constrained }, adamm, by, { ...fooledDistortion, wanted: 'less' }),
        slightDrop(constrained, by),
      ]),
  },
]

/** What the paper's table says of its claim. */
const theirOwn = `The paper's own Table A3 is against it: ${(
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

/** As Table A3 has it: of the images fooled alone. */
const fooledDistortion: Omit<Question, 'wanted'> = {
  measure: 'squared distortion where both fool the model',
  value: (image, limit) => (firstSuccess(image, limit) <= limit.most ? distortionAt(image, limit) : Number.NaN),
}

/** How near the best objective counts as high accuracy, as a share of the way there from the start (More and Wild, 2009). */
const accuracy = 0.1
const accuracyRemark = `High accuracy is an objective within ${100 * accuracy} % of the way from where all begin to the lowest that any of the methods reached, as seen at the places of Fig. 1; one that does not get there counts as if it had right after the limit.`

/** The effort until the objective of an image is about as low as that of any method. */
function accurate(perImage: ClaimData['perImage'], by: Effort): ClaimReading {
  return joined(
    (Object.entries(perImage) as [ProblemName, Reports][]).map(([problem, reports]) => {
      const goals = goalsOf(reports, commonLimit([...reports.values()], by))
      return against({ [problem]: reports }, adamm, by, {
        measure: `${by} to high accuracy`,
        value: ({ curve, index }, limit) =>
          curve === null ? Number.NaN : effortToGoal(curve, limit, goals.get(index) ?? Number.NaN),
        wanted: 'less',
      })
    }),
  )
}

/** The objective of high accuracy for each image. */
function goalsOf(reports: Reports, limit: Limit): Map<number, number> {
  const lowest = new Map<number, number>()
  const starts = new Map<number, number>()
  for (const { images } of reports.values()) {
    for (const { index, curve } of images) {
      if (curve === null) continue
      const { objective } = objectiveCourse(curve, limit)
      starts.set(index, objective[0] ?? Number.NaN)
      lowest.set(index, Math.min(lowest.get(index) ?? Infinity, ...objective))
    }
  }
  return new Map([...lowest].map(([index, best]) => [index, goalFrom(starts.get(index) ?? Number.NaN, best)]))
}

function goalFrom(start: number, best: number): number {
  return best + accuracy * (start - best)
}

/** ZO-AdaMM's success rate may be lower by this much, in no clear contradiction to "slight". */
const slight = 0.1

/** Whether ZO-AdaMM fools no more than slightly fewer images than each other method. */
function slightDrop(reports: Reports, by: Effort): ClaimReading {
  const own = reports.get(adamm)
  if (own === undefined || reports.size < methods.constrained.length) return notRun('constrained')
  const limit = commonLimit([...reports.values()], by)
  return joined(
    [...reports].flatMap(([other, report]): ClaimReading[] => {
      if (other === adamm) return []
      const found = paired(pairsOf(own, report, (image) => (firstSuccess(image, limit) <= limit.most ? 1 : 0)))
      const isKnown = found.pairs >= fewestPairs
      const verdict =
        isKnown && found.low >= -slight ? 'holds' : isKnown && found.high < -slight ? 'does not hold' : unknown
      const names = {
        problem: 'constrained',
        method: titleOf('constrained', adamm),
        other: titleOf('constrained', other),
      }
      const measure = `success rate, at ${limitText(limit)}; a drop of up to ${100 * slight} points is slight`
      return [{ verdict, evidence: [{ ...names, measure, ...found }], remarks: [] }]
    }),
  )
}

/** A comparison of two universal attacks. */
type UniversalQuestion = (
  own: AttackReport,
  report: AttackReport,
  context: { readonly limit: Limit; readonly goal: number },
  names: { readonly problem: string; readonly method: string; readonly other: string },
) => ClaimReading

const mostFooled: UniversalQuestion = (own, report, { limit }, names) =>
  compared(
    names,
    pairsOf(own, report, ({ final }) => (final?.fooled === true ? 1 : 0)),
    { measure: 'success rate', wanted: 'more' },
    limit,
  )

const leastDistortion: UniversalQuestion = (own, report, { limit }, names) => {
  const distortion = ({ universal }: AttackReport): number =>
    universal === null ? Number.NaN : curveEnd(universal.curve, 'l2sq', limit)
  return comparedOnce(
    names,
    [distortion(own), distortion(report)],
    { measure: 'squared distortion', wanted: 'less' },
    limit,
  )
}

const soonest: UniversalQuestion = (own, report, { limit, goal }, names) => {
  const effort = ({ universal }: AttackReport): number =>
    universal === null ? Number.NaN : effortToGoal(universal.curve, limit, goal)
  const question = { measure: `${limit.by} to high accuracy`, wanted: 'less' } as const
  return comparedOnce(names, [effort(own), effort(report)], question, limit)
}

/** Questions on the universal attack of ZO-AdaMM against those of all other methods. */
function universally(reports: Reports, by: Effort, questions: readonly UniversalQuestion[]): ClaimReading {
  const own = reports.get(adamm)
  const curves = [...reports.values()].flatMap(({ universal }) => (universal === null ? [] : [universal.curve]))
  if (own === undefined || curves.length === 0 || reports.size < 2) return notRun('universal')
  const limit = {
    by,
    most: Math.min(...curves.map((curve) => curve[by === 'iterations' ? 'iteration' : by].at(-1) ?? 0)),
  }
  const objectives = curves.map((curve) => objectiveCourse(curve, limit).objective)
  const goal = goalFrom(objectives[0]?.[0] ?? Number.NaN, Math.min(...objectives.flat()))
  const found = [...reports].flatMap(([other, report]): ClaimReading[] => {
    if (other === adamm) return []
    const names = { problem: 'universal', method: titleOf('constrained', adamm), other: titleOf('constrained', other) }
    return questions.map((question) => question(own, report, { limit, goal }, names))
  })
  return joined(reports.size < universalMethods.length ? [...found, notRun('universal')] : found)
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
    const title = titleOf(problem, method)
    const { verdict, evidence } = compared(
      { problem, method: title, other: 'itself at first success' },
      fooled.map((image) => [distortionAt(image, limit), image.first?.l2sq ?? Number.NaN]),
      { measure: 'squared distortion', wanted: 'more' },
      limit,
    )
    // What ZO-AdaMM does is shown beside it, but is no part of the claim.
    return { verdict: counts ? verdict : 'holds', evidence, remarks: keptRemarks(report, `${title}, ${problem}`) }
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

const recommended = ['0.9 0.3', '0.9 0.5']
const largestBeta2 = 0.9

/** Whether the recommended betas are better than the mean of all, and the best of beta2 = 0.9 is worse than the best of the others. */
function goodBetas({ betas }: ClaimData, by: Effort): ClaimReading {
  const readings = (['unconstrained', 'constrained'] as const).map((problem): ClaimReading => {
    const pairs = [...betas[problem]]
    // The mean, or the best, of some of the pairs is not that of all.
    if (pairs.length < betaGrid.length * betaGrid.length) return notRun(problem)
    const limit = commonLimit(
      pairs.map(([, report]) => report),
      by,
    )
    const mean = meanByImage(
      pairs.map(([, report]) => report),
      limit,
    )
    const well = recommended.flatMap((pair): ClaimReading[] => {
      const report = betas[problem].get(pair)
      if (report === undefined) return []
      const values = report.images.map(
        (image) => [objectiveAt(image, limit), mean.get(image.index) ?? Number.NaN] as const,
      )
      return [
        compared({ problem, method: `betas ${pair}`, other: 'the mean of all pairs' }, values, lessObjective, limit),
      ]
    })
    return joined([...well, largeIsWorse(problem, pairs, limit)])
  })
  const universal = lowest([...betas.universal])
  const told =
    universal === undefined ? [] : [`Universal: best at betas ${universal[0]}; one run each, which decides nothing.`]
  return withRemark(
    joined(readings),
    ...told,
    'The paper speaks of beta2 > 0.9, but searched no more than 0.9; so it is read.',
    flattered,
    'One method throughout: equal iterations are equal queries.',
  )
}

const flattered =
  'The best pairs are picked and compared on the same images, which flatters both: the interval does not know of the choice.'

function largeIsWorse(problem: ProblemName, pairs: readonly Pair[], limit: Limit): ClaimReading {
  const isLarge = ([pair]: Pair): boolean => Number(pair.split(' ')[1]) === largestBeta2
  const [large, other] = [lowest(pairs.filter(isLarge)), lowest(pairs.filter((each) => !isLarge(each)))]
  if (large === undefined || other === undefined) return notRun(problem)
  const values = pairsOf(other[1], large[1], (image) => objectiveAt(image, limit))
  return compared({ problem, method: `betas ${other[0]}`, other: `betas ${large[0]}` }, values, lessObjective, limit)
}

/** The mean objective of each image over attacks that all have it. */
function meanByImage(reports: readonly AttackReport[], limit: Limit): Map<number, number> {
  const sums = new Map<number, number>()
  for (const { images } of reports) {
    for (const image of images) {
      sums.set(image.index, (sums.get(image.index) ?? 0) + objectiveAt(image, limit) / reports.length)
    }
  }
  return sums
}

type Pair = readonly [string, AttackReport]

function lowest(pairs: readonly Pair[]): Pair | undefined {
  const value = ([, { summary }]: Pair): number => summary.finalObjective.mean
  const known = pairs.filter((each) => Number.isFinite(value(each)))
  return known.reduce<Pair | undefined>(
    (best, each) => (best === undefined || value(each) < value(best) ? each : best),
    undefined,
  )
}
