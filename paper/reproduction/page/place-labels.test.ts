import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { placeLabels } from './place-labels.ts'

describe('labels of points', () => {
  test('stand at the upper right, or at the first free corner', () => {
    const label = { x: 100, y: 100, text: 'one' }
    expect(placeLabels([label], [label], 400)).toEqual([{ ...label, anchor: 'start', dx: 7, dy: -7 }])
    const crowd = [{ x: 112, y: 92 }]
    expect(placeLabels([label], [label, ...crowd], 400)).toEqual([{ ...label, anchor: 'start', dx: 7, dy: 7 }])
    const edge = { x: 399, y: 100, text: 'one' }
    expect(placeLabels([edge], [edge], 400)).toEqual([{ ...edge, anchor: 'end', dx: -7, dy: -7 }])
  })

  test('are left out where there is no room, unless they are needed', () => {
    const label = { x: 100, y: 100, text: 'one' }
    const crowd = [-10, 10].flatMap((dx) => [-8, 8].map((dy) => ({ x: 100 + dx, y: 100 + dy })))
    expect(placeLabels([label], crowd, 400)).toEqual([])
    expect(placeLabels([{ ...label, isNeeded: true }], crowd, 400)).toHaveLength(1)
  })

  test('never cover each other, and those that are needed come first', () => {
    const number = fc.integer({ min: 20, max: 380 })
    const labels = fc.array(fc.record({ x: number, y: number, text: fc.constantFrom('a', '0.01', 'SimBA') }))
    fc.assert(
      fc.property(labels, (wanted) => {
        const placed = placeLabels(wanted, wanted, 400)
        const boxes = placed.map(({ x, y, dx, dy, anchor, text }) => {
          const long = 5.6 * text.length
          const left = anchor === 'start' ? x + dx : x + dx - long
          return { left, right: left + long, middle: y + dy }
        })
        for (const [i, a] of boxes.entries()) {
          for (const b of boxes.slice(i + 1)) {
            expect(a.left < b.right && b.left < a.right && Math.abs(a.middle - b.middle) < 11).toBe(false)
          }
        }
      }),
    )
    const [first] = placeLabels(
      [
        { x: 10, y: 50, text: 'b' },
        { x: 10, y: 50, text: 'a', isNeeded: true },
      ],
      [],
      400,
    )
    expect(first?.text).toBe('a')
  })
})
