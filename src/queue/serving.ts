import { count, option, table } from '../core/options.ts'
import { functionThat, tested, wholeFrom } from '../core/schema.ts'
import type { Objective } from '../core/types.ts'
import { lockOption, placeOptions } from './queue-place.ts'
import { redisUrlOption } from './redis-address.ts'
import { servesOption } from './served.ts'

/** How rows of other machines' runs are evaluated here. */
export const serveRowsOptions = table({
  url: redisUrlOption,
  ...placeOptions,
  serves: servesOption,
  objective: option(
    tested<Objective>((value) => typeof (value as Objective | null)?.evaluate === 'function', 'must be an objective'),
    'what is evaluated; a slow function belongs into threads (workersObjective) or a program, so that the worker can go on saying that it is alive',
  ),
  lanes: count('jobs evaluated at once', 1),
  lock: option(
    wholeFrom(1),
    'milliseconds after which a job goes to another worker when this one has not been heard of',
    lockOption.standard,
  ),
  log: option(
    functionThat<(line: string) => void>('must be a function of a line'),
    'told what happens',
    () => () => undefined,
  ),
})
