import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandWords } from './command-words.ts'

test.each([
  ['python3 objective.py', ['python3', 'objective.py']],
  ['  a   b\tc\n', ['a', 'b', 'c']],
  [`sh -c 'echo "$HOME"; ls *'`, ['sh', '-c', 'echo "$HOME"; ls *']],
  [`a "b c" d"e f"g`, ['a', 'b c', 'de fg']],
  [`a '' ""`, ['a', '', '']],
  [`a\\ b "c\\"d" 'e\\f'`, ['a b', 'c"d', 'e\\f']],
])('%s', (text, words) => {
  expect(commandWords(text)).toEqual(words)
})

test('words with any characters arrive as they are when they are quoted', () => {
  const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (words) => {
      expect(commandWords(words.map(quoted).join(' '))).toEqual(words)
    }),
  )
})

test('no command and open quotes are errors', () => {
  expect(() => commandWords('  ')).toThrow('--exec must be a command, got nothing')
  expect(() => commandWords('a "b')).toThrow('--exec: the quote " is never closed in: a "b')
})
