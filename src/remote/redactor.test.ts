import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redactor, secretsOfHeader } from './redactor.ts'

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

  test('finds a secret inside JSON', () => {
    expect(redactor(['a"b\\c'])(JSON.stringify({ key: 'a"b\\c' }))).toBe('{"key":"[secret]"}')
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
