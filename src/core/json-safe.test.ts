import { expect, test } from 'vitest'
import { jsonSafe } from './json-safe.ts'

test('numbers that JSON cannot hold become texts, at every depth', () => {
  const data = { a: [Number.NaN, -0, 1], b: Float64Array.of(Infinity, -Infinity, 2), c: { d: null, e: undefined } }
  expect(JSON.stringify(jsonSafe(data))).toBe('{"a":["NaN","-0",1],"b":["Infinity","-Infinity",2],"c":{"d":null}}')
})
