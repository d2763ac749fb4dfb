import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { json, oneOf, table } from '../../optimizer/core/options.ts'
import { parseObject, sealedJson, unsealJson } from './sealed-json.ts'

const schema = table({ format: oneOf('test'), version: oneOf(1), data: json })
const expected = { format: 'test', schema }
const text = (fields: object) => new TextDecoder().decode(sealedJson(fields as Record<string, unknown>))
const unseal = (sealed: string) => unsealJson('file', new TextEncoder().encode(sealed), expected)

test('what was sealed comes back', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const data = JSON.parse(json)
      const banned = /"(__proto__|constructor|prototype)":/.test(json)
      if (!banned)
        expect(unseal(text({ format: 'test', version: 1, data }))).toEqual({ format: 'test', version: 1, data })
    }),
  )
})

test('the seal is the SHA-256 of the text with zeros in its place, one line per field', () => {
  expect(text({ format: 'test', version: 1, data: [1, 2] })).toBe(
    '{\n  "format": "test",\n  "version": 1,\n  "data": [1,2],\n  "sha256": "631c49c0bc68036e2105c0f5301a0d072d5040e4e16c6f3af51d4d1c15200d20"\n}\n',
  )
})

test('a text with any character changed is refused', () => {
  const sealed = text({ format: 'test', version: 1, data: { seed: 7, name: 'x' } })
  for (let at = 0; at < sealed.length; at++) {
    const changed = `${sealed.slice(0, at)}${sealed[at] === '1' ? '2' : '1'}${sealed.slice(at + 1)}`
    expect(() => unseal(changed)).toThrow(/^file/)
    expect(() => unseal(sealed.slice(0, at))).toThrow(/^file/)
  }
})

describe('the error says what is wrong', () => {
  test.each<[string, string, string]>([
    ['no JSON', 'hello', 'file is not JSON: it is damaged, or not a file of a run'],
    ['no object', '[1]', 'file must hold a JSON object, got Array(1)'],
    ['another format', text({ format: 'other', version: 1 }), 'file: the format is "other", not "test"'],
    ['a newer schema', text({ format: 'test', version: 2 }), 'file has schema version 2, this zeroth reads up to 1'],
    ['no version', text({ format: 'test' }), 'file: the schema version is undefined, not a count'],
    [
      'an edited file',
      text({ format: 'test', version: 1, data: 1 }).replace('"data": 1', '"data": 2'),
      'changed by hand',
    ],
    [
      'an unknown field',
      text({ format: 'test', version: 1, data: 1, more: 1 }),
      'file: a field is not what zeroth writes',
    ],
    ['a wrong field', text({ format: 'test', version: 1 }), 'file: data is not what zeroth writes'],
    ['nesting without end', `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`, 'file is nested more than 100 levels deep'],
  ])('%s', (_, content, message) => {
    expect(() => unseal(content)).toThrow(message)
  })

  test.each(['__proto__', 'constructor', 'prototype'])('a field %s, wherever it is', (name) => {
    expect(() => parseObject('file', `{"a":[{"${name}":1}]}`)).toThrow(`file has a field ${name}, which is not allowed`)
  })
})
