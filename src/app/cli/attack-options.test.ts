import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { cliFolder } from '../../../test/cli/cli-folder.ts'
import { attackSchema } from '../spec/attack/index.ts'
import { attackFromOptions } from './attack-options.ts'

const place = cliFolder()
mkdirSync(place('specs'))
const file = place('specs', 'a.yaml')
const spec = {
  model: 'http://h',
  modelName: 'm',
  images: 'photos',
  resize: 'stretch',
  solver: { name: 'zo-sgd', learningRate: 1 },
  count: 3,
}
writeFileSync(file, JSON.stringify(spec))

test('options overrule the file, key by key', () => {
  const given = attackFromOptions(file, {
    count: 5,
    learningRate: 0.1,
    universal: true,
    option: ['solver.directions=4'],
  })
  expect(given.spec).toEqual({
    ...spec,
    count: 5,
    learningRate: 0.1,
    universal: true,
    solver: { name: 'zo-sgd', learningRate: 1, directions: 4 },
  })
  expect(given).toMatchObject({ file, folder: place('specs') })
  expect(given.locate(['count'])).toBe('--count: ')
  expect(given.locate(['learningRate'])).toBe('--learning-rate: ')
  expect(given.locate(['solver', 'directions'])).toBe('--option: ')
  expect(given.locate(['images'])).toContain('a.yaml:1:')
})

test('another model or other images leave behind what belonged to the first', () => {
  const { spec: made } = attackFromOptions(file, { model: 'digits', images: 'digits:tuning' })
  expect(made).toEqual({ model: 'digits', images: 'digits:tuning', solver: spec.solver, count: 3 })
})

test('another solver brings its own options; the same one keeps those of the file', () => {
  expect(attackFromOptions(file, { solver: 'zo-adamm' }).spec.solver).toBe('zo-adamm')
  expect(attackFromOptions(file, { solver: 'zo-sgd' }).spec.solver).toEqual(spec.solver)
})

test('paths of options begin in the current folder, those of the file in its own', () => {
  const { spec: made } = attackFromOptions(undefined, { model: 'a.onnx', images: 'b', preprocessing: 'c.json' })
  expect(made).toEqual({ model: resolve('a.onnx'), images: resolve('b'), preprocessing: resolve('c.json') })
  expect(attackFromOptions(undefined, { model: 'http://h/a.json', images: 'cifar10' }).spec).toEqual({
    model: 'http://h/a.json',
    images: 'cifar10',
  })
})

test('what needs more words may be written as JSON', () => {
  const { spec: made } = attackFromOptions(undefined, {
    model: '{"name": "digits", "batch": 4}',
    images: '{"idx": {}}',
  })
  expect(made).toEqual({ model: { name: 'digits', batch: 4 }, images: { idx: {} } })
})

test('what needs more words may be written as YAML, as the help shows it', () => {
  const { preprocessing } = attackSchema().properties as { preprocessing: { description: string } }
  const [example] = /\{.*\}/.exec(preprocessing.description) ?? []
  const { spec: made } = attackFromOptions(undefined, { model: '{ name: digits, batch: 4 }', preprocessing: example })
  expect(made).toEqual({ model: { name: 'digits', batch: 4 }, preprocessing: { range: [0, 1], mean: 0.5 } })
})

test.each([
  ['{ range: [0, 1 }', '--preprocessing:1:16: '],
  ['{ range: [0, 1], range: [0, 2] }', '--preprocessing:1:18: the key range appears twice'],
])('settings that cannot be read are refused, not taken for a file: %s', (preprocessing, message) => {
  expect(() => attackFromOptions(undefined, { model: 'a.onnx', preprocessing })).toThrow(message)
})

test('there is one spec and one model', () => {
  expect(() => attackFromOptions(file, { config: join('b.yaml') })).toThrow('there can be one spec only')
  expect(() => attackFromOptions(undefined, { count: 3 })).toThrow('nothing to attack: give a spec file, or --model')
})
