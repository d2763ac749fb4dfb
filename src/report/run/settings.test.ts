import { expect, test } from 'vitest'
import { differingPaths, settingsOf } from './settings.ts'

test('a spec becomes a flat list in its own order', () => {
  const spec = {
    dim: 3,
    start: Array(9).fill(0.5),
    set: { name: 'box', lower: -0, upper: [1, 2, 3, 4, 5, 6, 7.25] },
    retry: {},
    cache: null,
    trackBest: true,
    none: undefined,
  }
  expect([...settingsOf(spec)].map(([path, { text }]) => [path, text])).toEqual([
    ['dim', '3'],
    ['start', '9 times 0.5'],
    ['set.name', 'box'],
    ['set.lower', '0'],
    ['set.upper', '1, 2, 3, 4, 5, 6, … (7 in all)'],
    ['retry', 'none'],
    ['cache', 'none'],
    ['trackBest', 'yes'],
  ])
})

test('long texts are cut, deep ones are folded, and names of built-in fields are names like any other', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(50)}1${'}'.repeat(50)}`)
  const settings = settingsOf({ text: 'x'.repeat(1000), deep, ...JSON.parse('{"__proto__":{"x":1}}') })
  expect(settings.get('text')?.text).toHaveLength(160)
  expect(settings.get('text')?.exact).toHaveLength(1002)
  expect([...settings.keys()]).toEqual(['text', 'deep.a.a.a.a.a', '__proto__.x'])
})

test('settings differ where one lacks what another has, or where more than the shown part differs', () => {
  const long = Array.from({ length: 20 }, (_, i) => i)
  const one = settingsOf({ a: 1, same: 2, long })
  const two = settingsOf({ same: 2, long: [...long.slice(0, 19), 99], b: 'x' })
  expect(differingPaths([one, two])).toEqual(['a', 'long', 'b'])
  expect(differingPaths([one, one])).toEqual([])
})
