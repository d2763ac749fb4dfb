import { describe, test } from 'vitest'
import { imageFaults } from '../queue/image-faults.ts'
import { redis } from '../queue/redis-server.ts'

// What concerns images alone; how a queue is lost and found again is tried with rows in queue-faults.test.ts. All faults, at
// twenty moments each: test/long/queue-image-faults.test.ts.
const everyday = [
  'a worker is killed',
  'the attack is killed and resumed',
  'Redis is killed and loses its data',
  'Redis loses the lists of waiting images and of those under attack',
  'a worker answers twice',
  'a worker answers nonsense',
]

describe.skipIf('missing' in redis)('an attack by way of a queue leaves the same files when', () => {
  test.concurrent.each(everyday)('%s', (name) => imageFaults[name]?.(0.3) ?? Promise.reject(new Error(`no ${name}`)))
})
