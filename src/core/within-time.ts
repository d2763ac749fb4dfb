import { ZerothError } from './errors.ts'
import { follow } from './on-abort.ts'
import { callAfter } from './timer.ts'

/**
 * The work's result, or a rejection once the time is up. The controller, whose signal the work was given, fires then,
 * and also when the outer signal does, so that the other side can stop. Leaves neither timer nor listener behind.
 */
export async function withinTime<T>(
  work: T | PromiseLike<T>,
  timeout: number,
  controller: AbortController,
  outer: AbortSignal | undefined,
): Promise<T> {
  const unfollow = follow(outer, controller)
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = callAfter(timeout, () => {
      const error = new ZerothError('query-failed', `the objective did not answer within ${timeout} ms`, {
        timedOut: true,
      })
      // In this order: work that rejects as soon as it is told to stop must not hide why it was.
      reject(error)
      controller.abort(error)
    })
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    clearTimeout(timer)
    unfollow()
  }
}
