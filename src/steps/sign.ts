import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { constant } from '../core/schedule.ts'
import type { FusedStep, Step } from '../core/types.ts'

/** Follows the sign of each coordinate, with sign(0) = 0: ZO-signSGD and ZO-NES. */
export const sign = definePart({
  kind: 'step',
  name: 'sign',
  summary: 'The sign of each coordinate.',
  options: table({}),
  examples: () => [{}],
  make: (): Step => ({
    begin: ({ kernels }) => ({
      memory: {},
      apply(move) {
        kernels.sign(move.direction)
        move.squares = null
      },
      fused,
    }),
  }),
})

const fused: FusedStep = { kind: 'sign', moments: null, beta1: constant(0), beta2: constant(0) }
