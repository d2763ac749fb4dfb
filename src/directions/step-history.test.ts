import { describe, expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { restoreMemory, saveMemory } from '../core/memory.ts'
import type { Precision } from '../core/types.ts'
import { StepHistory } from './step-history.ts'

/** The basis of a history, vector by vector. */
function basisOf(history: StepHistory, dim: number): number[][] {
  return Array.from({ length: history.size }, (_, j) => {
    const into = new Float64Array(dim)
    history.add(
      Float64Array.from({ length: 9 }, (_, i) => (i === j ? 1 : 0)),
      into,
    )
    return Array.from(into)
  })
}

describe.each<Precision>(['float64', 'float32'])('in %s', (precision) => {
  const open = (most: number) => {
    const at = beginning(3, { precision })
    const history = new StepHistory(at, most)
    return { history, tell: (...x: number[]) => history.learn(Float64Array.from(x)) }
  }

  test('one point is no step', () => {
    const { history, tell } = open(2)
    expect(history.size).toBe(0)
    tell(1, 2, 3)
    expect(history.size).toBe(0)
  })

  test('has the latest steps, the latest first, and forgets the oldest', () => {
    const { history, tell } = open(2)
    tell(0, 0, 0)
    tell(2, 0, 0)
    expect(basisOf(history, 3)).toEqual([[1, 0, 0]])
    tell(2, 0, -4)
    expect(basisOf(history, 3)).toEqual([
      [0, 0, -1],
      [1, 0, 0],
    ])
    tell(2, 0.5, -4)
    expect(basisOf(history, 3)).toEqual([
      [0, 1, 0],
      [0, 0, -1],
    ])
  })

  test('staying put is no step, and a step along later ones adds nothing', () => {
    const { history, tell } = open(4)
    for (const x of [0, 1, 1, 2, 2]) tell(x, 0, 0)
    expect(basisOf(history, 3)).toEqual([[1, 0, 0]])
    expect(history.memory.state?.kept).toBe(2)
  })

  test('its memory is all there is', () => {
    const whole = open(2)
    let current = open(2)
    for (let t = 0; t < 8; t++) {
      const next = open(2)
      restoreMemory(next.history.memory, saveMemory(current.history.memory))
      current = next
      expect(basisOf(current.history, 3)).toEqual(basisOf(whole.history, 3))
      for (const { tell } of [whole, current]) tell(Math.sin(t), Math.cos(2 * t), t * t)
    }
    expect(whole.history.size).toBe(2)
  })
})
