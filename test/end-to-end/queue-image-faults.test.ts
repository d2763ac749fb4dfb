import { describe, test } from 'vitest'
import { imageFaults } from '../queue/image-faults.ts'
import { redis } from '../queue/redis-server.ts'

// What people do on purpose is tried once here.
const momentsOf = (name: string): number[] => (/stopped|interrupted/.test(name) ? [0.3] : [0.1, 0.5])

describe.skipIf('missing' in redis)('an attack by way of a queue leaves the same files when', () => {
  test.concurrent.each(
    Object.entries(imageFaults).flatMap(([name, fault]) => momentsOf(name).map((at) => [name, at, fault] as const)),
  )('%s (at %d)', (_, moment, fault) => fault(moment))
})
