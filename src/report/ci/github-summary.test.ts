import { expect, test } from 'vitest'
import { checkedAttack, comparison } from '../../../test/report/checked-attack.ts'
import { githubSummary, markdown } from './github-summary.ts'

test('a summary for GitHub shows hostile names as they are', () => {
  const text = githubSummary(checkedAttack({ failUnder: 0.9 }, { comparison }))
  expect(text).toContain('**25\u00a0%** of 4 images')
  expect(text).toContain('❌ robust accuracy')
  expect(text).toContain('No longer robust, but so in the baseline:')
  expect(text).not.toMatch(/<(?!\/?(details|summary)>)/)
  expect(text).not.toContain('@me')
  expect(text.split('\n').filter((line) => line.startsWith('::'))).toEqual([])
  const cells = text.split('\n').filter((line) => line.startsWith('| '))
  expect(cells.every((line) => line.split('|').length === 4)).toBe(true)
})

test.each([
  ['[a](http://b)', '&#91;a&#93;&#40;http&#58;//b&#41;'],
  ['- a', '&#45; a'],
  ['1. a', '&#49;. a'],
  ['a|b\nc', 'a&#124;b c'],
  ['www.a.b', 'www&#46;a.b'],
])('Markdown shows %j as it is', (text, shown) => {
  expect(markdown(text)).toBe(shown)
})
