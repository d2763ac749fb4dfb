import { expect, test } from 'vitest'
import { parsed, unbalanced } from '../../../../test/report/page-check.ts'
import { html } from '../markup.ts'
import { createdTime, reportPage } from './document.ts'

const page = reportPage({
  title: 'A title',
  kicker: 'a kicker',
  about: createdTime('2026-11-21T09:41:07.123Z'),
  notice: html`<p class="notice">Mind this.</p>`,
  sections: [
    { id: 'one', title: 'First', content: html`<p>a</p>` },
    undefined,
    { id: 'two', title: 'Second & last', content: html`<p>b</p>`, className: 'methods' },
  ],
  figures: [],
  source: 'runs',
})

test('the contents name the sections that are there, in order, and lead to them', () => {
  const document = parsed(page.html)
  const links = [...document.querySelectorAll('nav[aria-label="Contents"] a')]
  expect(links.map(({ textContent }) => textContent)).toEqual(['First', 'Second & last'])
  for (const link of links) {
    const heading = document.getElementById((link.getAttribute('href') ?? '').slice(1))
    expect(heading?.textContent).toBe(link.textContent)
    expect(heading?.closest('section')?.getAttribute('aria-labelledby')).toBe(heading?.id)
  }
})

test('a notice stands before all sections, and the footer says where the numbers are from', () => {
  expect(unbalanced(page.html.replace('<!doctype html>', ''))).toEqual([])
  expect(page.html.indexOf('Mind this.')).toBeLessThan(page.html.indexOf('<section'))
  expect(parsed(page.html).querySelector('footer')?.textContent).toContain(
    'Written by zeroth from what the runs recorded.',
  )
  expect(parsed(page.html).querySelector('section.methods')?.textContent).toContain('Second & last')
})
