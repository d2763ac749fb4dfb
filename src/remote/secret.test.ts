import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { hideSecret, looksSecret, resolveSecret, type SecretSource, secretOption } from './secret.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zeroth-secret-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

const read = (given: unknown): SecretSource => parseOptions('owner', table({ key: secretOption }), { key: given }).key

describe('a secret', () => {
  test('is the text itself, the value of an environment variable, or the content of a file without its last line break', () => {
    vi.stubEnv('ZEROTH_TEST_KEY', ' with space ')
    writeFileSync(join(folder, 'key'), 'from-file\n')
    expect(resolveSecret('plain', 'key')).toBe('plain')
    expect(resolveSecret({ env: 'ZEROTH_TEST_KEY' }, 'key')).toBe(' with space ')
    expect(resolveSecret({ file: join(folder, 'key') }, 'key')).toBe('from-file')
  })

  test('may be in a file that is given as a URL', () => {
    writeFileSync(join(folder, 'a key'), 'from-file\n')
    const options = read({ file: pathToFileURL(join(folder, 'a key')) })
    expect(resolveSecret(options, 'key')).toBe('from-file')
  })

  test('that was given as text cannot be seen in the options', () => {
    const options = read('canary-4711')
    expect(resolveSecret(options, 'key')).toBe('canary-4711')
    expect(JSON.stringify(options)).toBe('{"shown":"[secret]"}')
    expect(inspect(options, { showHidden: true, depth: 9 })).not.toContain('canary')
    expect(Object.values(options)).toEqual(['[secret]'])
  })

  test('that was written down as seen from the options is not taken for one', () => {
    const copy = JSON.parse(JSON.stringify(hideSecret('canary-4711')))
    expect(() => resolveSecret(copy, 'http.headers.X-API-Key')).toThrow(
      'http.headers.X-API-Key was a secret that is not kept: give it again',
    )
  })

  test('reads as a text or a reference in the schema', () => {
    const types = secretOption.about.type === 'union' ? secretOption.about.of.map(({ about }) => about.type) : []
    expect(types).toEqual(['text', 'table', 'table'])
  })
})

describe('errors name the variable or the file and never its content', () => {
  test('an environment variable that is missing or empty', () => {
    vi.stubEnv('ZEROTH_TEST_KEY', '')
    expect(() => resolveSecret({ env: 'ZEROTH_TEST_KEY' }, 'http.headers.A')).toThrow(
      'http.headers.A: the environment variable ZEROTH_TEST_KEY is empty',
    )
    expect(() => resolveSecret({ env: 'ZEROTH_TEST_NONE' }, 'http.headers.A')).toThrow(
      'http.headers.A: the environment variable ZEROTH_TEST_NONE is not set',
    )
  })

  test('a file that is missing, empty, or no file', () => {
    writeFileSync(join(folder, 'empty'), '\n\n')
    const at = (name: string) => () => resolveSecret({ file: join(folder, name) }, 'http.url')
    expect(at('none')).toThrow(`http.url: cannot read the file ${join(folder, 'none')} (ENOENT)`)
    expect(at('empty')).toThrow(`http.url: the file ${join(folder, 'empty')} is empty`)
    expect(at('.')).toThrow('(EISDIR)')
  })

  test('where there are neither files nor an environment', () => {
    vi.stubGlobal('process', undefined)
    expect(() => resolveSecret({ file: '/key' }, 'http.url')).toThrow(
      'http.url: the file /key cannot be read here: there are no files',
    )
    expect(() => resolveSecret({ env: 'KEY' }, 'http.url')).toThrow('the environment variable KEY is not set')
  })
})

test.each([
  ...['API_KEY', 'apiKey', 'X-Auth-Token', 'AWS_SECRET_ACCESS_KEY', 'DB_PASSWORD', 'PASSWD', 'Authorization', 'Cookie'],
  ...['GOOGLE_APPLICATION_CREDENTIALS', 'OAUTH', 'KEY2', 'TOKENS', 'sig', 'MYSECRETVALUE'],
])('%s looks like a secret', (name) => {
  expect(looksSecret(name)).toBe(true)
})

test.each([
  ...['PYTHONPATH', 'TOKENIZERS_PARALLELISM', 'AUTHOR', 'KEYBOARD', 'OMP_NUM_THREADS', 'version', 'PASSES', 'DESIGN'],
])('%s does not', (name) => {
  expect(looksSecret(name)).toBe(false)
})

test('a value with a user and a password does, whatever it is called', () => {
  expect(looksSecret('DATABASE_URL', 'postgres://user:pa55@db/main')).toBe(true)
  expect(looksSecret('SERVICE_URL', 'https://example.org:8080/a@b')).toBe(false)
})
