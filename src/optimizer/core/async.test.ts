import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  attachYielder,
  callAfter,
  follow,
  makeRowYielder,
  makeYielder,
  onAbort,
  poolOf,
  serialize,
  withinTime,
  yielderOf,
} from './async.ts'

describe('serialize', () => {
  test('work is done one after the other, and a failure holds nobody up', async () => {
    const inTurn = serialize()
    const seen: string[] = []
    const work = (name: string) => async () => {
      seen.push(`${name} begins`)
      await null
      seen.push(`${name} ends`)
      if (name === 'bad') throw new Error(name)
      return name
    }
    const found = await Promise.allSettled(['one', 'bad', 'last'].map((name) => inTurn(work(name))))
    expect(found.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(seen).toEqual(['one begins', 'one ends', 'bad begins', 'bad ends', 'last begins', 'last ends'])
  })
})

describe('a pool', () => {
  const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

  test('gives what is free at once, and what is not in the order in which it was wanted', async () => {
    const pool = poolOf(['a'])
    expect(pool.take()).toBe('a')
    const got: string[] = []
    const second = Promise.resolve(pool.take()).then((thing) => got.push(`second ${thing}`))
    const third = Promise.resolve(pool.take()).then((thing) => got.push(`third ${thing}`))
    pool.give('a')
    await second
    expect(got).toEqual(['second a'])
    pool.give('a')
    await third
    expect(got).toEqual(['second a', 'third a'])
  })

  test('is drained once everything is back', async () => {
    const pool = poolOf(['a', 'b'])
    const a = await pool.take()
    let isDrained = false
    const drained = pool.drain().then(() => {
      isDrained = true
    })
    await Promise.resolve()
    expect(isDrained).toBe(false)
    pool.give(a)
    await drained
    expect(isDrained).toBe(true)
  })

  test('each thing is lent to one at a time, in the order of asking', async () => {
    const { lend } = poolOf(['a', 'b'])
    const inUse = new Set<string>()
    const served: number[] = []
    await Promise.all(
      Array.from({ length: 9 }, (_, i) =>
        lend(async (thing) => {
          expect(inUse.has(thing)).toBe(false)
          inUse.add(thing)
          served.push(i)
          await wait(i % 3)
          inUse.delete(thing)
        }),
      ),
    )
    expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  })

  test('a thing comes back from work that fails', async () => {
    const { lend } = poolOf(['a'])
    await expect(lend(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(await lend(async (thing) => thing)).toBe('a')
  })
})

describe('yielding', () => {
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
      const breathe = makeYielder(read)
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
      const breathe = makeYielder(read)
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
      const breathe = makeRowYielder(read)
      const before = clock.reads
      for (let row = 0; row < 80; row++) breathe()
      // Once for how long rows take, once for how long the thread was kept.
      expect(clock.reads - before).toBe(20)
    })

    test('breathes after each row where rows are long, and within eight where they suddenly are', async () => {
      const { clock, read } = handClock()
      const breathe = makeRowYielder(read)
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
    attachYielder(patient.signal, breathe)
    attachYielder(hurried.signal, undefined)
    follow(patient.signal, behind)
    expect([patient, hurried, behind].map(({ signal }) => yielderOf(signal))).toEqual([breathe, undefined, breathe])
    expect(yielderOf(undefined)).toBeUndefined()
  })
})

describe('a signal', () => {
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
})

describe('a timer', () => {
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
})

describe('work within a time', () => {
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
})
