import { describe, expect, test } from 'vitest'
import { sampleQueries } from '../../../../test/objectives/sample-queries.ts'
import { makeAnswers, points, recordFailure, someRows } from '../../../optimizer/core/answers.ts'
import { ZerothError } from '../../../optimizer/core/errors.ts'
import {
  answerIn,
  failureText,
  misconfiguration,
  payloadHash,
  rowAnswer,
  rowJob,
  rowQueries,
  takeAnswer,
} from './row-task.ts'

describe('row-job', () => {
  test('rows arrive as they were: points, samples, numbers, centers', () => {
    const queries = someRows({ ...sampleQueries(7), centers: 2 }, [1, 2, 4, 6])
    const { data, payload, first, hash } = rowJob(queries, 0, 4)
    const arrived = rowQueries(data, Buffer.concat([Buffer.alloc(3), payload]).subarray(3))
    expect(points(arrived)).toEqual(points(queries))
    expect([0, 1, 2, 3].map((row) => arrived.original?.(row))).toEqual([1, 2, 4, 6])
    expect([0, 1, 2, 3].map(arrived.sample)).toEqual([0, 1, 2, 3].map(queries.sample))
    expect([arrived.key, arrived.centers, first]).toEqual([queries.key, 1, 1])
    expect(payloadHash(data, payload)).toBe(hash)
  })

  test('a job is small beside its points, and points of float32 take half the room', () => {
    const queries = sampleQueries(3)
    const { data, payload } = rowJob(queries, 0, 3)
    expect(JSON.stringify(data).length).toBeLessThan(256)
    const half = rowJob({ ...queries, precision: 'float32' }, 0, 3)
    expect(half.payload.byteLength - 48).toBe((payload.byteLength - 48) / 2)
  })

  test('what is asked elsewhere in a run is another job', () => {
    const queries = sampleQueries(3)
    const { hash } = rowJob(queries, 0, 1)
    const { seed, iteration } = queries.key
    expect(rowJob({ ...queries, key: { seed, iteration: iteration + 1 } }, 0, 1).hash).not.toBe(hash)
    expect(rowJob({ ...queries, sample: () => 9 }, 0, 1).hash).not.toBe(hash)
    expect(rowJob(queries, 1, 1).hash).not.toBe(hash)
  })

  test('a job of 50 MB is refused, with what to do', () => {
    const queries = { ...sampleQueries(20), dim: 625_000 }
    expect(() => rowJob(queries, 0, 10)).toThrow(
      'queue: a job of 10 rows with 625000 variables has 50000160 bytes, at most 33554432 can be sent: lower rowsPerJob',
    )
    expect(() => rowJob({ ...queries, dim: 6_250_000 }, 0, 1)).toThrow('use precision float32, or fewer variables')
  })
})

describe('row-answer', () => {
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
    [null, 'worker w sent an invalid answer: null'],
    ['x', 'worker w sent an invalid answer: "x"'],
    [{ worker: 'me', values: 'AAAA' }, 'worker me sent an invalid answer'],
    [{ worker: 'me', values: [1, 2] }, 'worker me sent an invalid answer'],
    [{ values: '' }, 'worker w sent an invalid answer'],
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

  test('a reason that no further attempt can change makes a worker misconfigured', () => {
    const answers = makeAnswers(2)
    recordFailure(answers, 0, new ZerothError('query-failed', 'no'))
    expect(misconfiguration(2, answers)).toBeUndefined()
    recordFailure(answers, 1, new ZerothError('invalid-objective', 'no such program'))
    expect(misconfiguration(2, answers)?.message).toBe('no such program')
  })

  test('the reason of a job that the library gave up holds no answer', () => {
    expect(answerIn('job stalled more than allowable limit')).toBeUndefined()
  })
})
