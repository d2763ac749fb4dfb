import { expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { makeAnswers } from '../core/answers.ts'
import { given } from '../directions/given.ts'
import { majorityVote } from './majority-vote.ts'

const directions = [
  [1, -1, 0],
  [1, 1, 1],
  [1, -1, -1],
]

function votes(changes: number[], failed: number[] = []) {
  const along = given({ direction: (_, row) => directions[row] as number[] })
  const at = beginning(3)
  const estimation = majorityVote({ along, directions: 3 }).begin(at)
  const answers = makeAnswers(4)
  answers.values.set([10, ...changes.map((change) => 10 + change)])
  for (const row of failed) answers.failed[row] = 1
  const gradient = new Float64Array(3)
  const kept = estimation.estimate(at.start, 1, answers, gradient)
  return { kept, votes: Array.from(gradient) }
}

test('each direction votes with the sign of its own estimate', () => {
  expect(votes([0.1, 5, -2])).toEqual({ kept: 3, votes: [1, 1, 2] })
})

test('the size of a change does not matter', () => {
  expect(votes([1e-9, 1e200, -3])).toEqual(votes([0.1, 5, -2]))
})

test('no change is no vote', () => {
  expect(votes([0, 0, 1])).toEqual({ kept: 3, votes: [1, -1, -1] })
})

test('a failed direction has no vote', () => {
  expect(votes([0.1, 5, -2], [2])).toEqual({ kept: 2, votes: [0, 0, 1] })
})
