import { describe, expect, test } from 'vitest'
import { embeddedNames } from './embedded-names.ts'
import { parseRates, rateIn, readRates } from './rates-file.ts'

const sound = { found: 'provisional', constrained: { 'zo-adamm': 0.05 }, unconstrained: {} }

describe('a file of rates', () => {
  test('says how they were found, with as much of the search as there is', () => {
    const full = { ...sound, found: 'a grid', search: { grid: [0.1, 0.2], seeds: { first: 1 }, note: null } }
    expect(parseRates(JSON.stringify(full), 'a.json')).toEqual(full)
    expect(parseRates(JSON.stringify(sound), 'a.json')).toEqual(sound)
  })

  test.each([
    ['{', /^a\.json is not JSON: /],
    ['[]', 'a.json takes an options object, got Array(0)'],
    [JSON.stringify({ ...sound, found: '' }), 'a.json.found'],
    [
      JSON.stringify({ ...sound, constrained: { 'zo-adamm': 0 } }),
      'a.json.constrained.zo-adamm must be above 0, got 0',
    ],
    [JSON.stringify({ ...sound, constrained: { 'zo-adamm': '1' } }), 'a.json.constrained.zo-adamm must be a number'],
    [JSON.stringify({ found: 'a', constrained: {} }), 'a.json.unconstrained is required'],
    [JSON.stringify({ ...sound, unconstraned: {} }), 'a.json has no option unconstraned; did you mean unconstrained?'],
  ])('%s is refused', (text, message) => {
    expect(() => parseRates(text, 'a.json')).toThrow(message)
  })
})

test.each(embeddedNames)('every method of the paper has a rate for %s in the form it is made for', (name) => {
  const { constrained, unconstrained } = readRates(name)
  expect(Object.keys(constrained).sort()).toEqual(['zo-adamm', 'zo-nes', 'zo-psgd', 'zo-smd'])
  expect(Object.keys(unconstrained).sort()).toEqual(['zo-adamm', 'zo-scd', 'zo-sgd', 'zo-sign-sgd'])
})

test('names that objects have anyway are no solvers', () => {
  expect(rateIn({ 'zo-adamm': 0.1 }, 'zo-adamm')).toBe(0.1)
  expect(rateIn({ 'zo-adamm': 0.1 }, 'constructor')).toBeUndefined()
})
