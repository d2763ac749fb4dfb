import { describe, test } from 'vitest'
import { faults } from '../queue/faults.ts'
import { redis } from '../queue/redis-server.ts'

describe.skipIf('missing' in redis)('a run by way of a queue ends with the same bits when', () => {
  test.each(
    Object.entries(faults).flatMap(([name, fault]) => [0.25, 0.7].map((moment) => [name, moment, fault] as const)),
  )('%s (at %d)', (_, moment, fault) => fault(moment))
})
