import { expect, test, vi } from 'vitest'
import { follow, onAbort } from './on-abort.ts'

test('calls everyone back once when the signal fires', () => {
  const controller = new AbortController()
  const callback = vi.fn()
  for (let i = 0; i < 50; i++) onAbort(controller.signal, callback)
  expect(callback).not.toHaveBeenCalled()
  controller.abort()
  expect(callback).toHaveBeenCalledTimes(50)
})

test('calls back at once where the signal has fired', () => {
  const callback = vi.fn()
  onAbort(AbortSignal.abort(), callback)
  expect(callback).toHaveBeenCalledOnce()
})

test('a signal has one listener however many wait, and none once all have left', () => {
  const { signal } = new AbortController()
  const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
  for (let round = 1; round <= 3; round++) {
    const leave = Array.from({ length: 20 }, () => onAbort(signal, () => undefined))
    expect(add).toHaveBeenCalledTimes(round)
    leave.forEach((each) => each())
    leave.forEach((each) => each())
    expect(remove).toHaveBeenCalledTimes(round)
  }
})

test('who has left is not called, the others are', () => {
  const controller = new AbortController()
  const [gone, waiting] = [vi.fn(), vi.fn()]
  const leave = onAbort(controller.signal, gone)
  onAbort(controller.signal, waiting)
  leave()
  controller.abort()
  expect(gone).not.toHaveBeenCalled()
  expect(waiting).toHaveBeenCalledOnce()
})

test('without a signal nothing ever happens', () => {
  expect(onAbort(undefined, () => expect.fail())()).toBeUndefined()
})

test('a controller that follows a signal fires for its reason, until it stops following', () => {
  const outer = new AbortController()
  const [inner, other] = [new AbortController(), new AbortController()]
  follow(outer.signal, inner)
  follow(outer.signal, other)()
  outer.abort('enough')
  expect(inner.signal.reason).toBe('enough')
  expect(other.signal.aborted).toBe(false)
})
