import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { randomSpec } from '../../../test/specs/random-spec.ts'
import { knowAllParts } from './all-parts.ts'
import { knownParts } from './compile-part.ts'
import { compileSpec } from './compile-spec.ts'
import type { JsonObject } from './plain-data.ts'
import { specSchema } from './schemas.ts'
import { specOptions } from './spec.ts'

knowAllParts()

const schema = specSchema()
const validator = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])
const accepts = (spec: unknown): boolean => validator.safeParse(spec).success

test('every key and every part with its options is described', () => {
  const { properties, definitions } = schema as { properties: JsonObject; definitions: JsonObject }
  expect(Object.keys(properties)).toEqual(Object.keys(specOptions.shape))
  for (const property of Object.values(properties)) expect(property).toHaveProperty('description')
  for (const [kind, definition] of Object.entries(definitions)) {
    const { oneOf } = definition as { oneOf: { enum?: string[]; properties?: JsonObject }[] }
    const objects = oneOf.filter(({ properties }) => properties !== undefined)
    const known = knownParts(kind as 'set')
    expect(objects.map((each) => each.properties?.name)).toEqual(known.map((part) => ({ const: part.definition.name })))
    for (const name of oneOf.flatMap((each) => each.enum ?? []))
      expect(known.map((part) => part.definition.name)).toContain(name)
    known.forEach((part, i) => {
      expect(Object.keys(objects[i]?.properties ?? {})).toEqual(['name', ...Object.keys(part.definition.options.shape)])
    })
  }
})

test('nothing in it is left over from the conversion', () => {
  const text = JSON.stringify(schema)
  for (const word of [
    '"part"',
    '"numbers"',
    '"path":true',
    '"blackBox"',
    '__schema',
    '"default":null',
    '9007199254740991',
  ]) {
    expect(text).not.toContain(word)
  }
  expect(text).not.toMatch(/\{"not":\{\}\}/)
})

describe('it accepts', () => {
  test('what compiles, and what it resolves to', () => {
    fc.assert(
      fc.property(randomSpec, (spec) => {
        // The word for -0, which a run writes and no author does, is left out of the schema.
        const plain = JSON.parse(JSON.stringify(spec)) as JsonObject
        expect(accepts(plain)).toBe(true)
        expect(accepts(compileSpec(plain).resolved)).toBe(true)
      }),
      { seed: 3, numRuns: 60 },
    )
  })
})

test.each([
  [{}],
  [{ objective: 'rosenbrok' }],
  [{ objective: 'exec', dim: 3 }],
  [{ objective: { name: 'exec' }, dim: 3 }],
  [{ objective: 'quadratic', sed: 3 }],
  [{ objective: 'quadratic', seed: -1 }],
  [{ objective: 'quadratic', bounds: [1] }],
  [{ objective: 'quadratic', solver: { name: 'zo-sgd', directions: 1.5 } }],
  [{ objective: 'quadratic', solver: { name: 'zo-sgd', smothing: 1 } }],
  [{ objective: 'quadratic', solver: { name: 'zo-sgd', learningRate: { value: 1, decay: 'fast' } } }],
  [{ objective: 'quadratic', solver: { name: 'descent', estimator: 'forward', step: 'plain' } }],
  [{ objective: 'quadratic', set: { name: 'intersection', sets: ['l2-ball'] } }],
  [{ objective: 'quadratic', retry: { sleep: 1 } }],
])('it refuses %j', (spec) => {
  expect(accepts(spec)).toBe(false)
})
