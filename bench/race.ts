import type { Contender, Variant, Work } from './contender.ts'

/** How long to measure. */
export interface Pace {
  readonly rounds: number
  /** Milliseconds that one timing should take at least. */
  readonly slice: number
}

/** The times of one contender, round by round, by its fastest variant. */
export interface Timing {
  readonly name: string
  readonly title: string
  readonly variant: string
  /** Milliseconds per iteration. */
  readonly times: readonly number[]
}

/** Variants slower than the fastest by more than this factor after the warm-up do not start. */
const tolerance = 1.15

/** Timings before the first that counts. */
const warmUpPasses = 3

interface Starter {
  readonly contender: Contender
  readonly variant: Variant
  readonly iterations: number
  readonly times: number[]
}

/**
 * Lets contenders run by turns, round after round, so that whatever slows the machine down slows all of them down.
 * Each is warmed up first. One that fails is left out, and `say` is told why.
 */
export async function race(
  contenders: readonly Contender[],
  dim: number,
  directions: number,
  { rounds, slice }: Pace,
  say: (message: string) => void,
): Promise<Timing[]> {
  const starters: Starter[] = []
  const failed = new Set<Contender>()
  const attempt = async (contender: Contender, what: () => Promise<void>): Promise<void> => {
    if (failed.has(contender)) return
    try {
      await what()
    } catch (error) {
      failed.add(contender)
      say(`${contender.name}: left out at d = ${dim}: ${(error as Error).message}`)
    }
  }
  for (const contender of contenders) {
    await attempt(contender, async () => {
      starters.push(...(await warmUp(contender, { dim, directions }, slice)))
    })
  }
  for (let round = 0; round < rounds; round++) {
    for (const { contender, variant, iterations, times } of rotated(starters, round)) {
      await attempt(contender, async () => {
        times.push(await variant.time({ dim, directions, iterations }))
      })
    }
  }
  return contenders.filter((each) => !failed.has(each)).map((each) => fastest(each, starters))
}

/** The middle of a list of numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** How many times as long the first took, as the median over rounds. */
export function ratio(numerator: Timing, denominator: Timing): number {
  return median(numerator.times.map((each, round) => each / (denominator.times[round] ?? Number.NaN)))
}

/** Runs every variant until compilers and caches have settled, and keeps those that may turn out the fastest. */
async function warmUp(contender: Contender, work: Omit<Work, 'iterations'>, slice: number): Promise<Starter[]> {
  const measured: (Starter & { readonly each: number })[] = []
  for (const variant of contender.variants) {
    let each = await variant.time({ ...work, iterations: 1 })
    for (let pass = 0; pass < warmUpPasses; pass++) {
      each = Math.min(each, await variant.time({ ...work, iterations: times(slice, each) }))
    }
    measured.push({ contender, variant, iterations: times(slice, each), times: [], each })
  }
  const best = Math.min(...measured.map(({ each }) => each))
  return measured.filter(({ each }) => each <= best * tolerance)
}

function times(slice: number, each: number): number {
  return Math.min(Math.max(Math.round(slice / each), 1), 20_000)
}

function fastest(contender: Contender, starters: readonly Starter[]): Timing {
  const own = starters.filter((each) => each.contender === contender)
  const best = own.reduce((a, b) => (median(b.times) < median(a.times) ? b : a))
  return { name: contender.name, title: contender.title, variant: best.variant.label, times: best.times }
}

function rotated<T>(list: readonly T[], by: number): T[] {
  const start = list.length === 0 ? 0 : by % list.length
  return [...list.slice(start), ...list.slice(0, start)]
}
