import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { retryAfter, secondsOfHttpDate } from './retry-after.ts'

const headers = (retry: string | undefined, date?: string): Headers => {
  const all = new Headers()
  if (retry !== undefined) all.set('retry-after', retry)
  if (date !== undefined) all.set('date', date)
  return all
}

describe('Retry-After', () => {
  test('in seconds', () => {
    expect(retryAfter(headers('0'))).toBe(0)
    expect(retryAfter(headers('120'))).toBe(120_000)
  })

  test("as a date, counted from the reply's own", () => {
    const date = 'Wed, 21 Oct 2015 07:27:50 GMT'
    expect(retryAfter(headers('Wed, 21 Oct 2015 07:28:00 GMT', date))).toBe(10_000)
    expect(retryAfter(headers('Tue, 20 Oct 2015 07:28:00 GMT', date))).toBe(0)
    expect(retryAfter(headers('Wed, 21 Oct 2015 07:28:00 GMT'))).toBeUndefined()
  })

  test.each([undefined, '', 'soon', '-1', '1.5', '99999999999', 'Wed, 21 Foo 2015 07:28:00 GMT'])(
    '%o says nothing',
    (text) => {
      expect(retryAfter(headers(text, 'Wed, 21 Oct 2015 07:27:50 GMT'))).toBeUndefined()
    },
  )
})

test('dates are counted as the platform counts them', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (seconds) => {
      // biome-ignore lint/style/noRestrictedGlobals: a second opinion
      expect(secondsOfHttpDate(new Date(seconds * 1000).toUTCString())).toBe(seconds)
    }),
    { numRuns: 1000 },
  )
})
