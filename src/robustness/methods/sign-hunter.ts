import { optional, positive, table } from '../../optimizer/core/options.ts'
import { definePart } from '../../optimizer/core/part.ts'
import type { RunContext, Solver, Vector } from '../../optimizer/core/types.ts'
import { limitOf, type Trials, trialSearch } from './trial-search.ts'

/**
 * SignHunter (Al-Dujaili and O'Reilly, 2020): every variable is moved by the radius, up or down. Halves, quarters, eighths
 * and so on change sides, down to single variables, and stay there where the value falls. Then it goes round again; a
 * round in which nothing helped is the end.
 */
export const signHunter = definePart({
  kind: 'solver',
  forAttacks: true,
  name: 'sign-hunter',
  summary: 'Every variable at one of two ends; ever smaller blocks change sides where that helps.',
  options: table({
    /** By how much every variable is moved from the start; the attack's limit if left out, or else 0.1. Above 0. */
    radius: optional(positive),
  }),
  examples: () => [{ radius: 1 }, { radius: 0.7 }],
  make: ({ radius }): Solver => ({
    start: (at) => trialSearch(at, blockFlips(at, limitOf(at, { norm: 'linf', radius }).radius)),
  }),
})

/** Where a round is: which block of how many is on trial, and whether one has helped. */
type Round = { opened: boolean; blocks: number; block: number; helped: boolean; finished: boolean }

function blockFlips({ start, dim, kernels, precision }: RunContext, radius: number): Trials {
  const origin = start.slice()
  const signs = kernels.allocate(dim, precision)
  signs.fill(1)
  const round: Round = { opened: false, blocks: 1, block: 0, helped: false, finished: false }
  const write = (into: Vector): void => {
    for (let i = 0; i < dim; i++) into[i] = (origin[i] as number) + radius * (signs[i] as number)
  }
  return {
    memory: { vectors: { signs }, state: round },
    open: (_, into) => write(into),
    next(_, __, ___, into) {
      if (round.finished) return false
      flip(signs, round)
      write(into)
      flip(signs, round)
      return true
    },
    settle(isKept) {
      if (!round.opened) {
        // A first point that brings no answer gives way to the opposite one.
        if (isKept) round.opened = true
        else for (let i = 0; i < dim; i++) signs[i] = -(signs[i] as number)
        return
      }
      if (isKept) {
        flip(signs, round)
        round.helped = true
      }
      advance(round, dim)
    },
  }
}

function blockSize({ blocks }: Round, dim: number): number {
  return Math.ceil(dim / blocks)
}

/** Lets the variables of the current block change sides. */
function flip(signs: Vector, round: Round): void {
  const size = blockSize(round, signs.length)
  const first = size * round.block
  for (let i = first; i < Math.min(first + size, signs.length); i++) signs[i] = -(signs[i] as number)
}

/** The next block; behind the last, blocks of half the size, and behind single variables the next round. */
function advance(round: Round, dim: number): void {
  const size = blockSize(round, dim)
  round.block++
  if (size * round.block < dim) return
  round.block = 0
  if (size > 1) {
    round.blocks *= 2
    return
  }
  if (!round.helped) round.finished = true
  round.helped = false
  round.blocks = 1
}
