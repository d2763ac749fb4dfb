import { expect, test } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../plain-data.ts'
import { attackOptions } from './attack-options.ts'
import { attackSchema } from './attack-schema.ts'
import { compileAttack } from './compile-attack.ts'

const schema = attackSchema()
const validator = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])
const accepts = (spec: unknown): boolean => validator.safeParse(spec).success

test('schema/attack.schema.json is what the package publishes: npm run gen writes it', async () => {
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot('../../../schema/attack.schema.json')
})

test('every key is described, and nothing is left over from the conversion', () => {
  const { properties } = schema as { properties: JsonObject }
  expect(Object.keys(properties)).toEqual(Object.keys(attackOptions.shape))
  for (const property of Object.values(properties)) expect(property).toHaveProperty('description')
  const text = JSON.stringify(schema)
  for (const word of ['"part"', '"numbers"', '"path":true', '__schema', '"default":null', '{"not":{}}']) {
    expect(text.includes(word), word).toBe(false)
  }
})

const shape = { channels: 1, height: 2, width: 2 }
const good: readonly JsonObject[] = [
  { model: 'digits' },
  { model: { name: 'cifar10', batch: 4 }, images: 'cifar10:tuning', solver: 'zo-sgd', problem: 'unconstrained' },
  { model: 'net.onnx', images: { folder: { folder: 'photos', resize: 'stretch' } }, target: 'next', failUnder: 0.5 },
  {
    model: {
      name: 'linear',
      shape,
      weights: [
        [1, 2, 3, 4],
        [0, 0, 0, 0],
      ],
    },
    images: { idx: { images: 'a', labels: 'b' } },
  },
  {
    model: { name: 'http', url: 'http://127.0.0.1/', shape, classes: 3, headers: { key: { env: 'KEY' } } },
    images: 'f',
  },
  {
    model: { name: 'open-inference', url: { env: 'ADDRESS' }, model: 'm' },
    images: { cifar: { images: ['a.png'] } },
    solver: { name: 'zo-adamm', beta1: 0.5 },
    problem: { name: 'constrained', linf: 0.1 },
    learningRate: { value: 0.1, decay: 'none' },
    permitted: true,
    rate: 5,
  },
]

test.each(good)('it accepts what compiles, and what it resolves to: %j', (spec) => {
  expect(accepts(spec)).toBe(true)
  const { resolved } = compileAttack(spec)
  expect(validator.safeParse(resolved).error?.issues).toBeUndefined()
})

test.each([
  {},
  { model: 3 },
  { model: { name: 'nothing' } },
  { model: 'digits', image: 'digits' },
  { model: 'digits', failUnder: 50 },
  { model: 'digits', target: '' },
  { model: 'digits', problem: 'constrain' },
  { model: 'digits', images: { folder: { folder: 'a', resize: 'crop' } } },
])('it refuses %j', (spec) => {
  expect(accepts(spec)).toBe(false)
})
