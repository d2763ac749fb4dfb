import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { parseOptions, table } from '../core/options.ts'
import {
  hideSecret,
  looksSecret,
  redactor,
  resolveSecret,
  type SecretSource,
  secretOption,
  secretsOfHeader,
  unescaped,
} from './secret.ts'

describe('secret', () => {
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
      const types =
        secretOption.description.type === 'union'
          ? secretOption.description.of.map(({ description }) => description.type)
          : []
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
    ...[
      'API_KEY',
      'apiKey',
      'X-Auth-Token',
      'AWS_SECRET_ACCESS_KEY',
      'DB_PASSWORD',
      'PASSWD',
      'Authorization',
      'Cookie',
    ],
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
})

describe('redactor', () => {
  describe('a redactor', () => {
    test('takes every occurrence out', () => {
      expect(redactor(['s3cret'])('a s3cret, s3crets3cret')).toBe('a [secret], [secret][secret]')
    })

    test.each([
      ['as it is', 'p@ss/w&rd é'],
      ['URL-encoded', 'p%40ss%2Fw%26rd%20%C3%A9'],
      ['URL-encoded in small letters', 'p%40ss%2fw%26rd%20%c3%a9'],
      ['as a form sends it', 'p%40ss%2Fw%26rd+%C3%A9'],
      ['in base64', Buffer.from('p@ss/w&rd é').toString('base64')],
      ['in base64 without padding', Buffer.from('p@ss/w&rd é').toString('base64').replaceAll('=', '')],
      ['in base64 for URLs', Buffer.from('p@ss/w&rd é').toString('base64url')],
    ])('finds a secret %s', (_, text) => {
      expect(redactor(['p@ss/w&rd é'])(`<${text}>`)).toBe('<[secret]>')
    })

    test.each([
      ['in JSON', 'a"b\\c/d', JSON.stringify('a"b\\c/d').slice(1, -1)],
      ['in JSON as PHP writes it', 'sk-abc/def+x', 'sk-abc\\/def+x'],
      ['in JSON as Python writes it', 'pässwörd', 'p\\u00e4ssw\\u00f6rd'],
      ['in JSON as Python writes it, without a letter of ASCII', '密码密码', '\\u5bc6\\u7801\\u5bc6\\u7801'],
      ['on the error output of Python in ASCII', 'pässwörd', 'p\\xe4ssw\\xf6rd'],
      ['in HTML', 'a&b/c<d', 'a&amp;b&#x2F;c&#60;d'],
      ['behind a backslash', 'n3w-key', '\\n3w-key'],
    ])('finds a secret %s', (_, secret, text) => {
      expect(redactor([secret])(`{"key": "${text}"}`).replace('\\', '')).toBe('{"key": "[secret]"}')
    })

    test('takes a long secret out of a long text that is made to be slow to search', () => {
      const secret = Buffer.from(Uint8Array.from({ length: 30_000 }, (_, i) => (i * i * 31) & 255)).toString('base64')
      const hostile = `${'\\'.repeat(60_000)}${'&amp;'.repeat(20_000)}${'%25'.repeat(20_000)}`
      expect(redactor([secret])(`${hostile}, ${secret.replaceAll('/', '\\/')}`)).toBe(`${hostile}, [secret]`)
    })

    test('hides the longer of two secrets that begin alike', () => {
      expect(redactor(['abcd', 'abcdefgh'])('abcdefgh abcd')).toBe('[secret] [secret]')
    })

    test('leaves texts of fewer than four characters: they would be found inside ordinary words', () => {
      expect(redactor(['a', 'of', ''])('a reply of 5 bytes')).toBe('a reply of 5 bytes')
    })

    test('leaves none of the secrets in any text', () => {
      // Brackets apart: what is put in their place has some itself.
      const secret = fc
        .string({ minLength: 4, maxLength: 12, unit: 'binary' })
        .filter((each) => !/[[\]]|secr|ecre|cret/.test(each))
      const secrets = fc.array(secret, { minLength: 1, maxLength: 4 })
      fc.assert(
        fc.property(secrets, fc.array(fc.string(), { minLength: 1, maxLength: 4 }), (all, between) => {
          const text = between.flatMap((each, i) => [each, all[i % all.length] as string]).join('')
          const clean = redactor(all)(text)
          for (const each of all) expect(clean).not.toContain(each)
        }),
        { numRuns: 200 },
      )
    })
  })

  describe('the secrets inside a header', () => {
    test('are its value and what stands behind the scheme', () => {
      expect(secretsOfHeader('abc123')).toEqual(['abc123'])
      expect(secretsOfHeader('Bearer abc123')).toEqual(['Bearer abc123', 'abc123'])
    })

    test('are the user and the password of basic credentials', () => {
      const pair = Buffer.from('user:passwörd').toString('base64')
      expect(secretsOfHeader(`Basic ${pair}`)).toEqual([`Basic ${pair}`, pair, 'user:passwörd', 'user', 'passwörd'])
      expect(secretsOfHeader('Basic %%%')).toEqual(['Basic %%%', '%%%'])
    })
  })

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
    [
      'in Python',
      each((c) => (c > '~' && c < 'ÿ' ? `\\x${c.charCodeAt(0).toString(16)}` : c.replace(/["\\]/, '\\$&'))),
    ],
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
})
