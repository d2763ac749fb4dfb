import { expect, test } from 'vitest'
import { checkedWord } from './embedded-names.ts'

const known = ['digits', 'cifar10'] as const

test('passes a known word', () => {
  expect(checkedWord('the model', 'cifar10', known)).toBe('cifar10')
})

test.each([
  ['digit', '"digit"; did you mean digits?'],
  ['CIFAR-10', '"CIFAR-10"; did you mean cifar10?'],
  ['imagenet', '"imagenet"'],
  ['__proto__', '"__proto__"'],
  [undefined, 'undefined'],
  [7, '7'],
])('refuses %j and says what is known', (word, got) => {
  const message = `the model must be one of "digits", "cifar10", got ${got}`
  expect(() => checkedWord('the model', word, known)).toThrow(
    expect.objectContaining({ code: 'invalid-option', message }),
  )
})
