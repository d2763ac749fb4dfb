import { closedForm } from './closed-form.ts'
import { dimension } from './dimension.ts'
import { estimateMoments } from './estimate-moments.ts'
import { fixedPoints } from './fixed-points.ts'
import { gradientMappingLemmas } from './gradient-mapping.ts'
import { lemma1 } from './lemma-1.ts'
import { lemmasOnZ } from './lemmas-on-z.ts'
import { measures } from './measures.ts'
import { metricChange } from './metric-change.ts'
import { monotoneMoments } from './monotone-moments.ts'
import { neighbourhood } from './neighbourhood.ts'
import { proofSlips } from './proof-slips.ts'
import { proposition1 } from './proposition-1.ts'
import { proposition2 } from './proposition-2.ts'
import { proposition3 } from './proposition-3.ts'
import { proposition4 } from './proposition-4.ts'
import { slowdown } from './slowdown.ts'
import { smoothingBounds } from './smoothing-bounds.ts'
import { smoothingIdentities } from './smoothing-identities.ts'
import { mirrorDescent, specialCases } from './special-cases.ts'
import { stepBound } from './step-bound.ts'
import { rateComparisons } from './table-1.ts'
import { theorem2 } from './theorem-2.ts'
import { transformedSpace } from './transformed-space.ts'
import type { Check } from './verdict.ts'

export { table1 } from './table-1.ts'
export type { Check } from './verdict.ts'

/** Every statement of the paper that is tried out here, in the order of the paper. */
export const checks: readonly Check[] = [
  closedForm,
  specialCases,
  mirrorDescent,
  proposition1,
  fixedPoints,
  measures,
  transformedSpace,
  proposition2,
  proposition3,
  theorem2,
  lemma1,
  proposition4,
  smoothingIdentities,
  smoothingBounds,
  estimateMoments,
  monotoneMoments,
  stepBound,
  gradientMappingLemmas,
  metricChange,
  proofSlips,
  lemmasOnZ,
  dimension,
  neighbourhood,
  slowdown,
  rateComparisons,
]
