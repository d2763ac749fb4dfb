import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { zoSGD } from '../methods/presets.ts'
import {
  askInPieces,
  centerValue,
  clearAnswers,
  copyAnswers,
  inParallel,
  makeAnswers,
  markFailures,
  originalRow,
  type Piece,
  points,
  putBack,
  recordFailure,
  recordValue,
  someAnswers,
  someRows,
} from './answers.ts'
import { ZerothError } from './errors.ts'
import { createSession } from './session.ts'
import type { Answers, Queries } from './types.ts'

describe('answers', () => {
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
      rowBuffer: null,
      notes: null,
    })
  })

  test('constraints are copied row by row, also those of a row that failed, and are unknown once cleared', () => {
    const answers = makeAnswers(2, 2)
    const told = {
      ...makeAnswers(2),
      values: Float64Array.of(1, Number.NaN),
      constraints: Float64Array.of(-1, 2, 3, -4),
    }
    copyAnswers(told, 2, answers)
    expect(answers.constraints).toEqual(Float64Array.of(-1, 2, 3, -4))
    clearAnswers(answers)
    expect(answers.constraints).toEqual(new Float64Array(4).fill(Number.NaN))
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
})

describe('points', () => {
  test('are all rows of a query, each with memory of its own', () => {
    const queries = createSession([1, 2], { solver: zoSGD({ directions: 2 }) }).ask()
    const rows = points(queries)
    expect(rows).toHaveLength(3)
    expect(rows[0]).toEqual(Float64Array.of(1, 2))
    rows.forEach((row, index) => {
      const into = new Float64Array(2)
      queries.write(index, into)
      expect(row).toEqual(into)
      expect(row.buffer.byteLength).toBe(16)
    })
  })
})

describe('some rows', () => {
  /** Five rows at the points (0, 0), (1, 10), (2, 20), ..., the first two of them centers. */
  const whole: Queries = {
    key: { seed: 1, iteration: 7 },
    rows: 5,
    dim: 2,
    centers: 2,
    sample: (row) => 100 + row,
    write: (row, into, offset = 0) => into.set([row, 10 * row], offset),
  }

  test('are those rows: same points, same samples, and they know their number in the iteration', () => {
    const some = someRows(whole, [3, 1])
    const point = new Float64Array(3)
    some.write(1, point, 1)
    expect(some).toMatchObject({ rows: 2, dim: 2, key: { seed: 1, iteration: 7 } })
    expect(Array.from(point)).toEqual([0, 1, 10])
    expect([some.sample(0), some.sample(1)]).toEqual([103, 101])
    expect([originalRow(some, 0), originalRow(some, 1), originalRow(whole, 4)]).toEqual([3, 1, 4])
  })

  test('of some rows still know the number in the whole iteration', () => {
    expect(originalRow(someRows(someRows(whole, [4, 2, 0]), [1]), 0)).toBe(2)
  })

  test.each([
    [[0, 1, 4], 2],
    [[1, 3], 1],
    [[3, 4], 0],
    [[0, 1], 2],
    [[], 0],
  ])('%j have %i centers', (rows, centers) => {
    expect(someRows(whole, rows).centers).toBe(centers)
  })

  test('answers go back where they belong, whatever the order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4]), (rows) => {
        const into = makeAnswers(5)
        recordFailure(into, 2, 'earlier')
        into.retries = 3
        const some = someAnswers(rows)
        rows.forEach((row, i) => {
          if (row === 4) recordFailure(some, i, 'lost')
          else some.values[i] = 10 * row
          if (row === 1 && some.cached !== undefined) some.cached[i] = 1
        })
        some.retries = 2
        putBack(some, rows, into)
        const expected = (row: number): number => (row === 4 ? Number.NaN : 10 * row)
        for (const row of rows) expect(into.values[row]).toBe(expected(row))
        expect(into.failed[2]).toBe(rows.includes(2) ? 0 : 1)
        expect(into.failed[4]).toBe(rows.includes(4) ? 1 : 0)
        expect(into.cached?.[1]).toBe(rows.includes(1) ? 1 : 0)
        expect(into.retries).toBe(5)
      }),
    )
  })

  test('a row that nobody answers is no answer', () => {
    expect(Array.from(someAnswers([0, 1]).values)).toEqual([Number.NaN, Number.NaN])
  })
})

