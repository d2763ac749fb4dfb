import { describe, expect, test } from 'vitest'
import { compileServed, compileSpec } from './compile-spec.ts'
import type { JsonObject } from './plain-data.ts'

const module = 'data:text/javascript,export default (x) => x[0] * x[0]'
const spec = { objective: { name: 'module', module }, dim: 2, maxQueries: 10 }

describe('a spec with a queue', () => {
  test('keeps the address and all options, so that a run can be resumed', () => {
    const { resolved, dim } = compileSpec({ ...spec, queue: 'redis://localhost:6379' })
    expect(dim).toBe(2)
    expect(resolved.queue).toEqual({
      url: 'redis://localhost:6379',
      name: 'default',
      prefix: 'zeroth',
      rowsPerJob: 1,
      parallel: 1000,
      patience: 600_000,
    })
    expect(compileSpec(resolved).resolved).toEqual(resolved)
    const elsewhere = { ...spec, queue: { url: { file: 'address' }, rowsPerJob: 3 } }
    expect(() => compileSpec(elsewhere, { folder: '/no/such' })).toThrow(
      'cannot read the file /no/such/address (ENOENT)',
    )
  })

  test.each([
    ['redis://:secret-word@host', 'spec.queue.url must not hold a user or a password'],
    [{ url: 'rediss://me:secret-word@host' }, 'spec.queue.url must not hold a user or a password'],
    [{ url: { env: 'NO_SUCH_ADDRESS' } }, 'the environment variable NO_SUCH_ADDRESS is not set'],
    [{ url: 'https://host' }, 'spec.queue: queueObjective.url must be an address like redis://host:6379'],
    [{ url: 'redis://host', rowsPerJob: 0 }, 'spec.queue.rowsPerJob must be at least 1, got 0'],
    [{ name: 'x' }, 'spec.queue.url is required'],
    [3, 'spec.queue must be'],
  ])('refuses %j', (queue, message) => {
    const error = thrown(() => compileSpec({ ...spec, queue } as never as JsonObject))
    expect(error).toContain(message)
    expect(error).not.toContain('secret-word')
  })
})

describe('what a worker serves', () => {
  test('is what the run asks for, as much at once as the worker has jobs', () => {
    const one = compileServed(spec, 1)
    const many = compileServed({ ...spec, jobs: 7, objective: { ...spec.objective, name: 'workers', workers: 2 } }, 3)
    expect(many.serves).toEqual(one.serves)
    expect(many.objective).toMatchObject({ origin: { name: 'workers', options: { workers: 3 } } })
    expect(one.objective).toMatchObject({ origin: { name: 'workers', options: { workers: 1 } } })
  })

  test('is another where the number of variables or their names differ, not where the run does', () => {
    const { hash } = compileServed(spec, 1).serves
    expect(compileServed({ ...spec, seed: 3, solver: 'cma-es', timeout: 5 }, 1).serves.hash).toBe(hash)
    expect(compileServed({ ...spec, dim: 3 }, 1).serves.hash).not.toBe(hash)
    const variables = { a: { from: 0, to: 1 }, b: { from: 0, to: 1 } }
    expect(compileServed({ ...spec, variables }, 1).serves.hash).not.toBe(hash)
  })
})

function thrown(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    return (error as Error).message
  }
  return 'nothing was thrown'
}
