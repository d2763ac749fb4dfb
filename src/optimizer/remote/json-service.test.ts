import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exactJson } from '../core/exact-json.ts'
import { requestTemplate, valueAt } from './json-service.ts'

const known = ['$x', '$row']
const filled = (template: unknown): unknown =>
  JSON.parse(requestTemplate(template, known, 'body').text((place) => (place === '$x' ? '[1,-0.0]' : '7')))

describe('a template', () => {
  test('is filled where a whole string is a place', () => {
    expect(filled({ a: ['$x', 'x $x'], b: { row: '$row' }, $x: null })).toEqual({
      a: [[1, -0], 'x $x'],
      b: { row: 7 },
      $x: null,
    })
    expect(filled('$x')).toEqual([1, -0])
  })

  test('says which places it has', () => {
    expect([...requestTemplate([['$row'], { a: '$row' }], known, 'body').places]).toEqual(['$row'])
  })

  test('takes a doubled dollar for the text itself, and prices for prices', () => {
    expect(filled(['$$x', '$5.00', '$', '$$'])).toEqual(['$x', '$5.00', '$', '$'])
  })

  test('refuses places that nobody knows', () => {
    expect(() => filled({ inputs: [{ data: '$rows' }] })).toThrow(
      'body.inputs.0.data: nothing is known to put for "$rows"; did you mean $row? (known: $x, $row; "$$rows" is the text itself)',
    )
  })

  test('without places is its own JSON', () => {
    const plain = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('$'))
    fc.assert(
      fc.property(plain, (value) => {
        expect(filled(value)).toEqual(JSON.parse(exactJson(value)))
      }),
    )
  })
})

const reply = { value: 1, a: { 'b.c': [10, { d: 20 }] }, list: [[1, 2]] }

describe('a path', () => {
  test.each([
    ['value', 1],
    ['list.0.1', 2],
    [['a', 'b.c', 1, 'd'], 20],
    ['', reply],
    [[], reply],
  ])('%o leads to %o', (path, value) => {
    expect(valueAt(reply, path)).toEqual({ value })
  })

  test.each([
    ['values', 'the reply is an object with "value", "a", "list" without "values"'],
    ['list.1', '"list" is a list of 1 without "1"'],
    ['list.-1', '"list" is a list of 1 without "-1"'],
    ['list.length', '"list" is a list of 1 without "length"'],
    ['value.x', '"value" is 1 without "x"'],
    ['__proto__', 'the reply is an object with "value", "a", "list" without "__proto__"'],
    ['constructor.name', 'the reply is an object with "value", "a", "list" without "constructor"'],
  ])('%o ends where there is nothing', (path, missing) => {
    expect(valueAt(reply, path)).toEqual({ missing })
  })

  test('through what is no object ends at once', () => {
    expect(valueAt(null, 'a')).toEqual({ missing: 'the reply is null without "a"' })
    expect(valueAt('text', 'length')).toEqual({ missing: 'the reply is "text" without "length"' })
    expect(valueAt({}, 'a')).toEqual({ missing: 'the reply is an empty object without "a"' })
  })
})
