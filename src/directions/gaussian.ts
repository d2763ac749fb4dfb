import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { DirectionRows, Directions } from '../core/types.ts'

/** u ~ N(0, I): the Gaussian estimate of the originals of ZO-SGD, ZO-ProxSGD and ZO-SMD (no factor d). */
export const gaussian = definePart({
  kind: 'directions',
  name: 'gaussian',
  summary: 'Independent standard normal vectors.',
  options: table({}),
  examples: () => [{}],
  make: (): Directions => ({
    begin: ({ kernels }, count): DirectionRows => ({
      count,
      factor: 1,
      write(x, scale, key, row, into, offset) {
        kernels.perturb(x, scale, { ...key, row }, into, offset)
      },
      accumulate(x, scale, key, row, weight, antithetic, gradient) {
        kernels.accumulateNormals(x, scale, { ...key, row }, weight, antithetic, gradient)
      },
      normalScale: (_key, _row, scale) => scale,
    }),
  }),
})
