import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { shellWord } from './shell-word.ts'

test.each(['a/b-1.json', 'with blank', "it's", '$(touch x)', '`id`', 'a;b&c|d>e', '"', '\\', 'a\nb', 'ü', ''])(
  'a shell takes %j for one word and changes nothing in it',
  (text) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text)
  },
)

test('what needs no quotes has none', () => {
  expect(shellWord('runs/a_b-1.json')).toBe('runs/a_b-1.json')
})
