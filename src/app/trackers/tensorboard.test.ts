import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readEvents, recordsIn } from '../../../test/fixtures/tensorboard/read-events.ts'
import { millisecondsAt } from '../provenance/wall-clock.ts'
import { readRun } from '../store/index.ts'
import {
  crc32c,
  exportTensorBoard,
  maskedCrc,
  pictureEvent,
  record,
  scalarEvent,
  shortScalarEvent,
  textEvent,
  versionEvent,
} from './tensorboard.ts'

const fixtures = fileURLToPath(new URL('../../../test/fixtures/jobs/', import.meta.url))

let logs = ''
beforeEach(() => {
  logs = mkdtempSync(join(tmpdir(), 'zeroth-tensorboard-'))
})
afterEach(() => rmSync(logs, { recursive: true, force: true }))

async function exported(work: string) {
  const [file = ''] = await exportTensorBoard(join(fixtures, work), logs)
  const events = readEvents(file)
  const scalar = (tag: string) => events.filter((each) => each.tag === tag && each.plugin === 'scalars')
  return { file, events, scalar, text: (tag: string) => String(events.find((each) => each.tag === tag)?.value) }
}

test('a run has its course with every bit, steps being queries, its result and its spec', async () => {
  const { scalar, text, file } = await exported('finished')
  const { trace, result, meta } = await readRun(join(fixtures, 'finished'))
  for (const field of ['value', 'best', 'iteration'] as const) {
    expect(scalar(field).map(({ value }) => value)).toEqual([...trace[field]])
    expect(scalar(field).map(({ step }) => step)).toEqual([...trace.queries])
  }
  const began = millisecondsAt(meta.created) / 1000
  expect(scalar('best').map(({ time }) => time)).toEqual(Array.from(trace.seconds, (seconds) => began + seconds))
  expect(scalar('result/value')).toMatchObject([{ value: result?.value, step: result?.queries }])
  expect(JSON.parse(text('spec'))).toEqual(meta.spec)
  expect(text('about')).toContain(`| hash | ${result?.hash} |`)
  expect(relative(logs, file)).toMatch(/^finished.events\.out\.tfevents\.\d+\.zeroth\.\d+$/)
})

test('an evaluation has its summary, the course of each image and its pictures', async () => {
  const { events, scalar } = await exported('attack-finished')
  const read = (file: string) => JSON.parse(readFileSync(join(fixtures, 'attack-finished', file), 'utf8'))
  const { summary } = read('summary.json')
  expect(scalar('summary/robustAccuracy')).toMatchObject([{ value: summary.robustAccuracy, step: summary.queries }])
  const { curve, files } = read('images/0000/image.json')
  expect(scalar('image-0040/loss').map(({ value }) => value)).toEqual(curve.loss)
  expect(scalar('image-0040/linf').map(({ step }) => step)).toEqual(curve.queries)
  const picture = events.find(({ tag }) => tag === 'image-0040/adversarial')
  const [width, height, png] = (picture?.value ?? []) as Buffer[]
  expect([picture?.plugin, String(width), String(height)]).toEqual(['images', '28', '28'])
  expect(png?.equals(readFileSync(join(fixtures, 'attack-finished', files.adversarial)))).toBe(true)
})

test.each(['series', 'tuning'])('a %s has a folder for itself and one for each member', async (work) => {
  const files = await exportTensorBoard(join(fixtures, work), logs)
  const folders = files.map((file) => relative(logs, dirname(file)))
  const members = readdirSync(join(fixtures, work)).filter((name) =>
    existsSync(join(fixtures, work, name, 'meta.json')),
  )
  expect(folders.sort()).toEqual([work, ...members.map((name) => join(work, name))].sort())
  const about = readEvents(files[0] as string).find(({ tag }) => tag === 'about')
  expect(String(about?.value)).toContain(`| kind | ${work} |`)
})

test('of a folder with works in it, all of them are exported', async () => {
  const files = await exportTensorBoard(fixtures, logs)
  const found = readdirSync(logs).sort()
  expect(found).toEqual(readdirSync(fixtures).filter((name) => name !== 'checkpoint.json'))
  expect(files.length).toBeGreaterThan(found.length)
})

test('the same bytes replace the file; that of another run of the name is refused', async () => {
  const { file } = await exported('finished')
  const before = readFileSync(file)
  expect((await exported('finished')).file).toBe(file)
  expect(readFileSync(file).equals(before)).toBe(true)
  expect(readdirSync(dirname(file))).toHaveLength(1)
  writeFileSync(join(dirname(file), 'events.out.tfevents.1.other'), '')
  await expect(exported('finished')).rejects.toThrow(
    'events.out.tfevents.1.other is about another run of that name: choose another folder',
  )
})

const golden = readFileSync(new URL('../../../test/fixtures/tensorboard/golden.tfevents', import.meta.url))

test('a file has the very bytes that TensorBoard itself writes (test/fixtures/tensorboard/make.py)', () => {
  const numbers = [0, -0, 0.1, -1e300, 5e-324, Infinity, -Infinity, Number.NaN]
  const steps = [0, 1, 127, 128, 300, 2 ** 31, 2 ** 40, 2 ** 53 - 1]
  const png = Uint8Array.from({ length: 512 }, (_, i) => i & 255)
  const events = [
    versionEvent(1_700_000_000.25),
    ...numbers.flatMap((value, i) => {
      const moment = { time: 1_700_000_000.5, step: steps[i] as number }
      return [scalarEvent('best', value, moment), shortScalarEvent('float32/best', value, moment)]
    }),
    textEvent('spec', 'a **text**, ü', { time: 1_700_000_001, step: 7 }),
    pictureEvent('image-0003/original', { width: 28, height: 14, png }, { time: 1_700_000_002, step: 8 }, 'a 7'),
  ]
  expect(Buffer.concat(events.map(record)).equals(golden)).toBe(true)
})

describe('CRC-32C', () => {
  // RFC 3720, appendix B.4, and the check value of the catalogue of CRCs.
  test.each([
    ['32 zeros', Buffer.alloc(32), 0x8a9136aa],
    ['32 ones', Buffer.alloc(32, 255), 0x62a8ab43],
    ['0 to 31', Buffer.from(Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e],
    ['31 to 0', Buffer.from(Array.from({ length: 32 }, (_, i) => 31 - i)), 0x113fdb5c],
    ['123456789', Buffer.from('123456789'), 0xe3069283],
    ['nothing', Buffer.alloc(0), 0],
  ])('of %s', (_, bytes, crc) => expect(crc32c(bytes)).toBe(crc))

  test('is masked so that it can be undone', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const rotated = (maskedCrc(bytes) - 0xa282ead8) >>> 0
        expect(((rotated >>> 17) | (rotated << 15)) >>> 0).toBe(crc32c(bytes))
      }),
    )
  })
})

test('records are read back one by one', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array()), (all) => {
      const read = recordsIn(Buffer.concat(all.map(record)))
      expect(read.map((each) => [...each])).toEqual(all.map((each) => [...each]))
    }),
  )
  expect(recordsIn(golden)).toHaveLength(19)
})
