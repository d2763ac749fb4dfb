import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { memoryFiles } from '../../../test/run-store/memory-files.ts'
import { about } from '../../../test/run-store/stored-run.ts'
import { newMeta } from './meta-file.ts'
import { hashOf, type RunResult, readResult, resultJson, writeResult } from './result-file.ts'

const meta = newMeta(about)
const result: RunResult = {
  status: 'aborted',
  stopReason: 'aborted',
  value: Number.NaN,
  point: [1, -0, 1e-320],
  last: { value: -Infinity, point: [0.1, 2, 3] },
  queries: 0,
  cacheHits: 0,
  retries: 0,
  iterations: 0,
  failures: { count: 0 },
  skippedIterations: 0,
  warnings: ['a warning'],
  seed: 1,
  seconds: 0.5,
  hash: hashOf([0.1, 2, 3], [1, -0, 1e-320]),
}

test('the hash is the SHA-256 of the final point, then the best point, as little-endian float64', () => {
  const bytes = Buffer.alloc(32)
  ;[3, 4, 1, -2].forEach((value, i) => void bytes.writeDoubleLE(value, 8 * i))
  expect(hashOf([3, 4], [1, -2])).toBe(createHash('sha256').update(bytes).digest('hex'))
  expect(hashOf([3, 4], [1, -2])).not.toBe(hashOf([1, -2], [3, 4]))
  expect(hashOf([0], [0])).not.toBe(hashOf([0], [-0]))
})

test('a result comes back to the bit', () => {
  const files = memoryFiles()
  writeResult(files, 'run', meta, result)
  expect(readResult(files, 'run', meta)).toEqual(result)
})

test('as JSON, numbers that JSON cannot say are words', () => {
  expect(JSON.parse(JSON.stringify(resultJson(result)))).toMatchObject({
    value: 'NaN',
    point: [1, '-0', 1e-320],
    last: { value: '-Infinity' },
  })
})

test('the result of another run, or from before an extension, is none', () => {
  const files = memoryFiles()
  expect(readResult(files, 'run', meta)).toBeUndefined()
  writeResult(files, 'run', meta, result)
  expect(readResult(files, 'run', { ...meta, id: 'other' })).toBeUndefined()
  expect(readResult(files, 'run', { ...meta, created: 'later' })).toBeUndefined()
  expect(readResult(files, 'run', { ...meta, extensions: [{ records: 1, changes: {} }] })).toBeUndefined()
})
