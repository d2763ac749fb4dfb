/** Things of which everyone who needs one gets one, in turn. */
export interface Pool<T> {
  /** One that nobody has, at once or as soon as it is given back. */
  take(): T | Promise<T>
  give(thing: T): void
  /** Settles once all of them are back. They are then out for good. */
  drain(): Promise<void>
}

/** A pool of these things. */
export function poolOf<T>(things: readonly T[]): Pool<T> {
  const free = [...things]
  const waiting: ((thing: T) => void)[] = []
  const take = (): T | Promise<T> => {
    const thing = free.pop()
    return thing === undefined ? new Promise<T>((resolve) => waiting.push(resolve)) : thing
  }
  return {
    take,
    give(thing) {
      const next = waiting.shift()
      if (next === undefined) free.push(thing)
      else next(thing)
    },
    async drain() {
      await Promise.all(things.map(take))
    },
  }
}
