import type { AttackReport } from '../../src/robustness/index.ts'
import { paperRate } from '../methods.ts'
import { lambda, perImageCell } from '../reproduction/tables/cells.ts'
import type { Cell, Plain, Results } from '../reproduction/tables/experiment.ts'
import type { Plan, Size } from '../reproduction/tables/plan.ts'
import { bestRate, chosenRate, type TriedRate, triedRates } from '../reproduction/tables/rates.ts'
import { type Arena, ownPrefix, resultsIn } from './arenas.ts'
import { baseline, type Change, type Contender, contenders, type Free, type SolverSpec } from './contenders.ts'

/** One attack of a method on the images that are reported on. */
export interface Run {
  readonly seed: number
  readonly cell: Cell
  readonly report: AttackReport | undefined
}

/** A method on the images that are reported on, once for each seed. */
export interface Entry {
  readonly contender: Contender
  /** Undefined for a method without one. */
  readonly rate: number | undefined
  readonly runs: readonly Run[]
}

/** A method with one of its settings on the tuning images: a point of its curve. */
export interface Trial {
  readonly contender: Contender
  /** The option that makes the curve, and its value. */
  readonly option: string | undefined
  readonly setting: number | undefined
  /** Whether the method is reported with this setting. */
  readonly isChosen: boolean
  readonly cell: Cell
  readonly report: AttackReport | undefined
}

/** The entries of an arena whose rates are known. */
export function entriesOf(arena: Arena, results: Results): Entry[] {
  const own = resultsIn(arena, results)
  return contenders.flatMap((contender): Entry[] => {
    const rate = contender.kind === 'free' ? undefined : rateOf(arena, own, contender)
    if (contender.kind !== 'free' && rate === undefined) return []
    const runs = Array.from({ length: arena.seeds(contender) }, (_, i): Run => {
      const seed = arena.plan.seed + i
      const made = mainCell({ ...arena.plan, seed }, contender, rate)
      const cell = i === 0 ? made : { ...made, name: `${made.name}-seed-${seed}` }
      return { seed, cell, report: own.report(cell) }
    })
    return [{ contender, rate, runs }]
  })
}

/** The curves of an arena, where its rates are tuned; none where they are given. */
export function trialsOf(arena: Arena, results: Results): Trial[] {
  if (arena.plan.profile !== 'tuned') return []
  const own = resultsIn(arena, results)
  return contenders.flatMap((contender) =>
    settingsOf(arena, own, contender).map((each) => ({ ...each, contender, report: own.report(each.cell) })),
  )
}

type Setting = Pick<Trial, 'option' | 'setting' | 'isChosen' | 'cell'>

function settingsOf(arena: Arena, results: Results, contender: Contender): Setting[] {
  const { plan } = arena
  if (contender.kind !== 'free') {
    const chosen = rateOf(arena, results, contender)
    return rated(arena, contender).map(({ rate, cell }) => ({
      option: 'rate',
      setting: rate,
      isChosen: rate === chosen,
      cell,
    }))
  }
  const { name, varied } = contender
  const spec = specOf(contender)
  if (varied === undefined) {
    return [{ option: undefined, setting: undefined, isChosen: true, cell: trialCell(plan, name, spec) }]
  }
  const { option, values, usual } = varied
  return values.map((setting) => ({
    option,
    setting,
    isChosen: setting === usual,
    cell: trialCell(plan, `${name}-${option}-${setting}`, { solver: { ...contender.solver, [option]: setting } }),
  }))
}

/** The rate a method is reported with; undefined as long as the search for it has not ended. */
function rateOf(arena: Arena, results: Results, contender: Exclude<Contender, { kind: 'free' }>): number | undefined {
  const { plan, name } = arena
  if (contender.kind === 'paper') return chosenRate(plan, results, 'constrained', contender.name)
  const center = contender.centers[name]
  return plan.profile === 'tuned' ? bestRate(rated(arena, contender), results, center) : center
}

/** The rates that are tried for a method: for each as many, spaced alike. */
function rated({ plan, name }: Arena, contender: Exclude<Contender, { kind: 'free' }>): TriedRate[] {
  if (contender.kind === 'paper') return triedRates(plan, 'constrained', contender.name)
  return plan.factors.perImage.map((factor) => {
    const rate = Number((factor * contender.centers[name]).toPrecision(6))
    return { rate, cell: trialCell(plan, `${contender.name}-${rate}`, { solver: withRate(contender, rate) }) }
  })
}

function mainCell(plan: Plan, contender: Contender, rate = Number.NaN): Cell {
  if (contender.kind === 'paper') return perImageCell(plan, 'constrained', contender.name, rate)
  const spec = contender.kind === 'change' ? { solver: withRate(contender, rate) } : specOf(contender)
  return attackCell(plan, contender.name, plan.sizes.perImage, spec)
}

function specOf({ solver, endsWithSuccess }: Free): { readonly [key: string]: Plain } {
  return endsWithSuccess === true ? { solver, earlyStop: true } : { solver }
}

function trialCell(plan: Plan, name: string, spec: { readonly [key: string]: Plain }): Cell {
  const images = plan.tuningImages === undefined ? {} : { images: plan.tuningImages }
  return attackCell(plan, `search-${name}`, plan.sizes.search, { ...images, ...spec })
}

function withRate({ solver }: Change, learningRate: number): SolverSpec {
  return { ...solver, learningRate: paperRate(learningRate) }
}

/** As many queries as the paper's methods ask in their iterations; some methods ask one point in each of theirs. */
function attackCell(
  plan: Plan,
  name: string,
  { count, iterations }: Size,
  more: { readonly [key: string]: Plain },
): Cell {
  const maxQueries = 11 * iterations + 1
  const spec = {
    ...plan.subject,
    problem: 'constrained',
    ...more,
    lambda,
    kappa: plan.profile === 'reference' ? 1e-10 : 0,
    count,
    maxQueries,
    secondMethod: false,
    seed: plan.seed,
  }
  return { name: `${ownPrefix}${name}`, spec, calls: count * (maxQueries + 4) }
}

/** The entry all others are compared with. */
export function baselineEntry(entries: readonly Entry[]): Entry | undefined {
  return entries.find(({ contender }) => contender.name === baseline.name)
}
