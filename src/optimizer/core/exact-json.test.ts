import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exactJson, jsonSafe, numberOf, parseJson, shownReply, storedNumber } from './exact-json.ts'

describe('numbers in JSON', () => {
  test('keep their bits, there and back', () => {
    fc.assert(
      fc.property(fc.float64Array(), (numbers) => {
        const back = (parseJson(exactJson(numbers)) as unknown[]).map(numberOf)
        expect(back.length).toBe(numbers.length)
        numbers.forEach((number, i) => {
          expect(back[i]).toBe(number)
        })
      }),
      { numRuns: 500 },
    )
  })

  test('read well in other languages, too', () => {
    expect(exactJson([-0, 0, 1e21, 5e-324, 0.1])).toBe('[-0.0,0,1e+21,5e-324,0.1]')
    expect(exactJson(Float32Array.of(0.1))).toBe('[0.10000000149011612]')
    expect(exactJson([Number.NaN, Infinity, -Infinity])).toBe('["NaN","Infinity","-Infinity"]')
    expect(exactJson(BigInt64Array.of(2n ** 62n))).toBe('[4611686018427387904]')
  })
})

test('any JSON comes back as it was', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(exactJson(value))).toEqual(value)
    }),
  )
  expect(exactJson({ a: undefined, b: null, c: [undefined] })).toBe('{"b":null,"c":[null]}')
})

describe('reading', () => {
  test('accepts bare NaN and Infinity outside strings', () => {
    const text = '{"a":[NaN,Infinity,-Infinity,1],"b":"NaN, \\" Infinity","c":{"NaN":NaN}}'
    expect(parseJson(text)).toEqual({
      a: ['NaN', 'Infinity', '-Infinity', 1],
      b: 'NaN, " Infinity',
      c: { NaN: 'NaN' },
    })
  })

  test.each(['', '{', '[1,', 'nan', '{"a":NaN', "{'a':1}", '[NaN,"]', 'undefined'])('refuses %o', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError)
  })

  test.each([
    ['quotes that never end', '"\\"'.repeat(500_000)],
    ['escapes without end', `"${'\\"'.repeat(2_000_000)}`],
    ['lists without end', '['.repeat(3_000_000)],
    ['words without end', 'NaN'.repeat(1_000_000)],
  ])(
    'gives up on %s within seconds',
    (_, text) => {
      expect(() => parseJson(text)).toThrow()
    },
    5000,
  )
})

test('strings are numbers only where JSON has no number for them', () => {
  expect(['NaN', 'Infinity', '-Infinity'].map(numberOf)).toEqual([Number.NaN, Infinity, -Infinity])
  expect(['1', '', 'nan', 'constructor', null, [1], {}, true].map(numberOf)).toEqual(new Array(8).fill(undefined))
})

test.each([
  ['short', '"short"'],
  ['x'.repeat(200), `"${'x'.repeat(200)}"`],
  ['x'.repeat(201), 'a text of 201 characters'],
  [[1, 2], 'a list of 2'],
  [{}, 'an empty object'],
  [{ a: 1, ['x'.repeat(300)]: 2 }, 'an object with "a", a text of 300 characters'],
  [{ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 }, 'an object with "a", "b", "c", "d", "e", ...'],
  [null, 'null'],
  [undefined, 'undefined'],
  [1.5, '1.5'],
  [true, 'true'],
])('%o reads %s: whole or not at all', (value, text) => {
  expect(shownReply(value)).toBe(text)
})

test('numbers that JSON cannot hold become words, at every depth', () => {
  const data = { a: [Number.NaN, -0, 1], b: Float64Array.of(Infinity, -Infinity, 2), c: { d: null, e: undefined } }
  expect(JSON.stringify(jsonSafe(data))).toBe('{"a":["NaN","-0",1],"b":["Infinity","-Infinity",2],"c":{"d":null}}')
})

test('a stored number is a number or a word for one', () => {
  expect([0.5, 'NaN', '-Infinity', '-0'].map((each) => storedNumber.read(each))).toEqual([
    0.5,
    Number.NaN,
    -Infinity,
    -0,
  ])
  expect(storedNumber.read('1')).toMatchObject({ text: 'must be a number, or one of NaN, Infinity, -Infinity, -0' })
})
