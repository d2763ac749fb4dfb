/** Whether a value must be waited for. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

/** Goes on once the work is done: at once where nothing has to be waited for, so that what is synchronous stays so. */
export function after(work: void | Promise<void>, next: () => void | Promise<void>): void | Promise<void> {
  return work === undefined ? next() : work.then(next)
}

/** Does the work and, whatever becomes of it, `last` after it. */
export function lastly(work: () => void | Promise<void>, last: () => void): void | Promise<void> {
  let begun: void | Promise<void>
  try {
    begun = work()
  } catch (error) {
    last()
    throw error
  }
  return begun === undefined ? last() : begun.finally(last)
}

/** Takes one step after the other until `take` has none left. Makes no promise as long as no step does. */
export function inTurn(
  take: () => number | undefined,
  step: (item: number) => void | Promise<void>,
): void | Promise<void> {
  for (let item = take(); item !== undefined; item = take()) {
    const work = step(item)
    if (work !== undefined) return finish(work, take, step)
  }
  return undefined
}

/** A loop and no chain: a chain of promises would grow with the number of steps. */
async function finish(
  work: Promise<void>,
  take: () => number | undefined,
  step: (item: number) => void | Promise<void>,
): Promise<void> {
  await work
  for (let item = take(); item !== undefined; item = take()) {
    const next = step(item)
    if (next !== undefined) await next
  }
}
