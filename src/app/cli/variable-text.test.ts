import { expect, test } from 'vitest'
import { variable, variableOfText, withValues } from './variable-text.ts'

const mistake =
  /^(It must be like width=0..4, rate=1e-5..0.1:log, threads=1..16:int|A range ends with :int|A condition)/

test('variables have a name, two ends and perhaps a scale; they add up', () => {
  const first = variable('rate=1e-5..0.1:log')
  expect(first).toEqual({ rate: { from: 1e-5, to: 0.1, scale: 'log' } })
  expect(variable('width=-4..+4.5', first)).toEqual({ ...first, width: { from: -4, to: 4.5 } })
  expect(() => variable('rate=0..1', first)).toThrow('The variable rate is given twice.')
})

test.each([
  ['1..16:int', { from: 1, to: 16, step: 1 }],
  ['1..512:int:log', { from: 1, to: 512, step: 1, scale: 'log' }],
  ['0..1:step=0.05', { from: 0, to: 1, step: 0.05 }],
  ['32..2048:log2', { from: 32, to: 2048, factor: 2 }],
  ['1e-5..1:log10', { from: 1e-5, to: 1, factor: 10 }],
  ['1..81:factor=3', { from: 1, to: 81, factor: 3 }],
  ['a|b|c', { choices: ['a', 'b', 'c'] }],
  ['false|true', { choices: [false, true] }],
  ['true|maybe', { choices: ['true', 'maybe'] }],
  ['16|32.5|-1', { choices: [16, 32.5, -1] }],
  ['1.9|1.10', { choices: ['1.9', '1.10'] }],
  ['1..5:int?mode=tree', { from: 1, to: 5, step: 1, when: { mode: ['tree'] } }],
  ['0..1?mode=tree|grid&deep=true', { from: 0, to: 1, when: { mode: ['tree', 'grid'], deep: ['true'] } }],
])('%s', (text, expected) => {
  expect(variableOfText(text)).toEqual(expected)
})

test.each([
  ...['rate', 'rate=1', 'rate=1..', '=0..1', 'rate=0..x', 'rate=0..Infinity', 'rate= .. ', '', 'rate=a', 'rate=a||b'],
  ...['rate=0..1:lg', 'rate=0..1:', 'rate=0..1:step=', 'rate=0..1?', 'rate=0..1?mode', 'rate=0..1?mode='],
])('%s is refused', (text) => {
  expect(() => variable(text)).toThrow(mistake)
})

test('values in conditions are those of the variable that they are of', () => {
  const given = ['deep=false|true', 'levels=1..4:int', 'version=1.9|1.10', 'a=0..1?deep=true&levels=2|3&version=1.10']
  const all = given.reduce((before, text) => variable(text, before), {})
  expect(withValues(all).a?.when).toEqual({ deep: [true], levels: [2, 3], version: ['1.10'] })
})
