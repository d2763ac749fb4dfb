import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { randomUniform } from '../../src/optimizer/kernels/random.ts'
import { essence } from '../end-to-end/attack-results.ts'
import { zeroth } from '../end-to-end/zeroth.ts'
import { imageFaults, imageWorkers } from '../queue/image-faults.ts'
import { redis, startRedis } from '../queue/redis-server.ts'

const times = 20

describe.skipIf('missing' in redis)(
  `an attack by way of a queue leaves the same files, ${times} times out of ${times}, when`,
  () => {
    test.each(Object.entries(imageFaults))('%s', async (_, fault) => {
      for (let time = 0; time < times; time++) await fault(momentOf(time))
    })
  },
)

describe.skipIf('missing' in redis)('an attack of 40 digits', () => {
  test.each([1, 2, 8])('leaves the same files with %d workers and without a queue', async (workers) => {
    const cwd = mkdtempSync(join(tmpdir(), 'zeroth-forty-'))
    const server = await startRedis()
    const stop = await imageWorkers(server.url, cwd, workers)
    try {
      const args = ['attack', '--model', 'digits', '--count', '40', '--max-queries', '1000', '--json']
      expect((await zeroth([...args, '--out', 'plain'], { cwd })).code).toBe(0)
      const queue = ['--queue', server.url, '-O', 'queue.name=image-faults']
      expect((await zeroth([...args, ...queue, '--out', 'queued'], { cwd })).code).toBe(0)
      expect(essence(join(cwd, 'queued'))).toEqual(essence(join(cwd, 'plain')))
    } finally {
      await stop()
      await server.close()
      rmSync(cwd, { recursive: true, force: true })
    }
  })
})

/** A random moment of an attack, the same in every test. */
function momentOf(time: number): number {
  return 0.6 * randomUniform({ seed: 18, iteration: 2, row: 0 }, 'noise', time)
}
