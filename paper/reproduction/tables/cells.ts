import { methods, type ProblemName, paperRate, smoothing } from '../../methods.ts'
import type { Cell, Plain } from './experiment.ts'
import type { Plan, Size } from './plan.ts'

/** The weight of the attack loss in all experiments of the paper. */
export const lambda = 10

/** The betas of the paper's search. */
export const betaGrid: readonly number[] = [0.1, 0.3, 0.5, 0.7, 0.9]

/** The two problems in the order of Table A3. */
export const problems: readonly ProblemName[] = ['unconstrained', 'constrained']

/** All methods, in the order of their colours: the same one in every figure. */
export const methodTitles: readonly string[] = [
  ...new Set(problems.flatMap((problem) => methods[problem].map(({ title }) => title))),
]

/** The methods of the universal attack, which is the constrained problem, in the order of Table 2. */
export const universalMethods = methods.constrained

/** One attack of each image. */
export function perImageCell(plan: Plan, problem: ProblemName, method: string, learningRate: number): Cell {
  const solver = { ...solverOf(plan, method, false), learningRate: paperRate(learningRate) }
  return cell(plan, `per-image-${problem}-${method}`, plan.sizes.perImage, { problem, solver })
}

/** A rate of Table A1, on images that are not reported on where there are such. */
export function searchCell(plan: Plan, problem: ProblemName, method: string, learningRate: number): Cell {
  const tried = asTried(method, learningRate)
  const solver = { ...solverOf(plan, tried.method, false), learningRate: paperRate(tried.learningRate) }
  const name = `search-${problem}-${tried.method}-${rateText(tried.learningRate)}`
  return cell(plan, name, plan.sizes.search, { ...tuningImages(plan), problem, solver })
}

/** A rate of Table A2. */
export function universalSearchCell(plan: Plan, method: string, learningRate: number): Cell {
  const tried = asTried(method, learningRate)
  const solver = { ...solverOf(plan, tried.method, true), learningRate: paperRate(tried.learningRate) }
  const name = `search-universal-${tried.method}-${rateText(tried.learningRate)}`
  return cell(plan, name, plan.sizes.universalSearch, { ...tuningImages(plan), ...universal(plan), solver })
}

/** One perturbation for all images: of Table 2 and Fig. 2, or of Fig. A2, which are the same where their sizes are. */
export function universalCell(plan: Plan, method: string, learningRate: number, of: 'universal' | 'patterns'): Cell {
  const size = plan.sizes[of]
  const solver = { ...solverOf(plan, method, true), learningRate: paperRate(learningRate) }
  const made = cell(plan, `universal-${size.count}x${size.iterations}-${method}`, size, { ...universal(plan), solver })
  return { ...made, snapshots: snapshotsOf(size) }
}

/** A pair of Fig. A1; betas are searched for Algorithm 1 as it is printed, whatever the profile. */
export function betaCell(
  plan: Plan,
  problem: ProblemName | 'universal',
  learningRate: number,
  [beta1, beta2]: readonly [number, number],
): Cell {
  const solver = { name: 'zo-adamm', learningRate: paperRate(learningRate), beta1, beta2 }
  const name = `betas-${problem}-${beta1}-${beta2}`
  const how = problem === 'universal' ? universal(plan) : { problem }
  const size = problem === 'universal' ? plan.sizes.universalBetas : plan.sizes.betas
  return cell(plan, name, size, { ...tuningImages(plan), ...how, solver })
}

/** The iterations at which Fig. A2 shows the perturbation: 1000, 5000, 10000 and 20000 of 20000. */
export function snapshotsOf({ iterations }: Size): number[] {
  return [0.05, 0.25, 0.5, 1].map((share) => Math.max(1, Math.round(share * iterations)))
}

/** A rate as it stands in names. */
function rateText(rate: number): string {
  return String(Number(rate.toPrecision(6)))
}

function universal({ universalClass }: Plan): { readonly [key: string]: Plain } {
  const only = universalClass === undefined ? {} : { class: universalClass }
  return { problem: 'constrained', universal: true, ...only }
}

/** ZO-SMD is ZO-PSGD at half the rate, bit for bit: one of the two is tried for both. */
function asTried(method: string, learningRate: number): { method: string; learningRate: number } {
  return method === 'zo-smd' ? { method: 'zo-psgd', learningRate: learningRate / 2 } : { method, learningRate }
}

function tuningImages({ tuningImages }: Plan): { readonly images?: Plain } {
  return tuningImages === undefined ? {} : { images: tuningImages }
}

/** ZO-AdaMM as the authors' code runs it, where its settings differ from those of the text: beta2 = 0.3 and v_0 = 1e-5. */
const referenceVariants = {
  perImage: { name: 'zo-adamm', beta2: 0.9, initialSecondMoment: 1e-7 },
  /** Steps divide by sqrt(v); the running maximum enters the metric alone. */
  universal: { name: 'zo-adamm', initialSecondMoment: 1e-7, maxSecondMoment: 'metric-only' },
} as const

function solverOf({ profile }: Plan, method: string, isUniversal: boolean): { readonly name: string } {
  if (method !== 'zo-adamm' || profile !== 'reference') return { name: method }
  return isUniversal ? referenceVariants.universal : referenceVariants.perImage
}

function cell(plan: Plan, name: string, { count, iterations }: Size, more: { readonly [key: string]: Plain }): Cell {
  const { solver } = more as { solver: { readonly name: string } }
  // Above what any method asks: the iterations are to be equal, and queries are compared afterwards.
  const maxQueries = 21 * iterations + 1
  const spec = {
    ...plan.subject,
    ...more,
    solver: { ...solver, directions: 10, smoothing },
    lambda,
    kappa: plan.profile === 'reference' ? 1e-10 : 0,
    count,
    maxIterations: iterations,
    maxQueries,
    secondMethod: false,
    seed: plan.seed,
  }
  const rows = solver.name === 'zo-scd' ? 21 : 11
  return { name, spec, calls: count * (iterations * rows + 5) }
}
