import { expect, test } from 'vitest'
import { checkedAttack, comparison } from '../../../test/report/checked-attack.ts'
import { junitXml, xml } from './junit.ts'

/** The tags of an XML text in their order; anything between them must be free of markup. */
function tags(text: string): string[] {
  const found = [...text.matchAll(/<[?/]?[a-z-]+(?: [a-z]+="[^"<]*")*\s*[?/]?>/g)]
  const rest = text.replace(/<[?/]?[a-z-]+(?: [a-z]+="[^"<]*")*\s*[?/]?>/g, '')
  expect(rest).not.toMatch(/[<>]/)
  expect(text.replace(/&(amp|lt|gt|quot|apos|#\d+);/g, '')).not.toContain('&')
  return found.map(([tag]) => tag)
}

const count = (list: readonly string[], start: string): number => list.filter((tag) => tag.startsWith(start)).length

test('JUnit: without a demand, an image that is fooled has failed', () => {
  const text = junitXml(checkedAttack())
  const list = tags(text)
  expect(text).toMatch(
    /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="zeroth" tests="4" failures="1" errors="1" skipped="1" time="0">/,
  )
  expect(['<testsuite ', '<testcase ', '<failure ', '<error ', '<skipped '].map((tag) => count(list, tag))).toEqual([
    1, 4, 1, 1, 1,
  ])
  for (const key of ['name', 'tests', 'failures', 'errors', 'time', 'timestamp', 'hostname', 'id', 'package']) {
    expect(list.find((tag) => tag.startsWith('<testsuite '))).toContain(` ${key}="`)
  }
  expect(
    list
      .filter((tag) => tag.startsWith('<testcase '))
      .every((tag) => / name="[^"]+" classname="[^"]+" time="0"/.test(tag)),
  ).toBe(true)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 cannot hold them.
  expect(text).not.toMatch(/[\x00-\x08\x0b\x0c\x0e-\x1f]/)
  expect(text).toContain('x|y taken for 7 after 34 queries')
})

test('JUnit: where something is demanded, that decides, and an image may be fooled', () => {
  const text = junitXml(checkedAttack({ failUnder: 0.9 }, { comparison }))
  expect(text).toContain('tests="6" failures="2" errors="1" skipped="1"')
  const list = tags(text)
  expect(count(list, '<testsuite ')).toBe(2)
  expect(text).toContain('robust accuracy of at least 90')
  expect(text).toContain('no worse than the baseline')
})

test('XML texts hold nothing that XML cannot', () => {
  expect(xml(`<a b="c">'&\x00\ufffe\ud800\n`)).toBe('&lt;a b=&quot;c&quot;&gt;&apos;&amp;\ufffd\ufffd\ufffd&#10;')
})
