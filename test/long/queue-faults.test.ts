import { describe, test } from 'vitest'
import { randomUniform } from '../../src/optimizer/kernels/random.ts'
import { faults } from '../queue/faults.ts'
import { redis } from '../queue/redis-server.ts'

const times = 20

describe.skipIf('missing' in redis)(
  `a run by way of a queue ends with the same bits, ${times} times out of ${times}, when`,
  () => {
    test.each(Object.entries(faults))('%s', async (_, fault) => {
      for (let time = 0; time < times; time++) await fault(momentOf(time))
    })
  },
)

/** A random moment of a run, the same in every test. */
function momentOf(time: number): number {
  return 0.9 * randomUniform({ seed: 18, iteration: 1, row: 0 }, 'noise', time)
}
