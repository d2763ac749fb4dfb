import { positive, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { keepPace, paceOptions } from '../wrappers/pace.ts'
import { type Images, type Model, someImages } from './model.ts'
import { evenShare, mayPass } from './network-model.ts'
import type { PacedOptions } from './paced-options.ts'

export const pacedOptions = table({
  perSecond: positive('calls of the network per second at most'),
  ...paceOptions,
})

/**
 * A model that is called no more often than so many times a second, however many share it; after a pause, as many calls are
 * made at once as it has places. Images wait for their turn in the order in which they came.
 */
export function paced(model: Model, options: PacedOptions): Model {
  const { perSecond, clock, sleep } = parseOptions('paced', pacedOptions, options)
  const { batch, classes, places = 1 } = model
  const admit = keepPace({ perSecond, burst: places, clock, sleep })
  const together = batch * places

  const askPiece = async (images: Images, first: number, into: Float32Array | Float64Array, signal?: AbortSignal) => {
    const rows = Math.min(together, images.rows - first)
    await admit(Math.ceil(rows / evenShare(rows, batch, places)), signal)
    signal?.throwIfAborted()
    const piece = Array.from({ length: rows }, (_, i) => first + i)
    await model.predict(someImages(images, piece), into.subarray(first * classes, (first + rows) * classes), signal)
  }

  return {
    ...model,
    async predict(images, into, signal) {
      const problems: unknown[] = []
      for (let first = 0; first < images.rows; first += together) {
        await askPiece(images, first, into, signal).catch((error: unknown) => {
          problems.push(error)
          signal?.throwIfAborted()
          if (!mayPass(error)) throw error
        })
      }
      if (problems.length > 0) throw problems[0]
    },
    close: () => model.close(),
  }
}
