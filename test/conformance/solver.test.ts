import { describe, expect, test } from 'vitest'
import type { Solver } from '../../src/optimizer/core/types.ts'
import {
  adaptiveMoments,
  auto,
  bayesian,
  blockDescent,
  central,
  chain,
  cmaES,
  coordinate,
  dct,
  forward,
  gaussian,
  labelOnly,
  momentum,
  nearestBoundary,
  noisyDescent,
  orthogonal,
  plain,
  quasiNewton,
  random,
  signHunter,
  simba,
  sphere,
  trustRegion,
  zoAdaMM,
  zoSGD,
} from '../../src/parts.ts'
import { parts } from '../../src/registry.ts'
import { minimizer, type SolverTraits, solverConforms } from './solver.ts'

/** Parts made of parts, which cannot give examples themselves. */
const nested: Record<string, readonly object[]> = {
  descent: [
    { estimator: forward({ along: sphere() }), step: plain() },
    { estimator: central({ along: coordinate() }), step: adaptiveMoments() },
    { estimator: forward({ along: orthogonal(), directions: 3 }), step: momentum() },
    { estimator: forward({ along: gaussian() }), step: chain({ steps: [momentum({ beta: 0.5 }), adaptiveMoments()] }) },
  ],
  simba: [...simba.definition.examples(5), { along: dct({ shape: { channels: 1, height: 1, width: 5 }, size: 2 }) }],
  strongest: [
    { nearer: nearestBoundary({ directions: 2 }) },
    { nearer: nearestBoundary({ directions: 3, refinement: 5 }) },
  ],
  // The second method takes over within the iterations after which runs are taken up.
  'two-phase': [
    { first: simba({ step: 0.3 }), second: zoAdaMM({ directions: 3 }), patience: 6 },
    { first: zoAdaMM({ directions: 2 }), second: zoSGD(), patience: 20 },
  ],
}

const traits: Record<string, SolverTraits> = {
  [signHunter.definition.name]: { ends: 'converged', isRandom: false },
  [simba.definition.name]: { ends: 'converged' },
  [quasiNewton.definition.name]: { ends: 'converged', isRandom: false, isStaged: true },
  [labelOnly.definition.name]: {
    isStaged: true,
    attack: { labelsOnly: true, targeted: true, startingPoints: [Float64Array.from(minimizer)] },
  },
  [cmaES.definition.name]: { ends: 'converged', isStaged: true },
  [noisyDescent.definition.name]: { ends: 'converged', isRandom: false, isStaged: true },
  [blockDescent.definition.name]: { ends: 'converged', isStaged: true },
  [bayesian.definition.name]: { ends: 'converged', isStaged: true, needsBounds: true },
  [random.definition.name]: { isStaged: true },
  [trustRegion.definition.name]: { ends: 'converged', isRandom: false, isStaged: true },
  [auto.definition.name]: { ends: 'converged', isRandom: false, isStaged: true },
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
      solverConforms(() => make(options), traits[name])
    })
  })
}
