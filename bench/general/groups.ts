import { bbob, chosenFunctions, otherFunctions } from './bbob.ts'
import { boxed } from './box.ts'
import { large } from './large.ts'
import { moreWild } from './more-wild.ts'
import type { Problem } from './problem.ts'

/** A set of problems whose results are added up. */
export interface Group {
  readonly title: string
  readonly problems: () => Problem[]
  /** Run only where it is asked for. */
  readonly onDemand?: boolean
}

/** The groups by name. */
export const groups: Readonly<Record<string, Group>> = {
  'more-wild': { title: 'Moré-Wild, exact', problems: () => moreWild() },
  'bbob-5': { title: 'BBOB, d = 5', problems: () => bbob('bbob-5', chosenFunctions, 5) },
  'bbob-20': { title: 'BBOB, d = 20', problems: () => bbob('bbob-20', chosenFunctions, 20) },
  box: { title: 'Bounds', problems: boxed },
  multiplicative: { title: 'Moré-Wild, multiplicative noise', problems: () => moreWild('multiplicative') },
  additive: { title: 'Moré-Wild, additive noise', problems: () => moreWild('additive') },
  'large-100': { title: 'Large, d = 100', problems: () => large(100) },
  'large-1000': { title: 'Large, d = 1,000', problems: () => large(1000) },
  'large-10000': { title: 'Large, d = 10,000', problems: () => large(10_000) },
  'bbob-others': {
    title: 'BBOB, d = 10, the functions that nothing was chosen by',
    problems: () => bbob('bbob-others', otherFunctions, 10),
    onDemand: true,
  },
}
