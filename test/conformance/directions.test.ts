import { describe } from 'vitest'
import type { Directions } from '../../src/index.ts'
import { parts } from '../../src/parts.ts'
import { directionsConform } from './directions.ts'

/** Directions that are no random ones, by design; everything else must depend on the seed. */
const fixed = ['given', 'coordinate {"all":true}']

for (const part of parts.directions) {
  const make = part as unknown as (options: object) => Directions
  const { name, examples } = part.definition
  examples(5).forEach((options, index) => {
    const title = Object.values(options).some((value) => typeof value === 'function')
      ? name
      : `${name} ${JSON.stringify(options)}`
    describe(title, () => {
      directionsConform((dim) => make(examples(dim)[index] as object), { fixed: fixed.includes(title) })
    })
  })
}
