import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Queries } from '../../../optimizer/core/types.ts'
import { namedVariables } from '../../../optimizer/core/variables.ts'
import { readReply, requestOf } from './asker.ts'

function queriesAt(point: readonly number[]): Queries {
  return {
    key: { seed: 1, iteration: 7 },
    rows: 1,
    dim: point.length,
    centers: 1,
    sample: () => 4_294_967_295,
    original: () => 12,
    write: (_, into, offset = 0) => into.set(point, offset),
  }
}

function lineAt(point: readonly number[]): string {
  return requestOf(3, queriesAt(point), 0, new Float64Array(point.length)).line
}

describe('a request', () => {
  test('is one line of JSON with the point, the sample, the iteration and the row', () => {
    expect(lineAt([1.5, -2])).toBe('{"id":3,"x":[1.5,-2.0],"sample":4294967295,"iteration":7,"row":12}\n')
  })

  test('writes every coordinate as a floating-point number, zero with its sign', () => {
    expect(lineAt([0, -0, 1e20, 1e21, 1e-7, 3])).toContain('"x":[0.0,-0.0,100000000000000000000.0,1e+21,1e-7,3.0]')
  })

  test('reads back as the same bits', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true })
    fc.assert(
      fc.property(fc.array(finite, { minLength: 1 }), (point) => {
        const { x } = JSON.parse(lineAt(point)) as { x: number[] }
        expect(x.every((value, i) => Object.is(value, point[i]))).toBe(true)
      }),
    )
  })
})

describe('a reply', () => {
  test.each([
    ['3', 3],
    ['-0', -0],
    ['+.5', 0.5],
    ['1e308', 1e308],
    ['-1.25E-3', -0.00125],
    ['NaN', Number.NaN],
    ['nan', Number.NaN],
    ['-nan', Number.NaN],
    ['inf', Infinity],
    ['-Infinity', -Infinity],
    ['"NaN"', Number.NaN],
  ])('may be the bare number %s', (line, value) => {
    expect(readReply(line)).toEqual({ id: undefined, value })
  })

  test.each([
    ['{"id":3,"value":2.5}', { id: 3, value: 2.5 }],
    ['{"value":2.5}', { id: undefined, value: 2.5 }],
    ['{"id":3,"value":"NaN"}', { id: 3, value: Number.NaN }],
    ['{"id":3,"value":"-Infinity"}', { id: 3, value: -Infinity }],
    ['{"id": 3, "value": NaN}', { id: 3, value: Number.NaN }],
    ['{"value": -Infinity, "id": 3}', { id: 3, value: -Infinity }],
    ['{"id":3,"value":"three"}', { id: 3, value: 'three' }],
    ['{"id":3,"loss":1}', { id: 3, instead: 'an object with "id", "loss"' }],
    ['{"id":3,"error":"too hot"}', { id: 3, error: 'too hot' }],
    ['{"id":3,"value":null,"error":{"code":7}}', { id: 3, error: '{"code":7}' }],
  ])('may be the object %s', (line, reply) => {
    expect(readReply(line)).toEqual(reply)
  })

  test.each([['ready'], ['3 apples'], ['0x10'], ['[3]'], ['"three"'], ['null'], ['{}'], ['{"id":3'], ['1,5']])(
    'is not %s',
    (line) => {
      expect(readReply(line)).toBeUndefined()
    },
  )

  test('brings every number back as it was printed', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        const text = Object.is(value, -0) ? '-0.0' : String(value)
        expect(readReply(text)).toEqual({ id: undefined, value })
        expect(readReply(`{"id":1,"value":${text}}`)).toEqual({ id: 1, value })
      }),
    )
  })

  test('never throws, whatever the line', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (line) => void readReply(line)))
  })
})

test('a request holds the names of variables, too, where there are some', () => {
  const variables = namedVariables({ rate: { from: 0, to: 1 }, b: { from: -1, to: 1 } })
  const { line } = requestOf(3, queriesAt([0.5, -0]), 0, new Float64Array(2), variables)
  const head = '{"id":3,"x":[0.5,-0.0],"variables":{"rate":0.5,"b":-0.0}'
  expect(line).toBe(`${head},"sample":4294967295,"iteration":7,"row":12}\n`)
})

test('whole numbers and choices have types of their own there, groups are objects, and what does not matter is left out', () => {
  const variables = namedVariables({
    threads: { from: 1, to: 16, step: 1 },
    share: { from: 0, to: 2, step: 0.5 },
    mode: { choices: ['fast', 'sl"ow'] },
    deep: { choices: [false, true] },
    'sgd.rate': { from: 0, to: 3, when: { mode: 'fast' } },
    'sgd.momentum.beta': { from: 0, to: 1, when: { mode: 'sl"ow' } },
  })
  const { line } = requestOf(1, queriesAt([8, 2, 1, 1, 1.5, 1]), 0, new Float64Array(6), variables)
  expect(line).toContain('"x":[8.0,2.0,1.0,1.0,1.5,1.0]')
  expect(line).toContain(
    '"variables":{"threads":8,"share":2.0,"mode":"sl\\"ow","deep":true,"sgd":{"momentum":{"beta":1.0}}},',
  )
})
