import { choice, flag, option, optional, positive, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { wholeFrom } from '../core/schema.ts'
import type { Begin, SavedMemory, Search, Solver } from '../core/types.ts'
import { cmaSearch, usualCma } from './cma-search.ts'

/** CMA-ES: populations that learn the shape of the function from ranks alone, for rugged, non-smooth and noisy functions. */
export const cmaES = definePart({
  kind: 'solver',
  name: 'cma-es',
  summary: 'Populations that learn the shape of the function from ranks, with restarts; for rugged or noisy functions.',
  options: table({
    stepSize: optional(
      positive(
        'standard deviation of the first population, as a share of the width for variables with two bounds; 0.3 of the width or of max(1, the root mean square of the start) if left out',
      ),
    ),
    population: optional(wholeFrom(4), 'points per generation before the first restart; 4 + 3 ln d if left out'),
    covariance: optional(
      choice(
        ['full', 'separable', 'limited'],
        'what is learned of the shape: all of it (2 d^2 numbers), a scale per variable (2 d) or the main directions (d (4 + 3 ln d)); "full" up to 200 variables, "limited" above, if left out',
      ),
    ),
    restarts: option(
      wholeFrom(0),
      'restarts at most, each with twice the population; none without a limit on queries',
      usualCma.restarts,
    ),
    tolerance: positive('a run has converged when its values differ by less than this', usualCma.tolerance),
    noisy: optional(flag('whether answers vary; found out by asking the start twice if left out')),
  }),
  examples: () => [
    {},
    { covariance: 'separable', population: 8, stepSize: 0.5 },
    { covariance: 'limited' },
    { noisy: true },
  ],
  make: (settings): Solver => {
    const begin = (at: Begin, saved?: SavedMemory): Search => cmaSearch(at, settings, saved)
    return { begin, resume: begin }
  },
})
