/** Things of which everyone who needs one gets one, in turn. */
export interface Pool<T> {
  /** One that is free, at once or as soon as it is given back. */
  take(): T | Promise<T>
  give(thing: T): void
  /** Lends one for the time of some work, however that ends. */
  lend<R>(work: (thing: T) => Promise<R>): Promise<R>
  /** Settles once all of them are back. They are then out for good. */
  drain(): Promise<void>
}

/** A pool of these things: who comes first is served first, with what was given back last. */
export function poolOf<T>(things: readonly T[]): Pool<T> {
  const free = [...things]
  const waiting: ((thing: T) => void)[] = []
  const take = (): T | Promise<T> =>
    free.length > 0 ? (free.shift() as T) : new Promise<T>((resolve) => waiting.push(resolve))
  const give = (thing: T): void => {
    const next = waiting.shift()
    if (next === undefined) free.unshift(thing)
    else next(thing)
  }
  return {
    take,
    give,
    async lend(work) {
      const thing = await take()
      try {
        return await work(thing)
      } finally {
        give(thing)
      }
    },
    async drain() {
      await Promise.all(things.map(take))
    },
  }
}
