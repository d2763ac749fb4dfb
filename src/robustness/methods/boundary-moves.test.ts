import { expect, test } from 'vitest'
import { beginning } from '../../../test/conformance/directions.ts'
import {
  adapt,
  type BoundaryProgress,
  beBolder,
  beginAttempts,
  beMoreCareful,
  beNearer,
  drawn,
  initialProgress,
  stepDown,
} from './boundary-moves.ts'

const start = beginning(4)
const { kernels } = start
const at = (...numbers: number[]) => Float64Array.from(numbers)
const settings = { directions: 2, refinement: 4, smoothing: 1e-3, firstStep: 0.1, growth: 1.2 }

/** Attempts that begin with an excess of 3, where a hundredth of the way is worth 0.02. */
function attempting(): BoundaryProgress {
  const state = initialProgress(start, settings)
  beginAttempts(state, 3, 1)
  return state
}

test('a step down has the length that is asked for, and none where there is no slope', () => {
  const into = at(0, 0)
  stepDown(kernels, at(1, 1), at(3, -4), 10, into)
  expect(Array.from(into)).toEqual([-5, 9])
  stepDown(kernels, at(1, 1), at(0, 0), 10, into)
  expect(Array.from(into)).toEqual([1, 1])
})

test('a point is drawn by a share of the way', () => {
  const into = at(0, 0)
  drawn(at(1, 4), at(3, -2), 0.5, into)
  expect(Array.from(into)).toEqual([2, 1])
})

test('attempts aim to lose the excess first; a success lets the next ones lose less, twice as much each time', () => {
  const state = attempting()
  expect(state).toMatchObject({ phase: 'attempt', aim: -3, ease: 0.02, pullNow: 0.5 })
  beBolder(state)
  expect(state).toMatchObject({ aim: -2.98, ease: 0.04, pullNow: 0.65, improved: true })
})

test('a miss is corrected by twice what was missing, then the attempt is drawn half as far, three times in all', () => {
  const state = attempting()
  expect(beMoreCareful(state, 0.5)).toBe(true)
  expect(state).toMatchObject({ aim: -4, pullNow: 0.5, missed: 0 })
  expect(beMoreCareful(state, 0.1)).toBe(true)
  expect(state).toMatchObject({ aim: -3, pullNow: 0.25, missed: 1 })
  const more = [1, 2, 3].map(() => beMoreCareful(state, 0.1))
  expect(more).toEqual([true, true, true])
  expect(beMoreCareful(state, 0.1)).toBe(false)
})

test('a miss behind a success ends the attempts', () => {
  const state = attempting()
  beBolder(state)
  expect(beMoreCareful(state, 0.1)).toBe(false)
})

test('where an attempt would not be nearer it is drawn further, all the way at most', () => {
  const state = attempting()
  expect(beNearer(state)).toBe(true)
  expect(state.pullNow).toBe(1)
  expect(beNearer(state)).toBe(false)
})

test('looks that bring nothing make the next ones modest, down to a limit', () => {
  const state = attempting()
  adapt(state)
  expect(state.pull).toBeCloseTo(0.4, 12)
  for (let i = 0; i < 100; i++) adapt(state)
  expect(state).toMatchObject({ pull: 0.01, nearer: 1e-3 })
})
