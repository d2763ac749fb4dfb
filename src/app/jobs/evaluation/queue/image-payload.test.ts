import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { screenedRecord } from '../../../../robustness/index.ts'
import { packImage, unpackImage } from './image-payload.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-parcel-'))
afterAll(() => rmSync(folder, { recursive: true }))

const image = { index: 3, title: 'three', label: 3, predicted: 3, target: null, reason: null, modelCalls: 1 }
const blank = screenedRecord({ ...image, status: 'attacked' })
const told = { asked: 5, retries: 2 }

test('a record, a picture and the files of a run come out as they went in, with their fields in order', async () => {
  mkdirSync(join(folder, 'second'))
  const files = { journal: Buffer.from([0, 10, 255]), 'second/trace.jsonl': Buffer.from('{}\n') }
  for (const [path, bytes] of Object.entries({ ...files, lock: 'x', 'image.json': '{}' })) {
    writeFileSync(join(folder, path), bytes)
  }
  const point = { l2sq: -0, l2: Infinity, linf: 0.5, iteration: 1, queries: 2, margin: NaN, predicted: 4, fooled: true }
  const record = { ...blank, status: 'fooled' as const, best: point, first: point, final: point }
  const adversarial = Float32Array.of(0, 1 / 255, -0, 1)
  const picture = { original: adversarial, adversarial }
  const opened = await unpackImage(await packImage({ unanswered: 4, attacked: { record, picture } }, told, folder))
  expect(opened).toMatchObject({ lost: 4, asked: 5, retries: 2, adversarial, record })
  expect(Object.keys(opened?.record ?? {})).toEqual(Object.keys(record))
  expect(Object.keys(opened?.record?.best ?? {})).toEqual(Object.keys(point))
  expect(Object.is(opened?.record?.best?.l2sq, -0)).toBe(true)
  expect(Object.fromEntries((opened?.files ?? []).map(({ path, bytes }) => [path, Buffer.from(bytes)]))).toEqual(files)
})

test('an error comes out with what it is', async () => {
  const error = { message: 'no', code: 'query-failed' as const, retryable: true }
  const opened = await unpackImage(await packImage({ unanswered: 0, error }, told, join(folder, 'none')))
  expect(opened).toMatchObject({ error, files: [], record: undefined })
})

test.each([
  ['no archive', Buffer.from('nonsense')],
  ['no header', gzipSync('nonsense')],
  ['a path that leads out', gzipSync('{"lost":0,"asked":0,"retries":0,"files":[{"path":"../x","size":0}]}\n')],
  ['bytes that are missing', gzipSync('{"lost":0,"asked":0,"retries":0,"files":[{"path":"journal","size":9}]}\nx')],
  ['bytes that are too many', gzipSync('{"lost":0,"asked":0,"retries":0,"files":[]}\nx')],
  ['a record that is none', gzipSync('{"lost":0,"asked":0,"retries":0,"files":[],"record":{"index":1}}\n')],
  ['counts below zero', gzipSync('{"lost":-1,"asked":0,"retries":0,"files":[]}\n')],
])('what has %s is no parcel', async (_, packed) => {
  expect(await unpackImage(packed)).toBe(undefined)
})
