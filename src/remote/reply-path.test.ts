import { describe, expect, test } from 'vitest'
import { valueAt } from './reply-path.ts'

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
