import type { Output } from '../core/option-type.ts'
import type { Objective } from '../core/types.ts'
import { cached } from '../wrappers/cached.ts'
import { callLogFile } from '../wrappers/call-log-file.ts'
import { logged } from '../wrappers/logged.ts'
import { noisy } from '../wrappers/noisy.ts'
import { rateLimited } from '../wrappers/rate-limited.ts'
import { retried } from '../wrappers/retried.ts'
import type { specOptions } from './spec.ts'

type Wrappers = Pick<Output<typeof specOptions>, 'rate' | 'retry' | 'noise' | 'cache'>

/**
 * Puts the wrappers of a spec around its objective. From the inside out: every attempt keeps to the rate; attempts
 * are made until there is a value; noise belongs to the value; what is known is not asked at all.
 */
export function wrapObjective(objective: Objective, { rate, retry, noise, cache }: Wrappers): Objective {
  let wrapped = objective
  if (rate !== undefined) wrapped = rateLimited(wrapped, rate)
  if (isOn(retry)) wrapped = retried(wrapped, retry)
  if (noise !== undefined) wrapped = noisy(wrapped, noise)
  if (isOn(cache)) wrapped = cached(wrapped, cache)
  return wrapped
}

/** Saves every query to a file, one line of JSON each; the file is closed with the objective. */
export function callsLogged(objective: Objective, file: string): Objective {
  const log = callLogFile(file)
  const wrapped = logged(objective, { write: log.write })
  return {
    ...wrapped,
    async close() {
      await objective.close?.()
      log.close()
    },
  }
}

function isOn<Options extends object>(given: boolean | Options | undefined): given is Options {
  return typeof given === 'object'
}
