import { describe, test } from 'vitest'
import { faults } from '../queue/faults.ts'
import { redis } from '../queue/redis-server.ts'

// Each has a server of its own. A few at a time: each has workers, too, and they share two cores with other tests.
const named = Object.entries(faults)
const few = [named.slice(0, 5), named.slice(5, 10), named.slice(10)]

describe.skipIf('missing' in redis).each(few.map((some) => ({ some })))(
  'a run by way of a queue ends with the same bits when',
  ({ some }) => {
    // Twenty moments each: test/long/queue-faults.test.ts.
    test.concurrent.each(some)('%s', (_, fault) => fault(0.4))
  },
)
