import fc from 'fast-check'
import { parseHTML } from 'linkedom'
import { expect, test } from 'vitest'
import { escaped, html, textOf, trusted } from './markup.ts'

test('values are escaped in text and in attributes, markup is not, and nothing stands for undefined', () => {
  const inner = html`<b>${'<i>'}</b>`
  expect(textOf(html`<p title="${'"&'}">${inner}${undefined}${[1, inner]}</p>`)).toBe(
    '<p title="&#34;&#38;"><b>&#60;i&#62;</b>1<b>&#60;i&#62;</b></p>',
  )
})

test('only what was made here passes for markup', () => {
  const forged = JSON.parse('{"markup":"<script>","Symbol(markup)":"<script>","map":"x"}')
  expect(() => textOf(html`${forged}`)).toThrow()
  expect(textOf(html`${trusted('<br>')}`)).toBe('<br>')
})

test('whatever the text, a parser reads it back as text and finds no element in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      const { document } = parseHTML(`<body>${textOf(html`<p title="${text}">${text}</p>`)}</body>`)
      expect(document.querySelectorAll('body *')).toHaveLength(1)
      expect(document.querySelector('p')?.textContent).toBe(readable(text))
      expect(document.querySelector('p')?.getAttribute('title')).toBe(readable(text))
    }),
    { numRuns: 200, seed: 1 },
  )
})

test('characters that no document may hold, and those that reorder a line, are replaced', () => {
  expect(escaped('a\u0000b\u001b[31mc\u202ed\ud800e\r\nf\tg')).toBe('a\ufffdb\ufffd[31mc\ufffdd\ufffde\ufffd\nf\tg')
})

/** What is left of a text when its forbidden characters are replaced. */
function readable(text: string): string {
  return [...text]
    .map((c) => (/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\ufffe\uffff]/u.test(c) && !/[\n\t]/.test(c) ? '\ufffd' : c))
    .join('')
}
