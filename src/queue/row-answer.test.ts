import { expect, test } from 'vitest'
import { makeAnswers, recordFailure } from '../core/answers.ts'
import { ZerothError } from '../core/errors.ts'
import { answerIn, failureText, rowAnswer, takeAnswer, unfitness } from './row-answer.ts'

test('values arrive to the bit, whatever they are', () => {
  const answers = makeAnswers(5)
  answers.values.set([0.1, -0, Number.NaN, -Infinity, 5e-324])
  const into = makeAnswers(6)
  takeAnswer(JSON.parse(JSON.stringify(rowAnswer('w', 5, answers))), 1, 5, 'w', into)
  expect(Array.from(into.values.subarray(1))).toEqual([0.1, -0, Number.NaN, -Infinity, 5e-324])
  expect(Array.from(into.failed)).toEqual([0, 0, 0, 0, 0, 0])
})

test('a failure arrives with its worker, and with what a retry needs to know', () => {
  const answers = makeAnswers(3)
  const reason = new ZerothError('query-failed', 'exec: too\nhot', { retryable: false, timedOut: true })
  recordFailure(answers, 1, reason)
  answers.values[2] = 7
  const text = failureText(rowAnswer('host-1', 3, answers))
  expect(text.split('\n')[0]).toBe('exec: too hot [host-1]')
  const into = makeAnswers(3)
  takeAnswer(answerIn(text), 0, 3, 'w', into)
  expect(Array.from(into.failed)).toEqual([0, 1, 0])
  expect(into.values[2]).toBe(7)
  expect(into.reasons[1]).toMatchObject({
    message: 'worker host-1: exec: too\nhot',
    code: 'query-failed',
    retryable: false,
    timedOut: true,
  })
})

test.each([
  [null, 'worker w answered nonsense: null'],
  ['x', 'worker w answered nonsense: "x"'],
  [{ worker: 'me', values: 'AAAA' }, 'worker me answered nonsense'],
  [{ worker: 'me', values: [1, 2] }, 'worker me answered nonsense'],
  [{ values: '' }, 'worker w answered nonsense'],
])('%j is no answer: its rows fail, and the worker is named', (given, message) => {
  const into = makeAnswers(2)
  takeAnswer(given, 0, 2, 'w', into)
  expect(Array.from(into.failed)).toEqual([1, 1])
  expect(String(into.reasons[0])).toContain(message)
})

test('failures of rows that the job does not have are passed over', () => {
  const answers = makeAnswers(1)
  const into = makeAnswers(3)
  const failures = [-1, 1, 0.5].map((row) => ({ row, message: 'no' }))
  takeAnswer({ ...rowAnswer('w', 1, answers), failures }, 1, 1, 'w', into)
  expect(Array.from(into.failed)).toEqual([0, 0, 0])
})

test('a reason that no further attempt can change makes a worker unfit', () => {
  const answers = makeAnswers(2)
  recordFailure(answers, 0, new ZerothError('query-failed', 'no'))
  expect(unfitness(2, answers)).toBeUndefined()
  recordFailure(answers, 1, new ZerothError('invalid-objective', 'no such program'))
  expect(unfitness(2, answers)?.message).toBe('no such program')
})

test('the reason of a job that the library gave up holds no answer', () => {
  expect(answerIn('job stalled more than allowable limit')).toBeUndefined()
})
