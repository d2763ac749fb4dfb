import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Progress } from './events.ts'
import { type MeterOptions, progressMeter } from './progress.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const iteration = (i: number) => ({ iteration: i, queries: 10 * i, value: 1 / i, best: 1 / i, seconds: i / 1000 })

function metered(options: Partial<MeterOptions> = {}) {
  const reports: Progress[] = []
  const meter = progressMeter({ emit: (progress) => reports.push(progress), budget: {}, ...options })
  /** Iterations from one to another, with so many milliseconds in front of each. */
  const iterate = (from: number, to: number, pause: number, isReplayed = false): void => {
    for (let i = from; i <= to; i++) {
      vi.advanceTimersByTime(pause)
      meter.record(iteration(i), isReplayed)
    }
  }
  return { reports, meter, iterate }
}

test('the first iteration is reported at once, later ones ten times a second at most', () => {
  const { reports, iterate } = metered()
  iterate(1, 1001, 1)
  expect(reports.map(({ iterations }) => iterations)).toEqual([1, 101, 201, 301, 401, 501, 601, 701, 801, 901, 1001])
})

test('slow iterations are reported one by one, with their value and the best one', () => {
  const { reports, iterate } = metered()
  iterate(1, 3, 250)
  expect(reports).toMatchObject([1, 2, 3].map((i) => ({ iterations: i, queries: 10 * i, value: 1 / i, best: 1 / i })))
})

test('flushing reports what was held back, and nothing twice', () => {
  const { reports, meter, iterate } = metered()
  meter.flush()
  expect(reports).toEqual([])
  iterate(1, 5, 1)
  meter.flush()
  meter.flush()
  expect(reports.map(({ iterations }) => iterations)).toEqual([1, 5])
})

test('who evaluates elsewhere is reported at once, before the first iteration, too, and stays in later reports', () => {
  const { reports, meter, iterate } = metered()
  const [few, more] = [2, 3].map((workers) => ({ workers, waiting: 5, active: workers, failed: 0 }))
  meter.counted(few as never)
  iterate(1, 1, 200)
  meter.counted(more as never)
  expect(reports).toMatchObject([
    { iterations: 0, queries: 0, queue: few },
    { iterations: 1, queries: 10, queue: few },
    { iterations: 1, queries: 10, queue: more, tail: [] },
  ])
})

test('a tail holds every iteration since the last report while they are few, and 64 at most', () => {
  const { reports, meter, iterate } = metered({ interval: Infinity })
  iterate(1, 63, 0)
  meter.flush()
  expect(reports[0]?.tail.map((each) => each.iteration)).toEqual(Array.from({ length: 63 }, (_, i) => i + 1))
  iterate(64, 5000, 0)
  meter.flush()
  const tail = reports[1]?.tail ?? []
  expect(tail.length).toBeLessThanOrEqual(64)
  expect(tail.length).toBeGreaterThan(16)
  expect(tail.at(-1)).toMatchObject({ iteration: 5000, seconds: 5 })
  expect(tail[0]?.iteration).toBeGreaterThan(63)
})

test('the pace counts from where a run was resumed, not what was read again', () => {
  const { reports, iterate } = metered({ budget: { maxQueries: 6000 } })
  iterate(1, 500, 0, true)
  iterate(501, 510, 100)
  expect(reports.at(-1)).toMatchObject({ iterations: 510, queries: 5100, rate: 100 })
  expect(reports.at(-1)?.left).toBeCloseTo(9000)
})

test('there is no pace, and no time left, before a second iteration', () => {
  const { reports, iterate } = metered({ budget: { maxQueries: 100 } })
  iterate(1, 1, 5)
  expect(reports[0]).toMatchObject({ rate: 0, left: undefined })
})

test.each<[string, Partial<MeterOptions>, number | undefined]>([
  ['queries', { budget: { maxQueries: 1000, maxIterations: 1000 } }, 9000],
  ['iterations', { budget: { maxQueries: 1000, maxIterations: 20 } }, 1000],
  ['its own time', { budget: { maxQueries: 1000, maxIterations: 20 }, timeLeft: () => 700 }, 700],
  ['time that is up', { budget: {}, timeLeft: () => -5 }, 0],
  ['no limit at all', {}, undefined],
])('the limit that is reached first says how much time is left: %s', (_, options, left) => {
  const { reports, iterate } = metered(options)
  iterate(1, 10, 100)
  if (left === undefined) expect(reports.at(-1)?.left).toBeUndefined()
  else expect(reports.at(-1)?.left).toBeCloseTo(left)
})
