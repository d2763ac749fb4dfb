import type { Input } from '../core/option-type.ts'
import { parseOptions } from '../core/parse-options.ts'
import { backOff, backOffOptions, gaveUp, isFinal, retryAfterOf } from '../wrappers/back-off.ts'
import { untilAborted } from '../wrappers/sleep.ts'
import { type Model, someImages } from './model.ts'

/** Options of `persistent`: those of `retried`. */
export type PersistentOptions = Input<typeof backOffOptions>

/** A model that is asked again. */
export interface PersistentModel extends Model {
  /** How many images were asked about again so far. */
  readonly retries: number
}

/**
 * A model that is asked again about the images it could not classify, after waits that grow, and at least as long as the
 * other side asked for. Reasons with `retryable: false` are final.
 */
export function persistent(model: Model, options: PersistentOptions = {}): PersistentModel {
  const how = parseOptions('persistent', backOffOptions, options)
  const { classes } = model
  let calls = 0
  let retries = 0

  return {
    ...model,
    get retries() {
      return retries
    },
    async predict(images, into, signal) {
      // Tells what is missing from what is there: the caller's memory may hold anything.
      into.fill(Number.NaN, 0, images.rows * classes)
      const call = calls++
      let missing = Array.from({ length: images.rows }, (_, row) => row)
      for (let made = 1; missing.length > 0; made++) {
        const scores = new Float64Array(missing.length * classes).fill(Number.NaN)
        const error = await problemOf(async () => model.predict(someImages(images, missing), scores, signal))
        missing.forEach((row, i) => {
          into.set(scores.subarray(i * classes, (i + 1) * classes), row * classes)
        })
        if (error === undefined) return
        signal?.throwIfAborted()
        missing = missing.filter((row) => into.subarray(row * classes, (row + 1) * classes).some(Number.isNaN))
        if (missing.length === 0 || made === how.attempts || isFinal(error.reason, how.maxRetryAfter)) {
          throw gaveUp(error.reason, made, how.maxRetryAfter)
        }
        const wait = Math.max(backOff(made, how, { iteration: call, row: 0 }), retryAfterOf(error.reason))
        if (wait > 0) await untilAborted(how.sleep(wait, signal), signal)
        signal?.throwIfAborted()
        retries += missing.length
      }
    },
    close: () => model.close(),
  }
}

/** What work fails with, if it does; any value can be thrown. */
async function problemOf(work: () => Promise<void>): Promise<{ readonly reason: unknown } | undefined> {
  try {
    await work()
    return undefined
  } catch (reason) {
    return { reason }
  }
}
