import type { RunData, RunEnd } from '../../src/app/report/index.ts'

/** What a sample run may differ in. */
export interface Sample {
  readonly name?: string
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: string
  readonly best?: readonly number[]
  readonly value?: readonly number[]
  readonly result?: Partial<RunEnd> | undefined
  readonly machine?: Readonly<Record<string, string>>
  readonly problems?: readonly string[]
}

/** A finished run of three iterations, eleven queries each, and one for the final point, changed as a test needs it. */
export function sampleRun(sample: Sample = {}): RunData {
  const { best = [4, 2, 1], value = best, name = 'sample', status = 'finished', problems } = sample
  const spec = { objective: { name: 'rosenbrock' }, dim: 2, solver: { name: 'zo-adamm' }, seed: 7, ...sample.spec }
  const column = (of: (i: number) => number): number[] => best.map((_, i) => of(i))
  return {
    name,
    meta: { id: 'sample', created: '2026-11-21T09:41:07.123Z', zeroth: '0.1.0', spec, machine: sample.machine ?? {} },
    status,
    ...('result' in sample && sample.result === undefined ? {} : { result: ended(best, spec.seed, sample.result) }),
    trace: {
      iteration: column((i) => i + 1),
      queries: column((i) => 11 * (i + 1)),
      value,
      best,
      seconds: column((i) => i + 1),
    },
    ...(problems === undefined ? {} : { problems }),
  }
}

function ended(best: readonly number[], seed: number, changes: Partial<RunEnd> = {}): RunEnd {
  const value = best.at(-1) ?? Number.NaN
  return {
    value,
    point: [0.25, -1.5],
    last: { value },
    queries: 11 * best.length + 1,
    cacheHits: 0,
    retries: 0,
    iterations: best.length,
    stopReason: 'max-queries',
    failures: { count: 0 },
    skippedIterations: 0,
    warnings: [],
    seed,
    seconds: best.length + 0.5,
    hash: 'ab'.repeat(32),
    ...changes,
  }
}
