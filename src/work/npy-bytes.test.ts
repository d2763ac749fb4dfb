import fc from 'fast-check'
import { expect, test } from 'vitest'
import { npyHeader, npyNumbers } from './npy-bytes.ts'

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
