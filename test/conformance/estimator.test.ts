import { describe } from 'vitest'
import type { Directions, Estimator } from '../../src/core/types.ts'
import { parts } from '../../src/parts.ts'
import { estimatorConforms } from './estimator.ts'

for (const estimator of parts.estimator) {
  const make = estimator as unknown as (options: object) => Estimator
  estimator.definition.examples(4).forEach((options, index) => {
    for (const directions of parts.directions) {
      const makeDirections = directions as unknown as (options: object) => Directions
      directions.definition.examples(4).forEach((how, number) => {
        describe(`${estimator.definition.name} ${index + 1} along ${directions.definition.name} ${number + 1}`, () => {
          estimatorConforms((smoothing) => make({ ...options, along: makeDirections(how), smoothing }))
        })
      })
    }
  })
}
