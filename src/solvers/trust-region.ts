import { ZerothError } from '../core/errors.ts'
import { optional, positive, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { positiveNumber } from '../core/schema.ts'
import type { Begin, SavedMemory, Search, Solver } from '../core/types.ts'
import { stagedSearch } from '../staged/staged-search.ts'
import { modelTrustRegion } from './model-trust-region.ts'
import { type Scale, scaleOf } from './scale.ts'
import { scaleOption } from './scale-option.ts'

/** How a trust-region run works, where the problem does not decide it. */
export interface TrustRegionOptions {
  /** The first radius, in the units of the variables. */
  readonly radius?: number | undefined
  readonly finalShare: number
  readonly scale?: Scale
  /** Whether it begins again where it has ended; if left out, where the user limits the queries. */
  readonly restarts?: boolean | undefined
  /** Whether values vary, where that is known. */
  readonly noisy?: boolean | undefined
}

/** What it is where nothing is said. */
export const usualTrustRegion = { finalShare: 1e-7 } as const

/** Quadratic models through 2 d + 1 points in a trust region, as in BOBYQA: few queries, for up to about 100 variables. */
export const trustRegion = definePart({
  kind: 'solver',
  name: 'trust-region',
  summary: 'Quadratic models in a trust region (BOBYQA), for smooth functions of up to about 100 variables.',
  options: table({
    radius: optional(
      positiveNumber,
      'first radius, in the units of the variables; if left out, a tenth of scale, of the box or of the largest variable',
    ),
    finalShare: positive('radius at which it ends, as a share of the first', usualTrustRegion.finalShare),
    scale: scaleOption,
  }),
  examples: () => [{}, { radius: 0.5, finalShare: 1e-5 }, { scale: 2 }],
  make: (options): Solver => trustRegionSolver(options),
})

/** The solver with settings that a user does not give, too. */
export function trustRegionSolver(options: TrustRegionOptions): Solver {
  const begin = (at: Begin, saved?: SavedMemory): Search => {
    checkDimension(at)
    const { maxQueries, isUsual } = at.budget
    const { restarts = maxQueries !== undefined && isUsual !== true } = options
    const scale = scaleOf('trust-region', options.scale, at.dim)
    return stagedSearch(at, modelTrustRegion(at, { ...options, scale, restarts }), 'star', saved)
  }
  return { begin, resume: begin }
}

const most = 1000
const usual = 100

function checkDimension({ dim, warn }: Begin): void {
  if (dim > most) {
    const message = `trust-region takes at most ${most} variables, got ${dim}: its model needs about 8 d^2 numbers and 2 d queries to begin with`
    throw new ZerothError(
      'invalid-option',
      `${message}. Use quasi-newton, or zo-adamm where the budget is a few times d`,
    )
  }
  if (dim > usual) {
    warn(`trust-region is meant for up to ${usual} variables, this run has ${dim}: quasi-newton is faster`)
  }
}
