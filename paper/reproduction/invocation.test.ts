import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { invocation } from './invocation.ts'

test('a command is written as it was typed, quoted only where it must be', () => {
  expect(invocation(['table-a3', '--scale', 'quick', '--out', 'a/b_c-1'])).toBe(
    'npm run reproduce -- table-a3 --scale quick --out a/b_c-1',
  )
  expect(invocation(['x', "it's", '', '{"a": 1}'])).toBe(`npm run reproduce -- x 'it'\\''s' '' '{"a": 1}'`)
})

test('a shell reads the same words back', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((word) => !word.includes('\0'))
  const words = fc.sample(fc.array(text, { maxLength: 4 }), { numRuns: 40, seed: 1 })
  const lines = words.map((each) => `printf '%s\\0' end ${invocation(each).replace(/^npm run reproduce -- ?/, '')}`)
  const read = execFileSync('/bin/sh', ['-c', lines.join('\n')], { encoding: 'utf8' })
  expect(read.split('\0').slice(0, -1)).toEqual(words.flatMap((each) => ['end', ...each]))
})
