import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unescaped } from './unescaped.ts'

const secret = 'sk-a"b/c\\d+e =&<ä🦊'
/** The text with a star for the first place where the other one is found. */
function found(text: string, given = secret): string {
  const inside = unescaped(text)
  const wanted = unescaped(given).text
  const at = inside.text.indexOf(wanted)
  if (at < 0) return text
  return `${text.slice(0, inside.starts[at])}*${text.slice(inside.ends[at + wanted.length - 1])}`
}

const each = (spell: (character: string) => string): string => Array.from(secret, spell).join('')
const bytesOf = (character: string): number[] => [...new TextEncoder().encode(character)]
const units = (text: string): string =>
  text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

test.each([
  ['as it is', secret],
  ['in JSON', JSON.stringify(secret).slice(1, -1)],
  ['in JSON, slashes escaped, as PHP writes it', JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/')],
  [
    'in JSON in ASCII, as Python writes it',
    JSON.stringify(secret)
      .slice(1, -1)
      .replace(/[^\0-\x7f]/g, units),
  ],
  ['in JSON inside JSON', JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
  ['in JSON, every character escaped', units(secret)],
  ['in JSON, in capitals', units(secret).replace(/[a-f]/g, (digit) => digit.toUpperCase())],
  ['in Python', each((c) => (c > '~' && c < 'ÿ' ? `\\x${c.charCodeAt(0).toString(16)}` : c.replace(/["\\]/, '\\$&')))],
  [
    'in bytes of Python',
    each((c) =>
      c > '~'
        ? bytesOf(c)
            .map((byte) => `\\x${byte.toString(16)}`)
            .join('')
        : c,
    ),
  ],
  ['in a URL', encodeURIComponent(secret)],
  ['in a URL in small letters', encodeURIComponent(secret).toLowerCase()],
  ['in a URL inside a URL', encodeURIComponent(encodeURIComponent(secret))],
  ['in a form', encodeURIComponent(secret).replaceAll('%20', '+')],
  ['in HTML', each((c) => ({ '"': '&quot;', '&': '&amp;', '<': '&lt;', '/': '&#x2F;', ä: '&auml;' })[c] ?? c)],
  ['in HTML in numbers', each((c) => `&#${c.codePointAt(0)};`)],
  [
    'in HTML inside HTML',
    each((c) => ({ '"': '&amp;quot;', '&': '&amp;amp;', '<': '&amp;lt;', '/': '&amp;#47;' })[c] ?? c),
  ],
  ['in a shell', each((c) => (/[\w-]/.test(c) ? c : `\\${c}`))],
  ['read as Latin-1', each((c) => String.fromCharCode(...bytesOf(c)))],
  ['written as Latin-1 and read as UTF-8', secret.replace('ä', '\ufffd')],
])('a text is found %s', (_, text) => {
  expect(found(`<${text}>`)).toBe('<*>')
})

test('other texts are not', () => {
  for (const other of ['sk-a"b/c\\d', secret.slice(1), secret.replace('ä', 'a'), 'sk-a', '']) {
    expect(found(other)).toBe(other)
  }
})

test('line breaks are found where they are escaped', () => {
  expect(found('"one\\ntwo\\\\r\\\\n"', 'one\ntwo\r\n')).toBe('"*"')
})

test('any text is found as it is, in JSON and in a URL', () => {
  // Enough letters around it that escapes in it cannot join with what is left and right of it.
  const text = fc.string({ maxLength: 60, unit: 'grapheme' }).map((inside) => `key${inside}end`)
  fc.assert(
    fc.property(text, (given) => {
      expect(found(`<${given}>`, given)).toBe('<*>')
      expect(found(`<${JSON.stringify(given).slice(1, -1)}>`, given)).toBe('<*>')
      expect(found(`<${encodeURIComponent(given)}>`, given)).toBe('<*>')
      expect(found(JSON.stringify([encodeURIComponent(JSON.stringify(given))]), given)).toBe('["%22*%22"]')
    }),
    { numRuns: 300 },
  )
})
