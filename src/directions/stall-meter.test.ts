import { describe, expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { restoreMemory, saveMemory } from '../core/memory.ts'
import type { Precision } from '../core/types.ts'
import { stallMeter } from './stall-meter.ts'

describe.each<Precision>(['float64', 'float32'])('in %s', (precision) => {
  const meter = (patience: number) => stallMeter(beginning(1, { precision }), patience)
  const stalls = (patience: number, values: readonly number[]): boolean[] => {
    const { hasStalled } = meter(patience)
    return values.map(hasStalled)
  }

  test('notices that nothing got better, again and again', () => {
    expect(stalls(2, [5, 5, 6, 5, 5, 4, 4, 4])).toEqual([false, false, true, false, true, false, false, true])
  })

  test('gains of less than a part in 1000 are none, until together they are more', () => {
    expect(stalls(3, [1, 0.9995, 0.9993, 0.998, 0.9975, 0.9974])).toEqual(new Array(6).fill(false))
    expect(stalls(3, [1, 0.9995, 0.9993, 0.9991])).toEqual([false, false, false, true])
    expect(stalls(1, [-1, -1.0005, -1.002])).toEqual([false, true, false])
  })

  test('unknown values do not count', () => {
    expect(stalls(1, [Number.NaN, 3, Number.NaN, 3])).toEqual([false, false, false, true])
  })

  test('its memory is all there is', () => {
    const values = [3.3, 3.1, 3.2, 3.0999, 2, 2, 2, 2.1, 1e-9, 1e-9, 1e-9]
    const expected = stalls(3, values)
    let current = meter(3)
    const found = values.map((value) => {
      const next = meter(3)
      restoreMemory(next.memory, saveMemory(current.memory))
      current = next
      return current.hasStalled(value)
    })
    expect(found).toEqual(expected)
    expect(found).toContain(true)
  })
})
