import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withinTime } from './within-time.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const never = new Promise<never>(() => undefined)

test('what comes in time is the result, and the timer is gone', async () => {
  const own = new AbortController()
  expect(await withinTime(Promise.resolve(3), 100, own, undefined)).toBe(3)
  expect(vi.getTimerCount()).toBe(0)
  expect(own.signal.aborted).toBe(false)
})

test('once the time is up it rejects, and the signal of the work fires for the same reason', async () => {
  const own = new AbortController()
  const result = withinTime(never, 100, own, undefined).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(99)
  expect(own.signal.aborted).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(await result).toMatchObject({ code: 'query-failed', message: 'the objective did not answer within 100 ms' })
  expect(own.signal.reason).toBe(await result)
})

test('work that rejects when it is told to stop does not hide that its time was up', async () => {
  const own = new AbortController()
  const work = new Promise<never>((_, reject) =>
    own.signal.addEventListener('abort', () => reject(new Error('stopped'))),
  )
  const result = withinTime(work, 100, own, undefined).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(100)
  expect(await result).toMatchObject({ message: 'the objective did not answer within 100 ms' })
})

test('a late rejection troubles nobody', async () => {
  let fail: (error: Error) => void = () => undefined
  const work = new Promise<never>((_, reject) => {
    fail = reject
  })
  const result = withinTime(work, 10, new AbortController(), undefined).catch(() => 'late')
  await vi.advanceTimersByTimeAsync(10)
  expect(await result).toBe('late')
  fail(new Error('nobody listens'))
  await vi.advanceTimersByTimeAsync(10)
})

test('the signal of the work fires with the outer one, which is left without a listener', async () => {
  const [own, outer] = [new AbortController(), new AbortController()]
  const remove = vi.spyOn(outer.signal, 'removeEventListener')
  await withinTime(Promise.resolve(), 100, own, outer.signal)
  expect(remove).toHaveBeenCalledOnce()
  void withinTime(never, 100, own, outer.signal)
  outer.abort('enough')
  expect(own.signal.reason).toBe('enough')
})
