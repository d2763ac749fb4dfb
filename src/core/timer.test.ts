import { afterEach, expect, test, vi } from 'vitest'
import { callAfter } from './timer.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('calls back when the time has passed', () => {
  vi.useFakeTimers()
  const callback = vi.fn()
  callAfter(100, callback)
  vi.advanceTimersByTime(99)
  expect(callback).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(callback).toHaveBeenCalledOnce()
})

test.each([2_147_483_648, 3e9, Infinity])(
  'never calls back after %d ms, which a timer would take for 1',
  (milliseconds) => {
    expect(callAfter(milliseconds, () => undefined)).toBeUndefined()
  },
)
