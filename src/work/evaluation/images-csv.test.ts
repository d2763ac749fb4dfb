import { expect, test } from 'vitest'
import { imageRecord } from '../../../test/attacks/image-record.ts'
import { imagesCsv } from './images-csv.ts'

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
  expect(rest).toEqual([`1,"a, ""b""\n.png",,3,,failed,no label,331,333${','.repeat(29)}max-queries,,,`, ''])
})
