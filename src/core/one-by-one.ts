/** What does work one after the other, in the order in which it came; work that fails holds nobody up. */
export function oneByOne(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const own = last.then(work)
    last = own.catch(() => undefined)
    return own
  }
}
