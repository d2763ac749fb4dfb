import { librarySets, type NamedSet } from './library-sets.ts'
import { gradientMapping, nearestIn, projectedStep } from './projected-step.ts'
import { difference, drawnMetric, drawnVector, inner, squaredNorm, weightedSquare } from './vectors.ts'
import { amount, atMost, type Check, type Scale, type Verdict } from './verdict.ts'

const dim = 5
const seed = 53

/**
 * Both sides come from points with absolute errors: 1e-15 for exact sets, 1e-10 (its tolerance) for the intersection.
 * This share of the natural size of the inequality is therefore added to the larger side.
 */
const slack = 1e-9

/** The two lemmas on the gradient mapping of eq. (7) from which Theorem 2 is proved. */
export const gradientMappingLemmas: Check = {
  id: 'gradient-mapping',
  statement: 'Gradient mapping, eq. (7): the lemmas on its inner product with g and on its dependence on g.',
  run: (scale) => gradientMappingVerdicts(scale, librarySets(dim)),
}

/** The verdicts for given sets. */
export function gradientMappingVerdicts(scale: Scale, sets: readonly NamedSet[]): Verdict[] {
  const trials = amount(scale, { quick: 40, full: 400 })
  const ratios = sets.flatMap(({ set }) => Array.from({ length: trials }, (_, trial) => ratiosOf(set, trial)))
  const worst = (of: keyof Ratios): number => Math.max(...ratios.map((each) => each[of]))
  const on = `, ${ratios.length} cases on all sets`
  return [
    atMost(`||H^1/2 P||^2 / <g, P>${on}`, 1, worst('product')),
    atMost(`||x1+ - x2+|| / (omega / lambda_min(H) ||g1 - g2||)${on}`, 1, worst('plain')),
    atMost(`||H^1/2 (x1+ - x2+)|| / (omega ||H^-1/2 (g1 - g2)||)${on}`, 1, worst('weighted')),
  ]
}

interface Ratios {
  readonly product: number
  readonly plain: number
  readonly weighted: number
}

function ratiosOf(set: NamedSet['set'], trial: number): Ratios {
  const x = nearestIn(set, drawnVector(seed, 4 * trial, dim, 2))
  const g1 = drawnVector(seed, 4 * trial + 1, dim)
  const g2 = drawnVector(seed, 4 * trial + 2, dim)
  const h = drawnMetric(seed, 4 * trial + 3, dim)
  const omega = trial % 2 === 0 ? 0.1 : 2
  const mapped = gradientMapping(set, x, g1, h, omega)
  const apart = difference(projectedStep(set, x, g1, h, omega), projectedStep(set, x, g2, h, omega))
  const turned = difference(g1, g2)
  const inverse = h.map((each) => 1 / each)
  return {
    product: weightedSquare(h, mapped) / (inner(g1, mapped) + (slack / omega) * weightedSquare(inverse, g1)),
    plain: Math.sqrt(squaredNorm(apart)) / ((omega / Math.min(...h)) * Math.sqrt(squaredNorm(turned)) + slack),
    weighted: Math.sqrt(weightedSquare(h, apart)) / (omega * Math.sqrt(weightedSquare(inverse, turned)) + slack),
  }
}
