import { describe, expect, test } from 'vitest'
import { breather, breatherOf, letBreathe, rowBreather } from './breath.ts'
import { follow } from './on-abort.ts'

/** A clock that is set by hand and counts how often it is read. */
function handClock() {
  const clock = { now: 0, reads: 0 }
  const read = () => {
    clock.reads++
    return clock.now
  }
  return { clock, read }
}

describe('a breather', () => {
  test('asks for a breath once the thread was kept for more than 50 ms, and again only after as long', async () => {
    const { clock, read } = handClock()
    const breathe = breather(read)
    clock.now = 50
    expect(breathe()).toBeUndefined()
    clock.now = 51
    await breathe()
    expect(breathe()).toBeUndefined()
    clock.now = 102
    expect(breathe()).toBeInstanceOf(Promise)
  })

  test('lets timers and what else waits have its turn', async () => {
    const { clock, read } = handClock()
    const breathe = breather(read)
    let turns = 0
    setImmediate(() => turns++)
    clock.now = 60
    await breathe()
    expect(turns).toBe(1)
  })
})

describe('a breather for rows', () => {
  test('looks at the clock after every eighth row where rows are short', () => {
    const { clock, read } = handClock()
    const breathe = rowBreather(read)
    const before = clock.reads
    for (let row = 0; row < 80; row++) breathe()
    // Once for how long rows take, once for how long the thread was kept.
    expect(clock.reads - before).toBe(20)
  })

  test('breathes after each row where rows are long, and within eight where they suddenly are', async () => {
    const { clock, read } = handClock()
    const breathe = rowBreather(read)
    for (let row = 0; row < 5; row++) {
      clock.now += 100
      const breath = breathe()
      expect(breath).toBeInstanceOf(Promise)
      await breath
    }
    for (let row = 0; row < 20; row++) breathe()
    const breaths = Array.from({ length: 8 }, () => {
      clock.now += 100
      return breathe()
    })
    expect(breaths.some((breath) => breath !== undefined)).toBe(true)
  })
})

test('only what was asked by somebody who can wait may breathe, also behind a signal of its own', () => {
  const [patient, hurried, behind] = [new AbortController(), new AbortController(), new AbortController()]
  const breathe = () => undefined
  letBreathe(patient.signal, breathe)
  letBreathe(hurried.signal, undefined)
  follow(patient.signal, behind)
  expect([patient, hurried, behind].map(({ signal }) => breatherOf(signal))).toEqual([breathe, undefined, breathe])
  expect(breatherOf(undefined)).toBeUndefined()
})
