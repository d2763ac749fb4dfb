import { expect, test } from 'vitest'
import { classText } from './class-text.ts'

test('a class is called by its name, in short, by its number where it has none, and by a dash where it is not known', () => {
  const names = ['cat', '', 'great white shark, white shark, man-eater', `x${'y'.repeat(60)}`]
  expect(classText(0, names)).toBe('cat')
  expect(classText(1, names)).toBe('1')
  expect(classText(2, names)).toBe('great white shark')
  expect([...classText(3, names)]).toHaveLength(32)
  expect(classText(9, names)).toBe('9')
  expect(classText(4, undefined)).toBe('4')
  for (const unknown of [null, undefined, Number.NaN]) expect(classText(unknown, names)).toBe('–')
})
