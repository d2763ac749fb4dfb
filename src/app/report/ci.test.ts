import { expect, test } from 'vitest'
import { checkedAttack, comparison } from '../../../test/report/checked-attack.ts'
import { githubSummary, junitXml, markdown, sarifJson, xml } from './ci.ts'

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

test('SARIF has the fields that its schema and code scanning require', () => {
  const { $schema, version, runs } = JSON.parse(sarifJson(checkedAttack({ failUnder: 0.9 }), process.cwd()))
  expect([$schema, version, runs.length]).toEqual(['https://json.schemastore.org/sarif-2.1.0.json', '2.1.0', 1])
  const [{ tool, results }] = runs
  expect(tool.driver).toMatchObject({ name: 'zeroth', version: '0.1.0' })
  expect(results.map((each: { ruleId: string; level: string }) => [each.ruleId, each.level])).toEqual([
    ['robust-accuracy', 'error'],
    ['adversarial-image', 'warning'],
    ['unmeasured-image', 'warning'],
  ])
  for (const { ruleId, ruleIndex, message, locations, partialFingerprints } of results) {
    expect(tool.driver.rules[ruleIndex].id).toBe(ruleId)
    expect(message.text).not.toBe('')
    expect(locations[0].physicalLocation.artifactLocation.uri).toMatch(/^runs\/a\/[\w./%-]+$/)
    expect(locations[0].physicalLocation.region.startLine).toBe(1)
    expect(Object.values(partialFingerprints)).toHaveLength(1)
  }
})

test('SARIF names the file of an image that lies in a folder, encoded as an address', () => {
  const { runs } = JSON.parse(sarifJson(checkedAttack({ images: { folder: { folder: '/data/my photos' } } }), '/data'))
  expect(runs[0].results[0].level).toBe('error')
  expect(runs[0].results[1].locations[0].physicalLocation.artifactLocation.uri).toBe('my%20photos/d.png')
  const outside = JSON.parse(sarifJson(checkedAttack({ images: { folder: { folder: '/data/x' } } }), '/work'))
  expect(outside.runs[0].results[1].locations[0].physicalLocation.artifactLocation.uri).toBe('file:///data/x/d.png')
})

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
