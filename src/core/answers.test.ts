import { expect, test } from 'vitest'
import {
  centerValue,
  clearAnswers,
  copyAnswers,
  makeAnswers,
  markFailures,
  recordFailure,
  recordValue,
} from './answers.ts'

test('fresh and cleared answers hold nothing of an earlier iteration', () => {
  const answers = makeAnswers(2)
  recordValue(answers, 0, 3)
  recordFailure(answers, 1, 'why')
  clearAnswers(answers)
  expect(answers).toEqual({
    values: Float64Array.of(Number.NaN, Number.NaN),
    cached: Uint8Array.of(0, 0),
    retries: 0,
    failed: Uint8Array.of(0, 0),
    reasons: [undefined, undefined],
    kept: null,
    notes: null,
  })
})

test('what is no number is a failure with a reason', () => {
  const answers = makeAnswers(3)
  recordValue(answers, 0, 3)
  recordValue(answers, 1, '3')
  recordValue(answers, 2, { valueOf: () => 3 })
  expect(Array.from(answers.failed)).toEqual([0, 1, 1])
  expect(answers.reasons).toEqual([
    undefined,
    'the objective returned "3" instead of a number',
    'the objective returned [object Object] instead of a number',
  ])
})

test('numbers that are not finite are failures, whoever answered; a reason already given is kept', () => {
  const answers = makeAnswers(5)
  answers.values.set([1, Number.NaN, Infinity, 2, -Infinity])
  recordFailure(answers, 3, 'timed out')
  expect(markFailures(answers, 4)).toBe(3)
  expect(Array.from(answers.failed)).toEqual([0, 1, 1, 1, 0])
  expect(answers.reasons.slice(0, 4)).toEqual([
    undefined,
    'the objective returned NaN',
    'the objective returned Infinity',
    'timed out',
  ])
})

test('full answers bring their failures and reasons along', () => {
  const told = makeAnswers(3)
  told.values.set([1, 2, 3])
  recordFailure(told, 1, 'lost')
  const into = makeAnswers(5)
  copyAnswers(told, 2, into)
  expect(Array.from(into.values.subarray(0, 2))).toEqual([1, Number.NaN])
  expect(Array.from(into.failed)).toEqual([0, 1, 0, 0, 0])
  expect(into.reasons[1]).toBe('lost')
})

test('a list with a hole is a list with a failure', () => {
  const into = makeAnswers(2)
  copyAnswers([1, undefined], 2, into)
  expect(into.reasons[1]).toBe('the objective returned undefined instead of a number')
})

test('the value of a point is the mean of its answered centers', () => {
  const answers = makeAnswers(4)
  answers.values.set([1, 50, 3, 99])
  answers.failed[1] = 1
  expect(centerValue(answers, 3)).toBe(2)
  expect(centerValue(answers, 0)).toBeNaN()
  answers.failed.fill(1)
  expect(centerValue(answers, 3)).toBeNaN()
})
