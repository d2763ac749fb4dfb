import { describe, expect, test } from 'vitest'
import { parts } from '../../src/registry.ts'
import { directionsConform } from './directions.ts'
import { triedDirections } from './tried-directions.ts'

/** Directions that are no random ones, by design; everything else must depend on the seed. */
const fixed = ['given', 'coordinate {"all":true}']

for (const { title, make } of triedDirections) {
  describe(title, () => {
    directionsConform(make, { fixed: fixed.includes(title) })
  })
}

test.each(parts.directions.map((part) => part.definition.name))('%s is tried', (name) => {
  expect(triedDirections.some(({ title }) => title.startsWith(name))).toBe(true)
})
