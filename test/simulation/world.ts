import { randomNumbers } from '../run-store/damage.ts'

/** Thrown where a simulated process would have had an effect after it died: whatever it does from then on is seen by nobody. */
export class Died extends Error {}

/** A process of the simulation: what it does is seen by others through its effects alone. */
export interface SimulatedProcess {
  readonly name: string
  readonly pid: number
  /** Where it runs; another start of the same machine is another boot. */
  readonly host: string
  readonly boot: string
  isDead: boolean
  /** Nothing happens in it before. */
  pausedUntil: number
  /** Effects so far: calls of the file system, messages, timers. */
  effects: number
  /** It dies instead of having its effect number so. */
  diesAt: number
  readonly onDeath: Set<() => void>
}

interface Event {
  at: number
  readonly order: number
  /** Whose it is; undefined for what happens between processes: in the network, a server, a disk. */
  readonly process: SimulatedProcess | undefined
  readonly happen: () => void
  isCancelled: boolean
}

/** A timer as programs have it. */
interface Timer {
  readonly event: () => Event
  unref(): Timer
  ref(): Timer
}

const nextTurn = setImmediate

/**
 * A world with a clock of its own in which events happen one after the other, in an order that a seed determines. While it runs,
 * timers and clocks of the program are those of this world.
 */
export class World {
  readonly random: () => number
  /** Milliseconds. */
  now = 0
  /** What has happened, for whoever has to understand a failure. */
  readonly log: string[] = []
  readonly processes: SimulatedProcess[] = []
  readonly #heap: Event[] = []
  #order = 0
  #current: SimulatedProcess | undefined
  /** What must never happen, and did. */
  violation: string | undefined

  constructor(seed: number) {
    this.random = randomNumbers(seed)
  }

  /** Whose code is running. */
  get current(): SimulatedProcess | undefined {
    return this.#current
  }

  note(text: string): void {
    const who = this.#current === undefined ? '' : `${this.#current.name}: `
    this.log.push(`${this.now.toFixed(1)} ${who}${text}`)
  }

  /** Says that something happened that must never happen. */
  violate(text: string): void {
    this.violation ??= text
    this.note(`VIOLATION ${text}`)
  }

  between(low: number, high: number): number {
    return low + this.random() * (high - low)
  }

  /** Lets something happen so many milliseconds later; in a process only if it still lives then. */
  after(delay: number, process: SimulatedProcess | undefined, happen: () => void): Event {
    const event = { at: this.now + Math.max(0, delay), order: this.#order++, process, happen, isCancelled: false }
    this.#push(event)
    return event
  }

  /** Begins a process. */
  spawn(name: string, host: string, boot: string): SimulatedProcess {
    const process = {
      name,
      pid: 1000 + this.processes.length,
      host,
      boot,
      isDead: false,
      pausedUntil: 0,
      effects: 0,
      diesAt: Infinity,
      onDeath: new Set<() => void>(),
    }
    this.processes.push(process)
    return process
  }

  kill(process: SimulatedProcess): void {
    if (process.isDead) return
    process.isDead = true
    this.note(`${process.name} dies`)
    for (const told of process.onDeath) told()
  }

  /** Called before everything that others can see. A dead process has no effects. */
  effect(process: SimulatedProcess): void {
    if (!process.isDead && process.effects++ === process.diesAt) this.kill(process)
    if (process.isDead) throw new Died(`${process.name} is dead`)
  }

  /** Lets events happen until something holds, nothing is left to happen, or the time is up. */
  async run(until: () => boolean, end: number): Promise<void> {
    const restore = this.#takeClock()
    try {
      while (!until() && this.violation === undefined) {
        const event = this.#pop()
        if (event === undefined || event.at > end) return
        if (event.isCancelled || event.process?.isDead === true) continue
        const { process } = event
        this.now = Math.max(this.now, event.at)
        if (process !== undefined && process.pausedUntil > this.now) {
          event.at = process.pausedUntil
          this.#push(event)
          continue
        }
        this.#current = process
        event.happen()
        // All that follows from it at once has happened after two turns of the real loop: in the second what gave others a turn.
        await new Promise((resolve) => nextTurn(resolve))
        await new Promise((resolve) => nextTurn(resolve))
        this.#current = undefined
      }
    } finally {
      this.#current = undefined
      restore()
    }
  }

  /** Puts the clock and the timers of this world in the place of the real ones; returns how to undo that. */
  #takeClock(): () => void {
    const real = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate }
    const own = Object.getOwnPropertyDescriptor(performance, 'now')
    const start = (delay: number, call: () => void, repeats: boolean): Timer => {
      const owner = this.#current
      const happen = (): void => {
        if (repeats) event = this.after(Math.max(1, delay), owner, happen)
        call()
      }
      let event = this.after(owner?.isDead === true ? Infinity : delay, owner, happen)
      const timer: Timer = { event: () => event, unref: () => timer, ref: () => timer }
      return timer
    }
    const stop = (timer: Timer | undefined): void => {
      if (typeof timer?.event === 'function') timer.event().isCancelled = true
      else real.clearTimeout(timer as unknown as NodeJS.Timeout)
    }
    type Call = (...given: unknown[]) => void
    Object.assign(globalThis, {
      setTimeout: (call: Call, delay = 0, ...given: unknown[]) => start(delay, () => call(...given), false),
      setInterval: (call: Call, delay = 0, ...given: unknown[]) => start(delay, () => call(...given), true),
      setImmediate: (call: Call, ...given: unknown[]) => start(0, () => call(...given), false),
      clearTimeout: stop,
      clearInterval: stop,
      clearImmediate: stop,
    })
    performance.now = () => this.now
    return () => {
      Object.assign(globalThis, real)
      if (own === undefined) Reflect.deleteProperty(performance, 'now')
      else Object.defineProperty(performance, 'now', own)
    }
  }

  #push(event: Event): void {
    const heap = this.#heap
    let at = heap.push(event) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if (isBefore(heap[above] as Event, event)) break
      heap[at] = heap[above] as Event
      at = above
    }
    heap[at] = event
  }

  #pop(): Event | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below + 1 < heap.length && isBefore(heap[below + 1] as Event, heap[below] as Event)) below++
      if (below >= heap.length || isBefore(last, heap[below] as Event)) break
      heap[at] = heap[below] as Event
      at = below
    }
    heap[at] = last
    return first
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}
