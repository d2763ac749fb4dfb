import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { shareWatcher } from './share-watcher.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const quiet = { signal: new AbortController().signal, say: () => undefined, warn: () => undefined }

test('tells at once and every second how much is done, until the end', () => {
  const told: number[] = []
  let share = 0.25
  const end = shareWatcher(quiet, (each) => told.push(each)).display({ text: () => '', share: () => share })
  expect(told).toEqual([0.25])
  share = 0.5
  vi.advanceTimersByTime(2500)
  expect(told).toEqual([0.25, 0.5, 0.5])
  end()
  vi.advanceTimersByTime(5000)
  expect(told).toHaveLength(3)
})

test('tells nothing of a line that cannot say how much is done', () => {
  const told: number[] = []
  shareWatcher(quiet, (each) => told.push(each)).display({ text: () => '' })()
  expect(told).toEqual([])
})
