import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseSpec, readSpec } from './read-spec.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-spec-'))
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string, text: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const read = (text: string) => parseSpec(text, { name: 'run.yaml' }).spec

describe('a text', () => {
  test('is YAML or JSON', () => {
    const wanted = { objective: 'quadratic', start: [1, -2.5], retry: true, target: 1e-3 }
    expect(read('objective: quadratic\nstart: [1, -2.5]\nretry: true\ntarget: 1e-3\n')).toEqual(wanted)
    expect(read(JSON.stringify(wanted))).toEqual(wanted)
    expect(read(JSON.stringify(wanted, null, '\t'))).toEqual(wanted)
    expect(read(`\ufeff${JSON.stringify(wanted, null, 2)}\r\n`)).toEqual(wanted)
  })

  test('may hold infinities, minus zero and anchors', () => {
    expect(read('bounds: [-.inf, .inf]')).toEqual({ bounds: [-Infinity, Infinity] })
    expect(Object.is(read('target: -0').target, -0)).toBe(true)
    expect(read('a: &a {x: 1}\nb: *a')).toEqual({ a: { x: 1 }, b: { x: 1 } })
  })

  test('knows lines and columns of its keys, also behind anchors', () => {
    const { locate } = parseSpec('a: 1\nb:\n  c: [x, {d: 2}]\ne: &e\n  f: 3\ng: *e\n', { name: 'run.yaml' })
    expect(locate([])).toBe('run.yaml: ')
    expect(locate(['a'])).toBe('run.yaml:1:1: ')
    expect(locate(['b', 'c'])).toBe('run.yaml:3:3: ')
    expect(locate(['b', 'c', 1, 'd'])).toBe('run.yaml:3:11: ')
    expect(locate(['b', 'c', 9, 'd'])).toBe('run.yaml:3:3: ')
    expect(locate(['g', 'f'])).toBe('run.yaml:5:3: ')
    expect(locate(['nowhere'])).toBe('run.yaml: ')
  })

  test.each([
    ['', 'run.yaml: a spec must be a map of keys and values, got nothing'],
    ['- a\n- b', 'run.yaml: a spec must be a map of keys and values, got a list'],
    ['quadratic', 'run.yaml: a spec must be a map of keys and values, got a string'],
    ['a: [1, 2', 'run.yaml:1:9: Flow sequence'],
    ['a: 1\n b: 2', 'run.yaml:1:4: Nested mappings'],
    ['{"a": 1,, "b": 2}', 'run.yaml:1:9: Unexpected , in flow map'],
    ['a: 1\nb: 2\na: 3', 'run.yaml:3:1: the key a appears twice'],
    ['{"a": {"b": 1, "b": 2}}', 'run.yaml:1:16: the key b appears twice'],
    ['1: a', 'run.yaml:1:1: a key must be a text'],
    ['? [a, b]\n: c', 'run.yaml:1:3: a key must be a text'],
    ['a: !!js/function x', 'run.yaml:1:4: Unresolved tag: tag:yaml.org,2002:js/function'],
    ['a: !secret x', 'run.yaml:1:4: Unresolved tag: !secret'],
    ['a: 1\n---\na: 2', 'run.yaml:2:1: a spec is one document, not several'],
    ['a: &a [*a]', 'run.yaml:1:8: the anchor a holds itself'],
    ['a: &a {b: [1, *a]}', 'run.yaml:1:15: the anchor a holds itself'],
    [
      'a: *nobody',
      'run.yaml: the spec cannot be read: Unresolved alias (the anchor must be set before the alias): nobody',
    ],
    ['a:\n  __proto__: {x: 1}', 'run.yaml:2:3: spec.a.__proto__: the key __proto__ is not allowed'],
    ['a: [{constructor: 1}]', 'run.yaml:1:6: spec.a.0.constructor: the key constructor is not allowed'],
    ['prototype: 1', 'run.yaml:1:1: spec.prototype: the key prototype is not allowed'],
  ])('%j is refused', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })

  test('does not change what objects are', () => {
    expect(() => read('{"__proto__": {"polluted": 1}}')).toThrow('not allowed')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

describe('a bomb is refused at once', () => {
  const size = 999_000
  test.each([
    ['brackets', '['.repeat(size), 'run.yaml:1:51: brackets may be nested 50 deep at most'],
    ['braces', '{a: '.repeat(size / 4), 'brackets may be nested 50 deep at most'],
    ['lists', '- '.repeat(size / 2), 'run.yaml:1:103: lines and lists must begin within 100 columns'],
    ['keys', '? '.repeat(size / 2), 'lines and lists must begin within 100 columns'],
    [
      'steps',
      Array.from({ length: 1300 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
      'run.yaml:102:1: lines and lists',
    ],
    ['levels', Array.from({ length: 60 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), 'is nested more than 50 deep'],
    ['uses', `a: &a 1\nb: [${'*a,'.repeat(1000)}]`, 'run.yaml:2:305: anchors may be used 100 times at most'],
    [
      'laughs',
      Array.from({ length: 9 }, (_, i) => `k${i}: &k${i} [${i === 0 ? 1 : `*k${i - 1},`.repeat(10)}]`).join('\n'),
      'Excessive alias count',
    ],
    ['commas', `[${','.repeat(size - 10)}]`, 'the spec is too long: it may have 250000 words and marks'],
    ['bytes', `a: ${'x'.repeat(1_000_000)}`, 'run.yaml: a spec has 1000000 bytes at most'],
    ['a key', `${'x'.repeat(900)}: 1`, 'a key has at most 200 characters, got 900'],
  ])('%s', (_, text, message) => {
    expect(() => read(text)).toThrow(message)
  })

  test('and a long start is not one', () => {
    const start = Array.from({ length: 20_000 }, (_, i) => i / 7)
    expect(read(`start: [${start.join(', ')}]`).start).toEqual(start)
  })
})

describe('a file', () => {
  test('is read with its folder', () => {
    const path = file('run.yaml', 'objective: quadratic\n')
    const source = readSpec(path)
    expect(source.spec).toEqual({ objective: 'quadratic' })
    expect(source.folder).toBe(folder)
    expect(source.locate(['objective'])).toBe(`${path}:1:1: `)
  })

  test('that cannot be read is named', () => {
    mkdirSync(join(folder, 'inside'))
    const missing = join(folder, 'missing.yaml')
    expect(() => readSpec(missing)).toThrow(`${missing}: cannot read the spec: there is no such file`)
    expect(() => readSpec(join(folder, 'inside'))).toThrow('inside: a spec must be a file')
    expect(() => readSpec('/dev/zero')).toThrow('/dev/zero: a spec must be a file')
    expect(() => readSpec(`${missing}\0`)).toThrow('cannot read the spec: ERR_INVALID_ARG_VALUE')
  })

  test('that is no text, or too large, is named', () => {
    const bytes = file('bytes.yaml', Uint8Array.of(0x61, 0xff, 0xfe))
    expect(() => readSpec(bytes)).toThrow(`${bytes}: a spec must be UTF-8 text`)
    const large = file('large.yaml', '#'.repeat(1_000_001))
    expect(() => readSpec(large)).toThrow(`${large}: a spec has 1000000 bytes at most`)
  })
})
