/**
 * Work on files in steps: yields what must be awaited before it can go on. With a file system that does everything at once
 * it yields nothing, so that what is synchronous stays so.
 */
export type Steps = Generator<PromiseLike<unknown>, void, void>

/** Takes the steps; returns a promise only if one of them has to be waited for. */
export function takeSteps(steps: Steps): undefined | Promise<void> {
  const first = steps.next()
  return first.done === true ? undefined : takeRest(first.value, steps)
}

async function takeRest(first: PromiseLike<unknown>, steps: Steps): Promise<void> {
  for (let work = first; ; ) {
    try {
      await work
    } catch (error) {
      // Lets it close its files.
      steps.return()
      throw error
    }
    const next = steps.next()
    if (next.done === true) return
    work = next.value
  }
}
