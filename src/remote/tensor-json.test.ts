import { describe, expect, test } from 'vitest'
import { type Datatype, datatypes } from './tensor.ts'
import { numbersOfJson } from './tensor-json.ts'

const read = (value: unknown, datatype: string, count: number) =>
  numbersOfJson(value, datatypes[datatype] as Datatype, count)

describe('numbers from JSON', () => {
  test('may lie in a flat list or in lists within lists', () => {
    const numbers = Float64Array.of(1, 2, 3, 4)
    expect(read([1, 2, 3, 4], 'FP64', 4)).toEqual(numbers)
    expect(
      read(
        [
          [1, 2],
          [3, 4],
        ],
        'FP64',
        4,
      ),
    ).toEqual(numbers)
    expect(
      read(
        [
          [[1], [2]],
          [[3], [4]],
        ],
        'FP64',
        4,
      ),
    ).toEqual(numbers)
    expect(read([], 'FP64', 0)).toEqual(new Float64Array(0))
  })

  test('may be words for what JSON has no number for', () => {
    expect(read(['NaN', 'Infinity', '-Infinity', null], 'FP32', 4)).toEqual(
      Float32Array.of(Number.NaN, Infinity, -Infinity, Number.NaN),
    )
  })

  test('may be truth values', () => {
    expect(read([true, false, 1, 0], 'BOOL', 4)).toEqual(Uint8Array.of(1, 0, 1, 0))
  })

  test('may be large whole numbers as long as they are exact', () => {
    expect(read([-(2 ** 53) + 1], 'INT64', 1)).toEqual(BigInt64Array.of(-9007199254740991n))
    expect(read([2 ** 53], 'INT64', 1)).toBe('entry 0 of its data is too large to be exact in JSON')
  })

  test.each([
    ['1', 'FP64', 'its data is "1" instead of a list'],
    [undefined, 'FP64', 'its data is undefined instead of a list'],
    [[1, 2, 3], 'FP64', 'its data has 3 numbers, its shape 2'],
    [[[1, 2], [3]], 'FP64', 'its data has more numbers, its shape 2'],
    [[1, '2'], 'FP64', 'entry 1 of its data is "2"'],
    [[1, {}], 'FP64', 'entry 1 of its data is an empty object'],
    [[1, 1.5], 'INT32', 'entry 1 of its data is 1.5'],
    [[1, 300], 'INT8', 'entry 1 of its data is 300'],
    [[1, -1], 'UINT64', 'entry 1 of its data is -1'],
    [[1, 2], 'BOOL', 'entry 1 of its data is 2'],
  ])('%o are no %s', (value, datatype, message) => {
    expect(read(value, datatype, 2)).toBe(message)
  })

  test('in lists without end are refused, not followed', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    expect(read(deep, 'FP64', 2)).toBe('its data has 0 numbers, its shape 2')
  })
})
