import { describe, expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { type BorderProgress, borderBeginning } from './border-moves.ts'
import { beginWalk, nextTurn, type Standing } from './rival-turns.ts'

/** A walk along the border of class 1 with so many looks and queries since it began, 1 away from the origin. */
function walk(looks: number, used: number): BorderProgress {
  const settings = { directions: 4, refinement: 8, smoothing: 1e-3, firstStep: 0.1, growth: 1.2 }
  const state = borderBeginning(beginning(4), settings)
  beginWalk(state, 1, 1, 1)
  return Object.assign(state, { looks, used })
}

const standing = (changes: Partial<Standing> = {}): Standing => ({
  own: 1,
  ownRadius: 1,
  bestRadius: 1,
  reach: Float64Array.of(Infinity, 0.9, 0.7, 0.8),
  dim: 784,
  ...changes,
})

const fresh = () => Float64Array.of(0, 1, 0, 0)

describe('on the way', () => {
  test('turns to the nearest border that seems a tenth nearer than its own, after three looks', () => {
    expect(nextTurn(walk(3, 150), fresh(), standing())).toEqual({ to: 'stay' })
    expect(nextTurn(walk(4, 200), fresh(), standing())).toEqual({ to: 'rival', rival: 2 })
    const close = { reach: Float64Array.of(Infinity, 0.9, 0.82, 0.83) }
    expect(nextTurn(walk(4, 200), fresh(), standing(close))).toEqual({ to: 'stay' })
  })

  test('stays until it has succeeded once, so that two borders which both seem near do not take turns', () => {
    expect(nextTurn(walk(9, 300), fresh(), standing({ ownRadius: Infinity, bestRadius: 2 }))).toEqual({ to: 'stay' })
  })

  test('leaves a border that seems further away than the best success', () => {
    const far = { ownRadius: Infinity, bestRadius: 0.8, reach: Float64Array.of(Infinity, 0.83, 0.85, 0.9) }
    const walked = fresh()
    expect(nextTurn(walk(3, 150), walked, standing(far))).toEqual({ to: 'stay' })
    expect(nextTurn(walk(4, 200), walked, standing(far))).toEqual({ to: 'best' })
    expect(Array.from(walked)).toEqual([0, 3, 0, 0])
  })
})

describe('a walk that has come nearer by less than a percent in 400 queries, or a quarter of the variables', () => {
  test('is over: borders up to 5 percent further away than the best success are tried, each up to three times', () => {
    const reach = Float64Array.of(Infinity, 0.99, 1.04, 1.06)
    expect(nextTurn(walk(2, 399), fresh(), standing({ reach }))).toEqual({ to: 'stay' })
    expect(nextTurn(walk(2, 400), fresh(), standing({ reach, dim: 1604 }))).toEqual({ to: 'stay' })
    expect(nextTurn(walk(2, 400), fresh(), standing({ reach }))).toEqual({ to: 'rival', rival: 2 })
    expect(nextTurn(walk(2, 400), Float64Array.of(0, 1, 3, 0), standing({ reach }))).toEqual({ to: 'stay' })
  })

  test('goes on where it is the best, and back to the best where it is not', () => {
    const reach = Float64Array.of(Infinity, 0.99, 2, 2)
    expect(nextTurn(walk(2, 400), fresh(), standing({ reach }))).toEqual({ to: 'stay' })
    expect(nextTurn(walk(2, 400), fresh(), standing({ reach, bestRadius: 0.98 }))).toEqual({ to: 'best' })
  })

  test('is measured again from there', () => {
    const state = walk(2, 400)
    const reach = Float64Array.of(Infinity, 0.9, 2, 2)
    const walked = fresh()
    nextTurn(state, walked, standing({ reach, ownRadius: 0.95, bestRadius: 0.95 }))
    expect([state.markUsed, state.markRadius, walked[1]]).toEqual([400, 0.95, 1])
  })
})
