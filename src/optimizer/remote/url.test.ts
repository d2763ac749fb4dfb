import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shownUrl } from './url.ts'

describe('a URL in a message', () => {
  test.each([
    ['http://127.0.0.1:8080/a/b', 'http://127.0.0.1:8080/a/b'],
    ['https://user:canary@example.org/a', 'https://example.org/a'],
    ['https://canary@example.org', 'https://example.org/'],
    ['https://example.org/?key=canary&page=1&key=x', 'https://example.org/?key=...&page=...'],
    ['https://example.org/?canary', 'https://example.org/?...'],
    ['https://example.org/#canary', 'https://example.org/'],
    ['mailto:canary@example.org', 'a URL of the kind mailto:'],
    ['canary', 'a text that is no URL'],
  ])('%s reads %s', (url, shown) => {
    expect(shownUrl(url)).toBe(shown)
  })

  test('never holds user, password, fragment or a value of the query', () => {
    const canary = fc.stringMatching(/^canary[a-z0-9]{4,10}$/)
    fc.assert(
      fc.property(canary, canary, canary, canary, (user, password, value, fragment) => {
        const shown = shownUrl(`https://${user}:${password}@example.org/path?a=${value}&b=${value}#${fragment}`)
        expect(shown).toBe('https://example.org/path?a=...&b=...')
      }),
    )
  })
})
