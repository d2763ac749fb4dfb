import type { Cell, Results } from '../reproduction/tables/experiment.ts'
import { type Plan, planOf, type Size } from '../reproduction/tables/plan.ts'
import { baseline, type Contender, favorite } from './contenders.ts'

/** Images on which all methods are compared. */
export interface Arena {
  /** As rows and texts call it. */
  readonly name: 'digits' | 'cifar10' | 'other'
  readonly title: string
  /** What names of cells begin with; nothing where some of them are those of the paper's tables. */
  readonly prefix: string
  /** Added to the turn of every cell; undefined where all are made at once. */
  readonly firstTurn: number | undefined
  readonly plan: Plan
  /** With how many seeds a method is run. */
  seeds(contender: Contender): number
}

const titles = { digits: 'Digits', cifar10: 'CIFAR-10', other: 'Your images' } as const

/** Turns of one arena: the next one's come after them. */
const turns = 4

/** The arenas of a scale: the digits, CIFAR-10 beside them at the standard scale, and the user's own at the full one. */
export function arenasOf(plan: Plan): Arena[] {
  if (plan.scale === 'quick') return [digits(plan, { perImage: [20, 300], search: [10, 300] }, () => 1)]
  if (plan.scale === 'full') return [{ ...named(plan), prefix: '', firstTurn: 0, plan, seeds: () => 1 }]
  const isDecisive = ({ name }: Contender): boolean => name === favorite.name || name === baseline.name
  return [
    digits(plan, { perImage: [100, 1000], search: [30, 1000] }, ({ turn }) => (turn < turns - 1 ? 3 : 1)),
    { ...named(plan), prefix: '', firstTurn: 0, plan, seeds: (contender) => (isDecisive(contender) ? 3 : 1) },
  ]
}

/** A cell as it is called among those of other arenas. */
export function enrolled({ prefix, firstTurn }: Arena, cell: Cell, turn: number): Cell {
  const isOwn = prefix !== '' || cell.name.startsWith(ownPrefix)
  if (!isOwn) return cell
  const order = firstTurn === undefined ? {} : { order: firstTurn + turn }
  return { ...cell, name: `${prefix}${cell.name}`, ...order }
}

/** What all cells begin with that no table of the paper has. */
export const ownPrefix = 'beyond-'

/** The results of an arena by the names that cells have without it. */
export function resultsIn({ prefix }: Arena, results: Results): Results {
  return { ...results, report: (cell) => results.report({ ...cell, name: `${prefix}${cell.name}` }) }
}

function digits(
  plan: Plan,
  sizes: { readonly perImage: readonly [number, number]; readonly search: readonly [number, number] },
  seeds: Arena['seeds'],
): Arena {
  const { profile, seed, most, factors } = plan
  const small = planOf({ scale: 'quick', profile, seed })
  const capped = ([count, iterations]: readonly [number, number]): Size => ({
    count: Math.min(count, most.count),
    iterations: Math.min(iterations, most.iterations),
  })
  const own = { ...small.sizes, perImage: capped(sizes.perImage), search: capped(sizes.search) }
  const firstTurn = plan.scale === 'quick' ? undefined : -turns
  return { ...named(small), prefix: 'digits-', firstTurn, plan: { ...small, sizes: own, factors }, seeds }
}

function named({ subject }: Plan): Pick<Arena, 'name' | 'title'> {
  const { model } = subject
  return model === 'digits' || model === 'cifar10'
    ? { name: model, title: titles[model] }
    : { name: 'other', title: titles.other }
}
