import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from 'fast-png'
import sharp from 'sharp'
import { afterAll, beforeAll, describe } from 'vitest'
import { cifarDataset, type Dataset, folderDataset, idxDataset, subset } from '../../src/robustness/images/index.ts'
import { datasetConforms } from './dataset.ts'

const base = mkdtempSync(join(tmpdir(), 'zeroth-datasets-'))
const at = (...path: string[]) => join(base, ...path)
afterAll(() => rmSync(base, { recursive: true }))

const noise = (length: number) => Uint8Array.from({ length }, (_, i) => (i * i * 37 + 11) % 256)

beforeAll(async () => {
  writeFileSync(at('images'), Buffer.concat([Buffer.from([0, 0, 8, 3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 3]), noise(60)]))
  writeFileSync(at('classes'), Buffer.from([0, 0, 8, 1, 0, 0, 0, 4, 7, 0, 7, 9]))
  writeFileSync(at('rows.png'), encode({ data: noise(5 * 16 * 3), channels: 3, width: 16, height: 5 }))
  writeFileSync(at('rows.json'), '[0,1,2,3,4]')
  for (const name of ['cat', 'dog']) {
    mkdirSync(at('tree', name), { recursive: true })
    writeFileSync(at('tree', name, 'a.png'), encode({ data: noise(7 * 9), channels: 1, width: 7, height: 9 }))
    const jpeg = sharp(noise(3 * 40 * 30), { raw: { width: 40, height: 30, channels: 3 } }).jpeg()
    writeFileSync(at('tree', name, 'b.jpg'), await jpeg.withMetadata({ orientation: 6 }).toBuffer())
  }
  writeFileSync(at('tree', 'some.csv'), 'file,class\ndog/b.jpg,3\ncat/a.png,\ndog/a.png,0\n')
})

const folder = at('tree')
const sets: Record<string, () => Dataset | Promise<Dataset>> = {
  'IDX files': () => idxDataset({ images: at('images'), labels: at('classes') }),
  'an IDX file without classes': () => idxDataset({ images: at('images') }),
  'PNG rows': () => cifarDataset({ images: [at('rows.png'), at('rows.png')], size: 4 }),
  'PNG rows with classes': () => cifarDataset({ images: at('rows.png'), labels: at('rows.json'), size: 4 }),
  'a folder of classes': () => folderDataset({ folder }),
  'a folder of classes, cropped': () => folderDataset({ folder, size: 12 }),
  'a folder of classes, stretched, in grey': () =>
    folderDataset({ folder, size: { height: 3, width: 50 }, resize: 'stretch', channels: 1 }),
  'a folder with a table': () => folderDataset({ folder, labels: 'some.csv' }),
  'a folder of images': () => folderDataset({ folder: at('tree', 'cat'), name: 'cats' }),
  'some images': async () => subset(await folderDataset({ folder }), [3, 0]),
  'a stretch of images': async () => subset(await idxDataset({ images: at('images') }), { from: 1, count: 2 }),
  'no images': async () => subset(await folderDataset({ folder }), []),
}

for (const [name, open] of Object.entries(sets)) {
  describe(name, () => {
    datasetConforms(open)
  })
}
