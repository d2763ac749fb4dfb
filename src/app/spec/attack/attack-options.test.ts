import { expect, test } from 'vitest'
import { z } from 'zod'
import * as attackMethods from '../../../robustness/methods/parts.ts'
import type { JsonObject } from '../plain-data.ts'
import { attackSchema } from '../schemas.ts'
import { attackOptions } from './attack-options.ts'
import { compileAttack } from './compile-attack.ts'
import { robustnessOf } from './open-attack.ts'
import { limitsOf } from './resolved-attack.ts'

const resolved = async (spec: object) => (await compileAttack({ model: 'digits', ...spec })).resolved

test('methods of attacks name no other part by default: `zeroth attack` loads none for them', async () => {
  const methods = Object.values(attackMethods).map(({ definition }) => definition.name)
  for (const solver of methods) {
    const named = JSON.stringify((await resolved({ solver })).solver).matchAll(/"name":"([^"]*)"/g)
    expect(methods).toEqual(expect.arrayContaining([...named].map(([, name]) => name)))
  }
})

test('fractions are numbers in the resolved spec, also within the problem', async () => {
  expect(await resolved({ linf: '8/255', failUnder: '1/2' })).toMatchObject({
    problem: { name: 'constrained', linf: 8 / 255 },
    failUnder: 0.5,
  })
  expect((await resolved({ problem: { name: 'constrained', l2: '3/2' } })).problem).toEqual({
    name: 'constrained',
    l2: 1.5,
  })
})

test('several limits are kept in order, demands with them, and the problem has the largest', async () => {
  const spec = await resolved({ linf: ['8/255', '2/255', 0.1], failUnder: [0.2, 0.9, 0.1] })
  expect(spec).toMatchObject({ linf: [2 / 255, 8 / 255, 0.1], failUnder: [0.9, 0.2, 0.1], problem: { linf: 0.1 } })
  expect(limitsOf(spec)).toEqual({ norm: 'linf', sizes: [2 / 255, 8 / 255, 0.1] })
  expect(await resolved(spec)).toEqual(spec)
})

test('a list of one is that one', async () => {
  expect(await resolved({ l2: [2], failUnder: [0.5] })).toMatchObject({ problem: { l2: 2 }, failUnder: 0.5 })
  expect(await resolved({ l2: [2] })).not.toHaveProperty('l2')
})

test('the evaluation is given the smaller limits, the largest of them first', async () => {
  const { smaller = [] } = await robustnessOf(await resolved({ l2: [1, 0.25, 0.5], linf: 0.3 }))
  const limits = smaller.map((form) => form.start([new Float32Array(1)]).limits)
  expect(limits).toEqual([
    { linf: 0.3, l2: 0.5 },
    { linf: 0.3, l2: 0.25 },
  ])
})

test.each([
  [{ linf: '8/0' }, 'spec.linf must not divide by 0, got "8/0"'],
  [{ linf: ['0.1', '1/2/3'] }, 'spec.linf.1 must be a number or a fraction, as in 8/255, got "1/2/3"'],
  [{ problem: { name: 'constrained', l2: 'x' } }, 'spec.problem.l2 must be a number or a fraction'],
  [{ linf: [] }, 'spec.linf'],
  [{ linf: [0.1, -0.1] }, 'spec.linf'],
  [{ linf: 8 }, 'spec.linf must be at most 1, got 8; did you mean 8/255?'],
  [{ linf: [0.1, 16] }, 'spec.linf.1 must be at most 1, got 16; did you mean 16/255?'],
  [{ problem: { name: 'constrained', linf: 8 } }, 'must be at most 1, got 8; did you mean 8/255?'],
  [{ failUnder: 80 }, 'spec.failUnder must be at most 1, got 80; did you mean 0.8?'],
  [{ linf: [0.1, 0.2], problem: 'unconstrained' }, 'spec.linf does nothing for unconstrained'],
])('refuses %j', async (spec, message) => {
  await expect(resolved(spec)).rejects.toThrow(message)
})

const schema = attackSchema()
const validator = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])
const accepts = (spec: unknown): boolean => validator.safeParse(spec).success

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

test.each(good)('it accepts what compiles, and what it resolves to: %j', async (spec) => {
  expect(accepts(spec)).toBe(true)
  const { resolved } = await compileAttack(spec)
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
