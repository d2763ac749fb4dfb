import { cmaES, minimize } from '../../src/index.ts'

/** What eight workers have done in a while: the share of the time that they were at work, and every value with its time. */
export interface Busy {
  readonly busy: number
  readonly values: readonly (readonly [seconds: number, value: number])[]
}

const lanes = 8
const names = ['x0', 'x1', 'x2', 'x3'] as const
const range = { from: -2, to: 2 } as const

/** Rosenbrock's valley in four variables, each answer of which takes 50 to 150 ms: those of `workers` in peers/tune.py. */
export async function ownWorkers(method: 'auto' | 'cma-es', seconds: number): Promise<Busy> {
  const stop = new AbortController()
  const began = performance.now()
  const now = (): number => (performance.now() - began) / 1000
  const [spans, values]: [number[], [number, number][]] = [[], []]
  setTimeout(() => stop.abort(), 1000 * seconds)
  await minimize(
    async (given) => {
      const x = names.map((name) => given[name])
      const start = now()
      const sine = Math.sin(1e4 * x.reduce((sum, each) => sum + each, 0))
      await new Promise((resolve) => setTimeout(resolve, 50 + 100 * (sine - Math.floor(sine))))
      spans.push(Math.min(now(), seconds) - Math.min(start, seconds))
      const pairs = x.slice(1).map((next, i) => [x[i] as number, next] as const)
      const value = pairs.reduce((sum, [a, b]) => sum + 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a), 0)
      values.push([now(), value])
      return value
    },
    {
      ...(method === 'auto' ? {} : { solver: cmaES() }),
      variables: { x0: range, x1: range, x2: range, x3: range },
      maxQueries: 400,
      concurrency: lanes,
      seed: 1,
      signal: stop.signal,
    },
  )
  return { busy: spans.reduce((sum, each) => sum + each, 0) / (lanes * Math.min(seconds, now())), values }
}
