import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fewestPairs, paired } from './paired.ts'

describe('paired values', () => {
  test('have means, a mean difference and its 99 % interval', () => {
    const found = paired([1, 2, 3, 4, 5, 6].map((other) => [other + 2 - (other % 2), other]))
    expect(found).toMatchObject({ pairs: 6, mean: 5, otherMean: 3.5, difference: 1.5, direction: 'more' })
    // t(5) = 4.0321 at 99.5 %; the standard error is sqrt(0.3 / 6).
    expect((found.high - found.difference) / (4.0321 * Math.sqrt(0.3 / 6))).toBeCloseTo(1, 1)
  })

  test('decide nothing where they are few, or contradict each other', () => {
    const few = Array.from({ length: fewestPairs - 1 }, (): [number, number] => [1, 0])
    expect(paired(few).direction).toBe('unclear')
    expect(paired([...few, [1, 0]]).direction).toBe('more')
    expect(paired([3, -3, 3, -3, 3, -3].map((x) => [x, 0])).direction).toBe('unclear')
    expect(paired([]).direction).toBe('unclear')
  })

  test('without a number are left out', () => {
    const found = paired([
      [Number.NaN, 1],
      [1, Number.POSITIVE_INFINITY],
      [2, 1],
    ])
    expect(found).toMatchObject({ pairs: 1, difference: 1, direction: 'unclear' })
  })

  test('say the opposite when they are exchanged', () => {
    const number = fc.double({ min: -10, max: 10, noNaN: true })
    const opposite = { less: 'more', more: 'less', unclear: 'unclear' }
    fc.assert(
      fc.property(fc.array(fc.tuple(number, number), { maxLength: 20 }), (pairs) => {
        const exchanged = paired(pairs.map(([one, other]) => [other, one]))
        expect(exchanged.direction).toBe(opposite[paired(pairs).direction])
      }),
    )
  })
})
