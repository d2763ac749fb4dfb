import { expect, test } from 'vitest'
import { sampleQueries } from '../../test/objectives/sample-queries.ts'
import { points } from '../core/points.ts'
import { someRows } from '../core/some-rows.ts'
import { payloadHash, rowJob, rowQueries } from './row-job.ts'

test('rows arrive as they were: points, samples, numbers, centers', () => {
  const queries = someRows({ ...sampleQueries(7), centers: 2 }, [1, 2, 4, 6])
  const { data, payload, first, hash } = rowJob(queries, 0, 4)
  const arrived = rowQueries(data, Buffer.concat([Buffer.alloc(3), payload]).subarray(3))
  expect(points(arrived)).toEqual(points(queries))
  expect([0, 1, 2, 3].map((row) => arrived.original?.(row))).toEqual([1, 2, 4, 6])
  expect([0, 1, 2, 3].map(arrived.sample)).toEqual([0, 1, 2, 3].map(queries.sample))
  expect([arrived.key, arrived.centers, first]).toEqual([queries.key, 1, 1])
  expect(payloadHash(data, payload)).toBe(hash)
})

test('a job is small beside its points, and points of float32 take half the room', () => {
  const queries = sampleQueries(3)
  const { data, payload } = rowJob(queries, 0, 3)
  expect(JSON.stringify(data).length).toBeLessThan(256)
  const half = rowJob({ ...queries, precision: 'float32' }, 0, 3)
  expect(half.payload.byteLength - 48).toBe((payload.byteLength - 48) / 2)
})

test('what is asked elsewhere in a run is another job', () => {
  const queries = sampleQueries(3)
  const { hash } = rowJob(queries, 0, 1)
  const { seed, iteration } = queries.key
  expect(rowJob({ ...queries, key: { seed, iteration: iteration + 1 } }, 0, 1).hash).not.toBe(hash)
  expect(rowJob({ ...queries, sample: () => 9 }, 0, 1).hash).not.toBe(hash)
  expect(rowJob(queries, 1, 1).hash).not.toBe(hash)
})

test('a job of 50 MB is refused, with what to do', () => {
  const queries = { ...sampleQueries(20), dim: 625_000 }
  expect(() => rowJob(queries, 0, 10)).toThrow(
    'queue: a job of 10 rows with 625000 variables has 50000160 bytes, at most 33554432 can be sent: lower rowsPerJob',
  )
  expect(() => rowJob({ ...queries, dim: 6_250_000 }, 0, 1)).toThrow('use precision float32, or fewer variables')
})
