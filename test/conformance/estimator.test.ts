import { describe } from 'vitest'
import type { Estimator } from '../../src/optimizer/core/types.ts'
import { parts } from '../../src/registry.ts'
import { estimatorConforms } from './estimator.ts'
import { someDirections } from './tried-directions.ts'

/** Estimates of the gradient's projection onto the span of the directions: on average a share of it. */
const projections = ['aligned']

for (const estimator of parts.estimator) {
  const make = estimator as unknown as (options: object) => Estimator
  const { name, examples } = estimator.definition
  examples(4).forEach((options, index) => {
    for (const { title, make: makeDirections } of someDirections) {
      describe(`${name} ${index + 1} along ${title}`, () => {
        estimatorConforms((smoothing) => make({ ...options, along: makeDirections(4), smoothing }), {
          projects: projections.includes(name),
        })
      })
    }
  })
}
