import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bounds,
  collected,
  commandWords,
  jsonOrText,
  milliseconds,
  number,
  positiveNumber,
  start,
  variable,
  wholeNumber,
} from './option-values.ts'

test('numbers are finite', () => {
  expect(number('-1e-3')).toBe(-0.001)
  for (const text of ['', ' ', 'x', 'NaN', 'Infinity', '1e999', '1,2']) expect(() => number(text)).toThrow('a number')
  expect(positiveNumber('0.5')).toBe(0.5)
  for (const text of ['0', '-1']) expect(() => positiveNumber(text)).toThrow('above 0')
})

test('whole numbers are whole and large enough', () => {
  expect(wholeNumber(1)('5000')).toBe(5000)
  expect(wholeNumber(1)('1e6')).toBe(1_000_000)
  expect(wholeNumber(1)('10_000')).toBe(10_000)
  for (const text of ['0', '-1', '1.5', 'x', '', '1e99', '0x10', '_', 'e5']) {
    expect(() => wholeNumber(1)(text), text).toThrow('a whole number of at least 1')
  }
})

test.each([
  ['500', 500],
  ['500ms', 500],
  ['1.5s', 1500],
  ['2m', 120_000],
  ['2 min', 120_000],
  ['1h', 3_600_000],
])('the time %s has %d ms', (text, value) => {
  expect(milliseconds(text)).toBe(value)
})

test('a time must be above 0 and have a known unit', () => {
  for (const text of ['0', '-1s', '3d', 's', '']) expect(() => milliseconds(text), text).toThrow('a time above 0')
})

test('bounds are two numbers for all variables, or a pair for each', () => {
  expect(bounds('-1,1')).toEqual([-1, 1])
  expect(bounds('-1:1')).toEqual([-1, 1])
  expect(bounds('-1:1,0:5,2:1e3')).toEqual([
    [-1, 0, 2],
    [1, 5, 1000],
  ])
  for (const text of ['1', '1,2,3', '1,x', ',', '1:2,3', '1:2:3', ':', '1:2,'])
    expect(() => bounds(text), text).toThrow(/number/)
})

test('a start is a number, numbers, or a file with a list of them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-start-'))
  const file = join(folder, 'x.json')
  try {
    expect(start('0.5')).toBe(0.5)
    expect(start('-1,2e3')).toEqual([-1, 2000])
    writeFileSync(file, '[1, -2.5]')
    expect(start(file)).toEqual([1, -2.5])
    writeFileSync(file, '{"a": 1}')
    expect(start(file)).toEqual({ a: 1 })
    writeFileSync(file, '{"a": "1"}')
    expect(() => start(file)).toThrow('must hold a JSON list of numbers')
    expect(() => start(join(folder, 'none'))).toThrow('numbers or a file with a JSON list: ENOENT')
    expect(() => start('1,,2')).toThrow('a number')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('options that may be repeated keep all that was given', () => {
  expect(collected('b', collected('a'))).toEqual(['a', 'b'])
  expect(jsonOrText('0.5')).toBe(0.5)
  expect(jsonOrText('{"a":[1]}')).toEqual({ a: [1] })
  expect(jsonOrText('zo-sgd')).toBe('zo-sgd')
})

test.each([
  ['python3 objective.py', ['python3', 'objective.py']],
  ['  a   b\tc\n', ['a', 'b', 'c']],
  [`sh -c 'echo "$HOME"; ls *'`, ['sh', '-c', 'echo "$HOME"; ls *']],
  [`a "b c" d"e f"g`, ['a', 'b c', 'de fg']],
  [`a '' ""`, ['a', '', '']],
  [`a\\ b "c\\"d" 'e\\f'`, ['a b', 'c"d', 'e\\f']],
])('%s', (text, words) => {
  expect(commandWords(text)).toEqual(words)
})

test('words with any characters arrive as they are when they are quoted', () => {
  const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (words) => {
      expect(commandWords(words.map(quoted).join(' '))).toEqual(words)
    }),
  )
})

test('no command and open quotes are errors', () => {
  expect(() => commandWords('  ')).toThrow('--exec must be a command, got nothing')
  expect(() => commandWords('a "b')).toThrow('--exec: the quote " is never closed in: a "b')
})

test('variables have a name, two ends and perhaps a scale; they add up', () => {
  const first = variable('rate=1e-5..0.1:log')
  expect(first).toEqual({ rate: { from: 1e-5, to: 0.1, scale: 'log' } })
  expect(variable('width=-4..+4.5', first)).toEqual({ ...first, width: { from: -4, to: 4.5 } })
  for (const text of ['rate', 'rate=1', 'rate=1..', '=0..1', 'rate=0..x', 'rate=0..Infinity', 'rate= .. ', '']) {
    expect(() => variable(text), text).toThrow('It must be like width=0..4 or rate=1e-5..0.1:log.')
  }
  expect(() => variable('rate=0..1', first)).toThrow('The variable rate is given twice.')
})

test('a start by name', () => {
  expect(start('rate=0.01,width=-2')).toEqual({ rate: 0.01, width: -2 })
  for (const text of ['rate=', '=1', 'rate=1,2', 'a=1=2', 'a=x']) expect(() => start(text), text).toThrow(/It must be/)
  expect(() => start('a=1,a=2')).toThrow('A name is given twice.')
})
