import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { interrupts } from './interrupts.ts'

function source() {
  const events = new EventEmitter()
  const exits: number[] = []
  return Object.assign(events, { exits, exit: (code: number) => void exits.push(code) })
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
])('the first %s stops the run, the second ends the program with %d', (name, code) => {
  const from = source()
  const said: string[] = []
  const { signal, close } = interrupts((message) => said.push(message), from)
  from.emit(name, name)
  expect(signal.aborted).toBe(true)
  expect((signal.reason as Error).message).toBe(`stopped by ${name}`)
  expect(said).toEqual(['interrupted: saving (Ctrl-C again to quit now)'])
  expect(from.exits).toEqual([])
  from.emit(name, name)
  expect(from.exits).toEqual([code])
  close()
  expect(from.listenerCount(name)).toBe(0)
})

test('what has not ended 4.5 seconds after the first signal is ended', () => {
  const from = source()
  interrupts(() => undefined, from)
  from.emit('SIGINT', 'SIGINT')
  vi.advanceTimersByTime(4499)
  expect(from.exits).toEqual([])
  vi.advanceTimersByTime(1)
  expect(from.exits).toEqual([130])
})

test('a run that has ended in time is left alone', () => {
  const from = source()
  const { close } = interrupts(() => undefined, from)
  from.emit('SIGINT', 'SIGINT')
  close()
  vi.advanceTimersByTime(10_000)
  expect(from.exits).toEqual([])
})
