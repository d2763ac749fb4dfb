import { fractionSchedule, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { scheduleOf } from '../core/schedule.ts'
import type { Step } from '../core/types.ts'

/** m_t = beta m_{t-1} + (1 - beta) g_t: Algorithm 1, line 4, on its own. */
export const momentum = definePart({
  kind: 'step',
  name: 'momentum',
  summary: 'A running average of the estimates.',
  options: table({ beta: fractionSchedule('share of the past that is kept', 0.9) }),
  examples: () => [{}, { beta: { value: 0.5, decay: 'linear' } }],
  make: ({ beta }): Step => ({
    begin({ kernels, dim, precision }) {
      const average = kernels.allocate(dim, precision)
      const betaAt = scheduleOf(beta)
      return {
        memory: { vectors: { average } },
        apply(move, iteration) {
          kernels.average(average, move.direction, betaAt(iteration))
          // Later steps may overwrite the direction, and the average must outlive them.
          move.direction.set(average)
        },
      }
    },
  }),
})
