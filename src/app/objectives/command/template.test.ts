import { describe, expect, test } from 'vitest'
import { namedVariables } from '../../../optimizer/core/variables.ts'
import { checkPlaceholders, filledCommand, filledWord, namesIn, templateOf, valuesByName } from './template.ts'

const values = new Map<string, number | string | boolean | undefined>([
  ['threads', 8],
  ['sgd.rate', 0.001],
  ['flag', ''],
  ['idle', undefined],
  ['mode', '{threads}'],
])

describe('a word with placeholders becomes', () => {
  test.each([
    ['-t{threads}', '-t8'],
    ['--rate={sgd.rate},{threads}', '--rate=0.001,8'],
    ['{{threads}}', '{threads}'],
    ['{"a": {threads}}', '{"a": 8}'],
    ['{"a":{"b":{"c":1}}}', '{"a":{"b":{"c":1}}}'],
    ['{{"a":{"b":{threads}}}}', '{"a":{"b":8}}'],
    ['$' + '{threads} {} {1} { threads }', '$' + '{threads} {} {1} { threads }'],
    ['a{flag}', 'a'],
    // What a value looks like does not matter.
    ['{mode}', '{threads}'],
    ['', ''],
  ])('%s -> %s', (word, filled) => {
    expect(filledWord(templateOf(word), values)).toBe(filled)
  })
})

test('a word is left out where its variable does not matter, or is the empty text and all of it', () => {
  const templates = ['prog', '--depth={idle}', '{flag}', '-t', '{threads}'].map((word) => templateOf(word))
  expect(filledCommand(templates, values)).toEqual(['prog', '-t', '8'])
})

test('only what stays is expanded, never a value', () => {
  const template = templateOf('$A{mode}$A', (text) => text.replaceAll('$A', '{threads}'))
  expect(filledWord(template, values)).toBe('{threads}{threads}{threads}')
  expect(namesIn(template)).toEqual(['mode'])
})

test('a placeholder without a variable, and a variable without a placeholder, are refused by name', () => {
  const variables = namedVariables({ threads: { from: 1, to: 4, step: 1 }, mode: { choices: ['a', 'b'] } })
  expect(() => checkPlaceholders(['thread', 'mode'], variables)).toThrow(
    'command: the placeholder {thread} is no variable; did you mean threads? (known: threads, mode); declare it, as in ' +
      '{thread:1..16}, or write {{thread}} for braces that stay',
  )
  expect(() => checkPlaceholders(['threads'], variables)).toThrow('command: the variable mode changes nothing')
  expect(() => checkPlaceholders(['threads', 'mode', 'mode'], variables)).not.toThrow()
})

test('a variable that only decides whether another one matters needs no placeholder', () => {
  const depth = { from: 1, to: 5, step: 1, when: { mode: 'a' } } as const
  const variables = namedVariables({ mode: { choices: ['a', 'b'] }, depth })
  expect(() => checkPlaceholders(['depth'], variables)).not.toThrow()
  expect([...valuesByName(variables, [1, 3])]).toEqual([
    ['mode', 'b'],
    ['depth', undefined],
  ])
})
