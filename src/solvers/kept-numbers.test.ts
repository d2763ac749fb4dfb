import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scalarKernels } from '../kernels/scalar.ts'
import { keptNumbers } from './kept-numbers.ts'

describe.each(['float64', 'float32'] as const)('in %s', (precision) => {
  const at = { kernels: scalarKernels, precision } as Parameters<typeof keptNumbers>[0]

  test('every number comes back to the bit, also from a copy of its words', () => {
    fc.assert(
      fc.property(fc.double(), fc.double(), (a, b) => {
        const numbers = keptNumbers(at, { a: 1, b: 2 })
        numbers.set('a', a)
        numbers.set('b', b)
        const copy = keptNumbers(at, { a: 0, b: 0 })
        copy.words.set(numbers.words)
        expect([copy.get('a'), copy.get('b')]).toEqual([a, b])
        expect(Object.is(numbers.get('a'), a)).toBe(true)
      }),
      { examples: [[Number.NaN, -0]] },
    )
  })

  test('they begin as given, in a vector of that precision', () => {
    const numbers = keptNumbers(at, { large: 2 ** 40 + 1, none: Number.NaN })
    expect([numbers.get('large'), numbers.get('none')]).toEqual([1099511627777, Number.NaN])
    expect(numbers.words).toBeInstanceOf(precision === 'float32' ? Float32Array : Float64Array)
  })
})
