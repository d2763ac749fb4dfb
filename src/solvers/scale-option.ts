import { finiteList, optional } from '../core/options.ts'
import { positiveNumber, that, union } from '../core/schema.ts'

/** How large the variables of a problem usually are. */
export const scaleOption = optional(
  union(
    positiveNumber,
    that(finiteList, (list) => list.every((each) => each > 0), 'must hold numbers above 0 only'),
  ),
  'the usual size of the variables, one for all or one each; if left out, max(|x|, 1), or the width of a narrower box',
)
