import { ask, originalRow } from '../core/answers.ts'
import { andThen } from '../core/async.ts'
import { type Input, integerFrom, numberFrom, oneOf, parseOptions, table, withDefault } from '../core/options.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import { normalTile } from '../kernels/normals.ts'
import { type RandomRow, randomUniform } from '../kernels/random.ts'
import { around, checkObjective } from './around.ts'

/** What noise is added. */
export const noisyOptions = table({
  /** Standard deviation of the noise. At least 0. */
  deviation: numberFrom(0),
  /** Further standard deviation, as a share of the size of the value. At least 0; default 0. */
  relative: withDefault(numberFrom(0), 0),
  /** How the noise is distributed. Default 'normal'. */
  distribution: withDefault(oneOf('normal', 'uniform'), 'normal'),
  /** Determines the noise, together with the iteration and the row. At least 0; default 0. */
  seed: withDefault(integerFrom(0), 0),
})

/** Options of `noisy`. */
export interface NoisyOptions extends Input<typeof noisyOptions> {}

/**
 * Adds noise to every value, for experiments: a function of seed, iteration and row alone, so that it is the same in
 * whatever order, in whatever batches and after whatever resume the rows are asked. Failed rows stay as they are.
 */
export function noisy(objective: Objective, options: NoisyOptions): Objective {
  checkObjective('noisy', objective)
  const { deviation, relative, distribution, seed } = parseOptions('noisy', noisyOptions, options)
  const draw = distribution === 'normal' ? standardNormal : standardUniform

  const disturb = (queries: Queries, into: Answers): void => {
    for (let row = 0; row < queries.rows; row++) {
      const value = into.values[row] as number
      const scale = deviation + relative * Math.abs(value)
      // Adding nothing would turn -0 into 0.
      if (into.failed[row] === 1 || !Number.isFinite(value) || scale === 0) continue
      into.values[row] =
        value + scale * draw({ seed, iteration: queries.key.iteration, row: originalRow(queries, row) })
    }
  }
  return around(objective, (queries, into, signal) =>
    andThen(ask(objective, queries, into, signal), () => disturb(queries, into)),
  )
}

const normals = new Float32Array(8)

/** The tile of normals that no direction is long enough to reach: noise must not follow the probes of the same seed. */
const noiseTile = 0xffffffff

/** From the library's own normals, which are the same bits in every engine. */
function standardNormal(at: RandomRow): number {
  normalTile(at, noiseTile, 1, normals)
  return normals[0] as number
}

/** Uniform between -sqrt(3) and sqrt(3): variance 1. */
function standardUniform(at: RandomRow): number {
  return Math.sqrt(3) * (2 * randomUniform(at, 'noise', 0) - 1)
}
