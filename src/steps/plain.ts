import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { constant } from '../core/schedule.ts'
import type { FusedStep, Step } from '../core/types.ts'

/** Follows the estimate as it is: ZO-SGD. */
export const plain = definePart({
  kind: 'step',
  name: 'plain',
  summary: 'The gradient estimate itself.',
  options: table({}),
  examples: () => [{}],
  make: (): Step => ({ begin: () => ({ memory: {}, apply: () => undefined, fused }) }),
})

const fused: FusedStep = { kind: 'plain', moments: null, beta1: constant(0), beta2: constant(0) }
