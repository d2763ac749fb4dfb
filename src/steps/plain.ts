import { z } from 'zod'
import { definePart } from '../core/part.ts'
import type { Step } from '../core/types.ts'

/** Follows the estimate as it is: ZO-SGD. */
export const plain = definePart({
  kind: 'step',
  name: 'plain',
  summary: 'The gradient estimate itself.',
  options: z.object({}),
  examples: () => [{}],
  make: (): Step => ({ begin: () => ({ memory: {}, apply: () => undefined }) }),
})
