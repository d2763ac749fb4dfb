import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from 'fast-png'
import { afterAll, describe, expect, test } from 'vitest'
import { cifarDataset } from './cifar-png.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-cifar-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Images of 2 x 2 pixels; pixel p of image i is (first + i, p, 200). */
function sheet(name: string, rows: number, first: number): string {
  const data = Uint8Array.from({ length: rows * 4 * 3 }, (_, i) => {
    const pixel = Math.floor(i / 3)
    return [first + Math.floor(pixel / 4), pixel % 4, 200][i % 3] as number
  })
  const file = join(folder, name)
  writeFileSync(file, encode({ data, channels: 3, width: 4, height: rows }))
  return file
}

function text(name: string, content: string): string {
  const file = join(folder, name)
  writeFileSync(file, content)
  return file
}

const images = [sheet('a.png', 3, 10), sheet('b.png', 2, 50)]
const size = 2

describe('reads', () => {
  test('rows of several files as images, one count over all', async () => {
    const labels = [text('a.json', '[3,1,4,1]'), text('b.json', ' [5] ')]
    const set = await cifarDataset({ images, labels, size, name: 'five' })
    expect([set.name, set.count, set.shape]).toEqual(['five', 5, { channels: 3, height: 2, width: 2 }])
    expect([0, 1, 2, 3, 4].map(set.label)).toEqual([3, 1, 4, 1, 5])
    expect([0, 4].map(set.title)).toEqual(['0', '4'])
    const reds = await Promise.all([0, 1, 2, 3, 4].map(async (i) => (await set.read(i)).pixels[0]))
    expect(reds).toEqual([10, 11, 12, 50, 51].map((byte) => Math.fround(byte / 255)))
    const expected = [51, 51, 51, 51, 0, 1, 2, 3, 200, 200, 200, 200]
    expect((await set.read(4)).pixels).toEqual(Float32Array.from(expected, (byte) => byte / 255))
  })

  test('one file without classes, called like it', async () => {
    const set = await cifarDataset({ images: images[0] as string, size })
    expect([set.name, set.count, set.label(2)]).toEqual(['a.png', 3, undefined])
  })

  test('a file again that could not be read the first time', async () => {
    const file = sheet('c.png', 1, 70)
    const set = await cifarDataset({ images: file, size })
    writeFileSync(file, 'gone')
    await expect(set.read(0)).rejects.toThrow('c.png: is not an image')
    sheet('c.png', 2, 70)
    await expect(set.read(0)).rejects.toThrow('c.png: was 4 x 1 pixels and is 4 x 2 now')
    sheet('c.png', 1, 70)
    expect((await set.read(0)).pixels[0]).toBe(Math.fround(70 / 255))
  })
})

describe('refuses', () => {
  test('rows of another length', async () => {
    const rule = 'must be a PNG image 1024 pixels wide, a row for each image of 32 x 32'
    await expect(cifarDataset({ images })).rejects.toThrow(`${images[0]}: ${rule}; it is PNG, 4 wide`)
  })

  test.each([
    ['[1,2]', 'must hold 5 labels, one for each image, got 2'],
    ['{"length":5}', 'must be a JSON list of whole numbers'],
    ['[1,2,3,4', 'is not JSON'],
    ['[1,2,-3,4,5]', 'entry 2 must be a whole number of at least 0, got -3'],
    ['[1,2,3,"4",5]', 'entry 3 must be a whole number of at least 0, got "4"'],
    ['[1.5,2,3,4,5]', 'entry 0 must be a whole number of at least 0, got 1.5'],
    ['[{"__proto__":1},2,3,4,5]', 'entry 0 must be a whole number of at least 0, got {"__proto__":1}'],
  ])('the labels %s', async (content, message) => {
    const labels = text('wrong.json', content)
    await expect(cifarDataset({ images, labels, size })).rejects.toMatchObject({
      code: 'invalid-data',
      message: `${labels}: ${message}`,
    })
  })

  test('a missing file, an empty list', async () => {
    const missing = join(folder, 'missing.png')
    await expect(cifarDataset({ images: missing })).rejects.toThrow(`${missing}: cannot be read (there is no such file`)
    await expect(cifarDataset({ images: [] })).rejects.toThrow('cifarDataset.images must')
  })
})
