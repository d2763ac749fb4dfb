import { z } from 'zod'
import { countOption } from '../core/options.ts'
import { randomUniform } from '../kernels/random.ts'
import { sleepOption } from './sleep.ts'

const milliseconds = z.number().min(0)

/** How long to wait before asking again, and how often. */
export const backOffOptions = z.object({
  attempts: countOption.max(1000).default(4).describe('times a row is asked at most, the first included'),
  delay: milliseconds.default(200).describe('milliseconds before the second attempt'),
  factor: z.number().min(1).default(2).describe('each further wait is so many times the one before'),
  maxDelay: milliseconds.default(30_000).describe('longest wait of its own accord, in milliseconds'),
  jitter: z.number().min(0).max(1).default(0.5).describe('share of each wait that is left to chance'),
  maxRetryAfter: milliseconds
    .default(120_000)
    .describe('longest wait the other side may ask for, in milliseconds; the row is given up where it wants more'),
  seed: z.int().min(0).default(0).describe('determines the jitter, together with iteration, row and attempt'),
  sleep: sleepOption,
})

type BackOff = Pick<z.output<typeof backOffOptions>, 'delay' | 'factor' | 'maxDelay' | 'jitter' | 'seed'>

/** Milliseconds to wait after the `made`-th attempt: delay factor^(made - 1) as far as `maxDelay` goes, less the jitter. */
export function backOff(made: number, how: BackOff, at: { readonly iteration: number; readonly row: number }): number {
  let wait = how.delay
  for (let i = 1; i < made && wait < how.maxDelay; i++) wait *= how.factor
  return Math.min(wait, how.maxDelay) * (1 - how.jitter * randomUniform({ seed: how.seed, ...at }, 'noise', made))
}
