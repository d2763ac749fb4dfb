import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { imageRecord } from '../../../../test/attacks/image-record.ts'
import { cliFolder } from '../../../../test/cli/cli-folder.ts'
import { screenedRecord, summarizeAttack } from '../../../robustness/index.ts'
import {
  imagesCsv,
  readImages,
  readReport,
  readScreening,
  writeImage,
  writeJson,
  writeReport,
  writeScreening,
} from './attack-files.ts'

const place = cliFolder()

function folderOf(name: string, images: readonly number[] = []): string {
  for (const index of images) mkdirSync(place(name, 'images', String(index).padStart(4, '0')), { recursive: true })
  return place(name)
}

const left = {
  index: 2,
  title: 'NaN',
  label: 4,
  predicted: 5,
  target: null,
  status: 'skipped',
  reason: 'already misclassified as class 5',
  modelCalls: 1,
} as const

test('what is written is what is read, numbers that JSON cannot hold included', () => {
  const folder = folderOf('a', [0, 12])
  const records = [imageRecord({ final: null }), imageRecord({ index: 12, title: 'Infinity', curve: null })]
  for (const record of records) writeImage(folder, record)
  expect([...readImages(folder).values()]).toEqual(records)
  const screening = { screened: [left], warnings: ['w'], isComplete: true }
  writeScreening(folder, screening)
  expect(readScreening(folder)).toEqual(screening)
  const { screened } = JSON.parse(readFileSync(join(folder, 'screening.json'), 'utf8'))
  expect(screened[0]).toMatchObject({ index: 2, status: 'skipped' })
  const images = [...records, screenedRecord(left)]
  const summary = summarizeAttack(images.slice(2), { lambda: 10, kappa: 0 })
  expect(summary.bestL2.mean).toBe(Number.NaN)
  expect(readReport(folder)).toBeUndefined()
  writeReport(folder, { summary, images, universal: null, warnings: [] })
  expect(readReport(folder)).toEqual({ summary, images, universal: null, warnings: [] })
})

test('a report has the same bytes whatever order the fields of its records have', () => {
  const bytes = (...images: Parameters<typeof summarizeAttack>[0]) => {
    const folder = folderOf('b', [0])
    writeReport(folder, {
      summary: summarizeAttack(images, { lambda: 1, kappa: 0 }),
      images,
      universal: null,
      warnings: [],
    })
    return readFileSync(join(folder, 'summary.json'), 'utf8')
  }
  const turned = Object.fromEntries(Object.entries(imageRecord()).reverse()) as unknown as ReturnType<
    typeof imageRecord
  >
  expect(bytes(turned)).toBe(bytes(imageRecord()))
})

test.each([
  ['cut off', '{"index": 0, ', 'is not JSON'],
  ['of no kind', '{"index": 0}', 'the format is undefined, not "zeroth-image"'],
  ['no object', '7', 'must hold a JSON object, got 7'],
  ['without a seal', '{"format": "zeroth-image", "version": 1}', 'does not fit its sha256'],
])('a record that is %s is refused, with what makes it again', (_, text, why) => {
  const folder = folderOf('c', [0])
  writeFileSync(join(folder, 'images/0000/image.json'), text)
  expect(() => readImages(folder)).toThrow(why)
  expect(() => readImages(folder)).toThrow(/; zeroth resume on the folder of the evaluation makes it again$/)
})

test('a record of another image is not used', () => {
  const folder = folderOf('d', [0])
  writeJson(join(folder, 'images/0000/image.json'), imageRecord({ index: 3 }))
  expect(readImages(folder).size).toBe(0)
})

test('is a table with a line for each image; what does not apply is empty, and texts are quoted where they must be', () => {
  const failed = imageRecord({
    index: 1,
    title: 'a, "b"\n.png',
    status: 'failed',
    reason: 'no label',
    label: null,
    first: null,
    best: null,
    final: null,
    saved: null,
    files: null,
    success8bit: null,
  })
  const [header, first, ...rest] = imagesCsv([imageRecord(), failed]).split('\r\n')
  const columns = header?.split(',') ?? []
  const cells = first?.split(',') ?? []
  const cell = (name: string) => cells[columns.indexOf(name)]
  expect(cells).toHaveLength(columns.length)
  expect(['title', 'label', 'firstQueries', 'bestL2', 'finalMargin', 'savedFrom', 'perturbation'].map(cell)).toEqual([
    'a.png',
    '3',
    '34',
    '0.4',
    '-0.5',
    'best',
    '',
  ])
  expect(rest).toEqual([`1,"a, ""b""\n.png",,,3,,,,failed,no label,331,333,0,0${','.repeat(30)}max-queries,,,`, ''])
})
