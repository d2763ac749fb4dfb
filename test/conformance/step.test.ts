import { describe, expect, test } from 'vitest'
import type { Step } from '../../src/optimizer/core/types.ts'
import { adaptiveMoments, distanceOverGradients, momentum, plain, scalarMoment, sign } from '../../src/parts.ts'
import { parts } from '../../src/registry.ts'
import { stepConforms } from './step.ts'

/** Parts made of parts, which cannot give examples themselves. */
const nested: Record<string, readonly object[]> = {
  chain: [
    { steps: [momentum(), adaptiveMoments()] },
    { steps: [plain(), adaptiveMoments(), momentum({ beta: 0.5 }), sign()] },
    { steps: [scalarMoment({ beta1: 0 }), distanceOverGradients(), momentum({ beta: 0.5 })] },
    { steps: [adaptiveMoments(), distanceOverGradients({ initial: 0.01 })] },
  ],
}

for (const part of parts.step) {
  const make = part as unknown as (options: object) => Step
  const { name } = part.definition
  const examples = nested[name] ?? part.definition.examples(5)

  test(`${name} has an example to be tried with`, () => {
    expect(examples.length).toBeGreaterThan(0)
  })

  examples.forEach((options, index) => {
    describe(`${name} ${index + 1}`, () => {
      stepConforms(() => make(options))
    })
  })
}
