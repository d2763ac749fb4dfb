import { expect, test } from 'vitest'
import { shortened } from './shortened.ts'

test('a long text loses its middle, a short one nothing, and no character is cut in two', () => {
  expect(shortened('abcdefghij', 10)).toBe('abcdefghij')
  expect(shortened('abcdefghijk', 10)).toBe('abcde…hijk')
  expect(shortened('🙂'.repeat(9), 4)).toBe('🙂🙂…🙂')
})
