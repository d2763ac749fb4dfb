import { type HistoryRecord, minimizeSync, type Summary, summarize } from '../../src/index.ts'
import type { Arena, Contender } from './arenas.ts'

/** The seed on which learning rates are chosen; never one of those reported. */
const tuningSeed = 0

/** How a method did over several seeds. Gaps are f - minimum as a share of the gap at the start. */
export interface Trial {
  readonly gap: Summary
  readonly curve: readonly { queries: number; value: number; low: number; high: number }[]
}

/** The learning rate with the smallest final value on the tuning seed. */
export function tune(arena: Arena, contender: Contender, queries: number): number {
  const finals = contender.rates.map(
    (rate) => run(arena, contender, rate, queries, tuningSeed).at(-1)?.best ?? Infinity,
  )
  return contender.rates[finals.indexOf(Math.min(...finals))] as number
}

/** Runs a method on every seed. */
export function tryOut(
  arena: Arena,
  contender: Contender,
  rate: number,
  queries: number,
  seeds: readonly number[],
): Trial {
  const runs = seeds.map((seed) => run(arena, contender, rate, queries, seed))
  const { problem } = arena
  const whole = problem.value(problem.start) - problem.minimum
  const share = (value: number): number => (value - problem.minimum) / whole
  const shortest = runs.reduce((a, b) => (a.length <= b.length ? a : b))
  const curve = shortest.map((record, i) => {
    const values = summarize(runs.map((history) => share((history[i] as HistoryRecord).best)))
    return { queries: record.queries, value: values.median, low: values.lowerQuartile, high: values.upperQuartile }
  })
  return { gap: summarize(runs.map((history) => share(history.at(-1)?.best ?? Infinity))), curve }
}

function run(
  arena: Arena,
  contender: Contender,
  rate: number,
  queries: number,
  seed: number,
): readonly HistoryRecord[] {
  const result = minimizeSync(arena.problem.value, arena.problem.start, {
    solver: contender.make(rate),
    set: arena.set,
    maxQueries: queries,
    seed,
  })
  return result.history
}
