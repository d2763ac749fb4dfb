import { describe, expect, test } from 'vitest'
import { makeAnswers, recordFailure } from './answers.ts'
import { ZerothError } from './errors.ts'
import { askInPieces, inParallel, type Piece } from './in-parallel.ts'
import type { Answers } from './types.ts'

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