describe('in parallel', () => {
  const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

  describe('pieces of work', () => {
    test('are done in order, so many at once', async () => {
      const [begun, underWay] = [[] as number[], new Set<number>()]
      let most = 0
      await inParallel(7, 3, async (piece) => {
        begun.push(piece)
        underWay.add(piece)
        most = Math.max(most, underWay.size)
        await wait(piece % 2)
        underWay.delete(piece)
      })
      expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6])
      expect(most).toBe(3)
    })

    test('are not begun after an error, which is told when nothing is under way any more', async () => {
      const [begun, done] = [[] as number[], [] as number[]]
      const work = async (piece: number) => {
        begun.push(piece)
        await wait(piece === 0 ? 1 : 10)
        if (piece === 0) throw new Error('broken')
        done.push(piece)
      }
      await expect(inParallel(9, 2, work)).rejects.toThrow('broken')
      expect([begun, done]).toEqual([[0, 1], [1]])
    })

    test('are not begun once they may not', async () => {
      const begun: number[] = []
      await inParallel(
        9,
        2,
        async (piece) => void begun.push(piece),
        () => begun.length < 4,
      )
      expect(begun).toEqual([0, 1, 2, 3])
    })
  })

  const late = new ZerothError('query-failed', 'did not answer within 4 ms', { timedOut: true })

  /** Answers of somebody who ends at the first failure, or does not. */
  function room(rows: number, ends = true): Answers {
    const answers = makeAnswers(rows)
    answers.values.fill(Number.NaN)
    if (ends) answers.dropped = new Uint8Array(rows)
    return answers
  }

  describe('rows asked in pieces', () => {
    test('are all asked where no failure ends it', async () => {
      const answers = room(5, false)
      const seen: Piece[] = []
      await askInPieces({ rows: 5, size: 2, width: 1 }, answers, async (piece) => {
        seen.push(piece)
        recordFailure(answers, piece.first, 'no')
      })
      expect(seen).toEqual([
        { first: 0, count: 2 },
        { first: 2, count: 2 },
        { first: 4, count: 1 },
      ])
    })

    test.each<[string, unknown, number[]]>([
      ['that was not answered in time: the rest is not asked', late, [0, 0, 0, 0, 1, 1]],
      [
        'never where one failed otherwise: counts must not depend on how many are asked at once',
        'no',
        [0, 0, 0, 0, 0, 0],
      ],
      ['never where one is not a number', Number.NaN, [0, 0, 0, 0, 0, 0]],
    ])('end at one %s', async (_, value, dropped) => {
      const answers = room(6)
      await askInPieces({ from: 1, rows: 6, size: 1, width: 1 }, answers, async ({ first }) => {
        answers.values[first] = first
        if (first !== 3) return
        if (typeof value === 'number') answers.values[3] = value
        else recordFailure(answers, 3, value)
      })
      expect(Array.from(answers.values.subarray(1, 3))).toEqual([1, 2])
      expect(Array.from(answers.dropped ?? [])).toEqual(dropped)
    })

    test('leave behind what is under way then, without waiting for it', async () => {
      const answers = room(8)
      await askInPieces({ rows: 8, size: 1, width: 3 }, answers, async ({ first }) => {
        if (first === 0 || first === 3) return new Promise(() => undefined)
        answers.values[first] = first
        if (first === 4) recordFailure(answers, 4, late)
      })
      expect(Array.from(answers.dropped ?? [])).toEqual([2, 0, 0, 2, 0, 1, 1, 1])
      expect(Array.from(answers.failed)).toEqual([0, 0, 0, 0, 1, 0, 0, 0])
    })

    test('tell what is under way to stop where they can, and wait for that', async () => {
      const [answers, stop] = [room(6), new AbortController()]
      let heard = 0
      await askInPieces({ rows: 6, size: 1, width: 2, stop }, answers, async ({ first }) => {
        if (first === 1) return recordFailure(answers, 1, late)
        await new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()))
        heard++
        recordFailure(answers, first, 'stopped')
      })
      expect(heard).toBe(1)
      expect(Array.from(answers.dropped ?? [])).toEqual([2, 0, 1, 1, 1, 1])
      expect([Array.from(answers.failed), answers.reasons[0], answers.reasons[1]]).toEqual([
        [0, 1, 0, 0, 0, 0],
        undefined,
        late,
      ])
    })
  })
})
