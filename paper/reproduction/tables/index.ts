import { beyond } from '../../beyond/index.ts'
import type { Experiment } from './experiment.ts'
import { fig1 } from './fig-1.ts'
import { fig2 } from './fig-2.ts'
import { figA1 } from './fig-a1.ts'
import { figA2 } from './fig-a2.ts'
import { noise } from './noise.ts'
import { prop1 } from './prop-1.ts'
import { table1 } from './table-1.ts'
import { table2 } from './table-2.ts'
import { tableA1 } from './table-a1.ts'
import { tableA2 } from './table-a2.ts'
import { tableA3 } from './table-a3.ts'

export { claimData } from '../../claims/claim-data.ts'
export { judgeClaims } from '../../claims/claims.ts'
export type { Cell, Drawing, Experiment, Results } from './experiment.ts'
export { givenSizes, type Plan, type Profile, planOf, profiles, type Scale, scales } from './plan.ts'

/** Every table and figure of the paper, in the order of the page. */
export const experiments: readonly Experiment[] = [
  table1,
  prop1,
  table2,
  fig1,
  fig2,
  tableA1,
  tableA2,
  tableA3,
  figA1,
  figA2,
]

/** All that can be reproduced: the paper, and what goes beyond it. */
export const reproducible: readonly Experiment[] = [...experiments, noise, beyond]
