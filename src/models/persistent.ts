import { isUnreached } from '../core/errors.ts'
import type { Input, Output } from '../core/option-type.ts'
import { option, optional, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { functionThat, numberFrom } from '../core/schema.ts'
import { backOff, backOffOptions, gaveUp, isFinal, retryAfterOf } from '../wrappers/back-off.ts'
import { untilAborted } from '../wrappers/sleep.ts'
import { type Model, someImages } from './model.ts'

const persistentOptions = table({
  ...backOffOptions.shape,
  patience: optional(
    numberFrom(0),
    'milliseconds after which a model that has not answered is asked no more; only attempts count if left out',
  ),
  clock: option(
    functionThat<() => number>('must be a function'),
    'a monotonic clock in milliseconds',
    () => () => performance.now(),
  ),
})

/** Options of `persistent`: those of `retried`, and how long its patience lasts. */
export type PersistentOptions = Input<typeof persistentOptions>

/** A model that is silent: for how many milliseconds, and what came instead of the last answer. */
export interface Silence {
  readonly milliseconds: number
  readonly reason: unknown
  /** Whether it has answered again. */
  readonly isOver: boolean
}

/** A model that is asked again. */
export interface PersistentModel extends Model {
  /** How many images were asked about again so far. */
  readonly retries: number
  /** Who is told before each wait of a silence, and when it is over. */
  onSilence: ((silence: Silence) => void) | undefined
}

/**
 * A model that is asked again about the images it could not classify, after waits that grow, and at least as long as the
 * other side asked for. Reasons with `retryable: false` are final. The patience with a model that cannot be reached is that
 * of all callers together: once it is over, each further call is one attempt, until there is an answer.
 */
export function persistent(model: Model, options: PersistentOptions = {}): PersistentModel {
  const how = parseOptions('persistent', persistentOptions, options)
  const { classes } = model
  const silence = silenceOf(how, (at) => self.onSilence?.(at))
  let calls = 0
  let retries = 0

  const self: PersistentModel = {
    ...model,
    get retries() {
      return retries
    },
    onSilence: undefined,
    async predict(images, into, signal) {
      // Tells what is missing from what is there: the caller's memory may hold anything.
      into.fill(Number.NaN, 0, images.rows * classes)
      const call = calls++
      const isPatient = silence.listen()
      let missing = Array.from({ length: images.rows }, (_, row) => row)
      for (let made = 1; missing.length > 0; made++) {
        // At first all rows are asked about, and their scores need no other place.
        const scores = made === 1 ? into : new Float64Array(missing.length * classes).fill(Number.NaN)
        const asked = missing
        const copy = (i: number): void => {
          if (made > 1) into.set(scores.subarray(i * classes, (i + 1) * classes), (asked[i] as number) * classes)
        }
        const answered = (i: number): void => {
          copy(i)
          images.answered?.(asked[i] as number)
        }
        const some = { ...someImages(images, asked), answered }
        const error = await problemOf(async () => model.predict(some, scores, signal))
        asked.forEach((_, i) => void copy(i))
        if (error === undefined) return silence.end()
        signal?.throwIfAborted()
        const before = missing.length
        missing = missing.filter((row) => into.subarray(row * classes, (row + 1) * classes).some(Number.isNaN))
        if (missing.length < before || !isUnreached(error.reason)) silence.end()
        const mayAsk = isPatient(error.reason) && made < how.attempts
        if (missing.length === 0 || !mayAsk || isFinal(error.reason, how.maxRetryAfter)) {
          throw gaveUp(error.reason, made, how.maxRetryAfter)
        }
        const wait = Math.max(backOff(made, how, { iteration: call, row: 0 }), retryAfterOf(error.reason))
        if (wait > 0) await untilAborted(how.sleep(wait, signal), signal)
        signal?.throwIfAborted()
        retries += missing.length
        for (const row of missing) images.askedAgain?.(row)
      }
    },
    close: () => model.close(),
  }
  return self
}

type Patience = Pick<Output<typeof persistentOptions>, 'patience' | 'clock'>

/** For how long a model has been silent, whoever asked it. */
function silenceOf({ patience = Infinity, clock }: Patience, tell: (silence: Silence) => void) {
  let since: number | undefined
  let last: unknown
  return {
    /** What a call asks after each failure: whether there is patience left, with the model and with this call. */
    listen() {
      let first: number | undefined
      return (reason: unknown): boolean => {
        const now = clock()
        first ??= now
        if (isUnreached(reason)) {
          since ??= now
          last = reason
          tell({ milliseconds: now - since, reason, isOver: false })
        }
        return now - Math.min(first, since ?? first) < patience
      }
    },
    /** There was an answer. */
    end(): void {
      if (since === undefined) return
      const milliseconds = clock() - since
      since = undefined
      tell({ milliseconds, reason: last, isOver: true })
    },
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
