import fc from 'fast-check'
import { parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { ZerothError } from '../../index.ts'
import type { RunFacts } from '../store/index.ts'
import { type ExportedRun, type ExportFormat, exporters } from './export.ts'
import { npyHeader, npyNumbers } from './formats.ts'

function run(folder: string, point?: number[]): ExportedRun {
  const records = [
    { iteration: 1, queries: 11, value: 3.5, best: 3.5, seconds: 0.1 },
    { iteration: 2, queries: 22, value: Number.NaN, best: 0.1, seconds: 0.25 },
  ]
  const result = point === undefined ? undefined : { point, value: 0.1 }
  const facts = { folder, status: 'finished', meta: { id: 'x' }, result, problems: [] } as unknown as RunFacts
  return { folder, facts: async () => facts, records: () => records }
}

async function bytes(format: ExportFormat, ...runs: ExportedRun[]): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of exporters[format](runs)) pieces.push(piece)
  return new Uint8Array(Buffer.concat(pieces))
}
const text = async (format: ExportFormat, ...runs: ExportedRun[]) =>
  Buffer.from(await bytes(format, ...runs)).toString()

test('csv has a line per iteration, and of several runs a column that names them', async () => {
  expect(await text('csv', run('r/a'))).toBe(
    'iteration,queries,value,best,seconds\n1,11,3.5,3.5,0.1\n2,22,NaN,0.1,0.25\n',
  )
  expect((await text('csv', run('r/a'), run('r/b'))).split('\n')).toEqual([
    'run,iteration,queries,value,best,seconds',
    'a,1,11,3.5,3.5,0.1',
    'a,2,22,NaN,0.1,0.25',
    'b,1,11,3.5,3.5,0.1',
    'b,2,22,NaN,0.1,0.25',
    '',
  ])
})

test('json has all of it', async () => {
  const { run: name, history, result } = JSON.parse(await text('json', run('r/a', [1, -0])))
  expect({ name, best: history.best, value: history.value }).toEqual({
    name: 'a',
    best: [3.5, 0.1],
    value: [3.5, 'NaN'],
  })
  expect(result).toEqual({ point: [1, '-0'], value: 0.1 })
  expect(JSON.parse(await text('json', run('a'), run('b'))).runs).toHaveLength(2)
})

test('parquet is read back as it was', async () => {
  const read = (data: Uint8Array) => parquetReadObjects({ file: data.slice().buffer })
  expect(await read(await bytes('parquet', run('r/a')))).toEqual([
    { iteration: 1n, queries: 11n, value: 3.5, best: 3.5, seconds: 0.1 },
    { iteration: 2n, queries: 22n, value: Number.NaN, best: 0.1, seconds: 0.25 },
  ])
  expect((await read(await bytes('parquet', run('r/a'), run('r/b')))).map((row) => row.run)).toEqual([
    'a',
    'a',
    'b',
    'b',
  ])
})

test('npy holds best points; a run without one, or points of several lengths, are errors', async () => {
  expect(await text('npy', run('a', [1, 2]))).toContain("'shape': (2,)")
  expect(await text('npy', run('a', [1, 2]), run('b', [3, 4]))).toContain("'shape': (2, 2)")
  await expect(bytes('npy', run('a'))).rejects.toThrow(ZerothError)
  await expect(bytes('npy', run('a', [1]), run('b', [1, 2]))).rejects.toThrow('equally many variables, got 1, 2')
})

const npyBytes = (numbers: readonly number[], shape: readonly number[]) =>
  Buffer.concat([npyHeader(shape), npyNumbers(numbers)])

/** Reads the format as its specification says: magic, version, length of the header, header, numbers. */
function read(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = view.getUint16(8, true)
  const header = Buffer.from(bytes.subarray(10, 10 + length)).toString('latin1')
  const shape = /'shape': \(([^)]*)\)/.exec(header)?.[1]?.split(',') ?? []
  const count = (bytes.length - 10 - length) / 8
  return {
    magic: Buffer.from(bytes.subarray(0, 8)).toString('latin1'),
    header,
    shape: shape.filter((each) => each.trim() !== '').map(Number),
    data: Array.from({ length: count }, (_, i) => view.getFloat64(10 + length + 8 * i, true)),
    begins: 10 + length,
  }
}

test('a point is a vector, several are a matrix', () => {
  const vector = read(npyBytes([1.5, -0, Infinity], [3]))
  expect(vector.magic).toBe('\x93NUMPY\x01\x00')
  expect(vector.header).toMatch(/^\{'descr': '<f8', 'fortran_order': False, 'shape': \(3,\), \} *\n$/)
  expect(vector.data).toEqual([1.5, -0, Infinity])
  expect(read(npyBytes([1, 2, 3, 4, 5, 6], [2, 3]))).toMatchObject({ shape: [2, 3], data: [1, 2, 3, 4, 5, 6] })
})

test('the numbers begin at a multiple of 64 and arrive with all their bits', () => {
  fc.assert(
    fc.property(fc.array(fc.double()), (numbers) => {
      const { begins, data, shape } = read(npyBytes(numbers, [numbers.length]))
      expect(begins % 64).toBe(0)
      expect(shape).toEqual([numbers.length])
      expect(data).toEqual(numbers)
    }),
  )
})
