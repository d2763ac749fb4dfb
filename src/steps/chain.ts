import { list, table } from '../core/options.ts'
import { definePart, partType } from '../core/part.ts'
import type { Step } from '../core/types.ts'

/** Several steps one after the other, each working on what the one before it left. */
export const chain = definePart({
  kind: 'step',
  name: 'chain',
  summary: 'Several steps in sequence.',
  options: table({ steps: list(partType<Step>('step', 'begin'), 'the steps, first to last') }),
  examples: () => [],
  make: ({ steps }): Step => ({
    begin(at) {
      const links = steps.map((step) => step.begin(at))
      return {
        memory: { parts: Object.fromEntries(links.map(({ memory }, i) => [String(i), memory])) },
        apply(move, iteration, point) {
          for (const link of links) link.apply(move, iteration, point)
        },
      }
    },
  }),
})
