import { nearestBoundary } from '../../src/index.ts'
import { smoothing } from '../methods.ts'
import type { Plain } from '../reproduction/tables/experiment.ts'

/** A solver as an attack spec has it. */
export type SolverSpec = { readonly name: string; readonly [option: string]: Plain }

/** A method of the comparison. */
export type Contender = PaperMethod | Change | Free

interface Named {
  readonly name: string
  readonly title: string
  /** Its number in the palette, where it has a curve. */
  readonly style?: number
  /** The part of the comparison it belongs to: earlier ones are made first. */
  readonly turn: number
}

/** A method of the paper, with the attacks of the paper's tables. */
export interface PaperMethod extends Named {
  readonly kind: 'paper'
}

/** A change of the paper's method that has a learning rate, too. */
export interface Change extends Named {
  readonly kind: 'change'
  readonly solver: SolverSpec
  /** Rates about which others are tried, by embedded classifier; `other` is for networks on large pictures. */
  readonly centers: Readonly<Record<'digits' | 'cifar10' | 'other', number>>
}

/** A method without a learning rate; its curve is over another option, where it has one. */
export interface Free extends Named {
  readonly kind: 'free'
  readonly solver: SolverSpec
  /** It is over with its first success: what it does is quick, and not made to go on. */
  readonly endsWithSuccess?: true
  readonly varied?: { readonly option: string; readonly usual: number; readonly values: readonly number[] }
}

const steps = { directions: 10, smoothing }
const inSubspace = { along: { name: 'subspace', basis: 'dct', within: 'orthogonal' } }

const usualGrowth = nearestBoundary.definition.options.shape.growth.default?.() as number
const growths = [...new Set([1.05, 1.1, 1.2, 1.4, 2, usualGrowth])].sort((a, b) => a - b)

/** The method all others are compared with. */
export const baseline: PaperMethod = { kind: 'paper', name: 'zo-adamm', title: 'ZO-AdaMM', style: 3, turn: 0 }

/** The method that the goal is about. */
export const favorite: Free = {
  kind: 'free',
  name: 'zeroth',
  title: 'zeroth',
  style: 0,
  turn: 0,
  solver: { name: 'nearest-boundary', ...steps },
  varied: { option: 'growth', usual: usualGrowth, values: growths },
}

/** All methods, in the order of the tables. Those of the paper have the colours they have in its figures. */
export const contenders: readonly Contender[] = [
  favorite,
  baseline,
  { kind: 'paper', name: 'zo-psgd', title: 'ZO-PSGD', style: 5, turn: 0 },
  { kind: 'paper', name: 'zo-nes', title: 'ZO-NES', style: 4, turn: 0 },
  {
    kind: 'change',
    name: 'scalar',
    title: 'scalar step',
    style: 2,
    turn: 2,
    solver: { name: 'zo-normalized', ...steps },
    centers: { digits: 0.02, cifar10: 0.004, other: 0.006 },
  },
  {
    kind: 'change',
    name: 'subspace',
    title: 'DCT subspace',
    style: 8,
    turn: 2,
    solver: { name: 'zo-adamm', ...steps, ...inSubspace },
    centers: { digits: 0.02, cifar10: 0.004, other: 0.01 },
  },
  {
    kind: 'change',
    name: 'both',
    title: 'both changes',
    style: 1,
    turn: 2,
    solver: { name: 'zo-normalized', ...steps, ...inSubspace },
    centers: { digits: 0.015, cifar10: 0.003, other: 0.006 },
  },
  { kind: 'free', name: 'simba', title: 'SimBA', turn: 3, solver: { name: 'simba' }, endsWithSuccess: true },
  { kind: 'free', name: 'square', title: 'Square', turn: 3, solver: { name: 'square' }, endsWithSuccess: true },
  {
    kind: 'free',
    name: 'sign-hunter',
    title: 'SignHunter',
    turn: 3,
    solver: { name: 'sign-hunter' },
    endsWithSuccess: true,
  },
  { kind: 'free', name: 'two-phase', title: 'two-phase', turn: 3, solver: { name: 'two-phase' } },
]
