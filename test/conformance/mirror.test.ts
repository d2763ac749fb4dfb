import { describe, expect, test } from 'vitest'
import type { ConvexSet, Mirror } from '../../src/optimizer/core/types.ts'
import { box, l1Ball, l2Ball, simplex, slab, wholeSpace } from '../../src/parts.ts'
import { parts } from '../../src/registry.ts'
import { beginning } from './directions.ts'
import { mirrorConforms } from './mirror.ts'

const sets: Record<string, ConvexSet> = {
  'the whole space': wholeSpace(),
  'a box': box({ lower: -0.1, upper: 0.7 }),
  'an l2 ball': l2Ball({ radius: 0.9 }),
  'an l1 ball': l1Ball({ radius: 1.2 }),
  'a simplex': simplex(),
  'a slab': slab({ normal: [1, 1, 1, 1], lower: -1, upper: 1.1 }),
}

for (const part of parts.mirror) {
  const make = part as unknown as (options: object) => Mirror
  const { name, examples } = part.definition
  examples(4).forEach((options, index) => {
    describe(`${name} ${index + 1}`, () => {
      const accepted = Object.entries(sets).filter(([title, set]) => accepts(make(options), set, `${name} on ${title}`))

      test('works on a set at least', () => {
        expect(accepted.length).toBeGreaterThan(0)
      })

      describe.each(accepted)('on %s', (_, set) => {
        mirrorConforms(() => make(options), set)
      })
    })
  })
}

/** A mirror may refuse a set, but only by saying so. */
function accepts(mirror: Mirror, set: ConvexSet, title: string): boolean {
  try {
    mirror.start(beginning(4, { start: [0.4, 0.3, 0.2, 0.1], set }))
    return true
  } catch (error) {
    expect(error, title).toMatchObject({ name: 'ZerothError', code: 'invalid-set' })
    return false
  }
}
