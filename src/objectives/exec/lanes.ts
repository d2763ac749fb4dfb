/** Lends one of a few things to whoever needs one, each to one at a time; who comes first is served first. */
export function lanes<T>(things: readonly T[]): <R>(work: (thing: T) => Promise<R>) => Promise<R> {
  const free = [...things]
  const waiting: ((thing: T) => void)[] = []

  const take = (): Promise<T> | T => free.shift() ?? new Promise<T>((resolve) => waiting.push(resolve))
  const giveBack = (thing: T): void => {
    const next = waiting.shift()
    if (next === undefined) free.unshift(thing)
    else next(thing)
  }

  return async (work) => {
    const thing = await take()
    try {
      return await work(thing)
    } finally {
      giveBack(thing)
    }
  }
}
