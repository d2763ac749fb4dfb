import type { LockTiming } from '../../src/app/store/lock.ts'

/** Time that passes only when somebody sleeps or it is moved on. */
export interface VirtualTiming extends LockTiming {
  /** Lets time pass: what is due on the way is called at its moment. */
  pass(milliseconds: number): void
}

export function virtualTiming(): VirtualTiming {
  let time = 0
  const repeated = new Set<{ due: number; readonly period: number; readonly call: () => void }>()
  const pass = (milliseconds: number): void => {
    const end = time + milliseconds
    for (;;) {
      const next = [...repeated].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0]
      if (next === undefined) break
      time = next.due
      next.due += next.period
      next.call()
    }
    time = end
  }
  return {
    now: () => time,
    sleep: async (milliseconds) => pass(milliseconds),
    every(period, call) {
      const each = { due: time + period, period, call }
      repeated.add(each)
      return () => repeated.delete(each)
    },
    pass,
  }
}
