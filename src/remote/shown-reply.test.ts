import { expect, test } from 'vitest'
import { shownReply } from './shown-reply.ts'

test.each([
  ['short', '"short"'],
  ['x'.repeat(200), `"${'x'.repeat(200)}"`],
  ['x'.repeat(201), 'a text of 201 characters'],
  [[1, 2], 'a list of 2'],
  [{}, 'an empty object'],
  [{ a: 1, ['x'.repeat(300)]: 2 }, 'an object with "a", a text of 300 characters'],
  [{ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 }, 'an object with "a", "b", "c", "d", "e", ...'],
  [null, 'null'],
  [undefined, 'undefined'],
  [1.5, '1.5'],
  [true, 'true'],
])('%o reads %s: whole or not at all', (value, text) => {
  expect(shownReply(value)).toBe(text)
})
