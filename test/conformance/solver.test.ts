import { describe, expect, test } from 'vitest'
import type { Solver } from '../../src/core/types.ts'
import {
  adaptiveMoments,
  central,
  chain,
  coordinate,
  forward,
  gaussian,
  momentum,
  orthogonal,
  parts,
  plain,
  sphere,
} from '../../src/parts.ts'
import { solverConforms } from './solver.ts'

/** Parts made of parts, which cannot give examples themselves. */
const nested: Record<string, readonly object[]> = {
  descent: [
    { estimator: forward({ along: sphere() }), step: plain() },
    { estimator: central({ along: coordinate() }), step: adaptiveMoments() },
    { estimator: forward({ along: orthogonal(), directions: 3 }), step: momentum() },
    { estimator: forward({ along: gaussian() }), step: chain({ steps: [momentum({ beta: 0.5 }), adaptiveMoments()] }) },
  ],
}

for (const part of parts.solver) {
  const make = part as unknown as (options: object) => Solver
  const { name } = part.definition
  const examples = nested[name] ?? part.definition.examples(5)

  test(`${name} has an example to be tried with`, () => {
    expect(examples.length).toBeGreaterThan(0)
  })

  examples.forEach((options, index) => {
    describe(`${name} ${index + 1}`, () => {
      solverConforms(() => make(options))
    })
  })
}
