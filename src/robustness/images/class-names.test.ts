import { expect, test } from 'vitest'
import { className, classNumber, parseClassNames } from './class-names.ts'

const names = ['tench, Tinca tinca', 'crane', 'Cat', 'crane']

test.each([
  ['a JSON list', '["cat", "dog"]'],
  ['a JSON object by number', '{"1": "dog", "0": "cat"}'],
  ['ImageNet as it is often kept', '{"0": ["n01", "cat"], "1": ["n02", "dog"]}'],
  ['a name per line', 'cat\ndog\n'],
  ['a name per line, with a byte order mark and other line ends', '\ufeffcat\r\ndog\r\n\r\n'],
  ['a table', '0,cat\n1,dog\n'],
  ['a table with a header, in any order', 'index,name\n1,dog\n0,cat\n'],
  ['a table that counts from 1', '1,cat\n2,dog\n'],
  ['quoted cells', '0,"cat"\n1,"dog"\n'],
])('reads names from %s', (_, text) => {
  expect(parseClassNames(text, 'names.txt')).toEqual(['cat', 'dog'])
})

test('a name may hold commas', () => {
  expect(parseClassNames('tench, Tinca tinca\ngoldfish', 'n')).toEqual(['tench, Tinca tinca', 'goldfish'])
  expect(parseClassNames('0,"tench, Tinca ""t"""\n1,goldfish, C.', 'n')).toEqual(['tench, Tinca "t"', 'goldfish, C.'])
})

test.each([
  ['', 'n: holds no names of classes'],
  ['[]', 'n: holds no names of classes'],
  ['["cat", 3]', 'n: entry 1: must be a name, got 3'],
  ['["cat"', 'n: is not JSON ('],
  ['{"cat": 0}', 'n: must have the numbers of classes as keys, got "cat"'],
  ['0,cat\n0,dog', 'n: names class 0 twice'],
  ['0,cat\n2,dog', 'n: has no name for class 1'],
  ['2,cat\n3,dog', 'n: has no name for class 1'],
  ['cat\n\ndog', 'n line 2: must be a name, got ""'],
])('refuses %j', (text, message) => {
  expect(() => parseClassNames(text, 'n')).toThrow(message)
})

test.each([
  ['Cat', 2],
  ['cat', 2],
  ['tench, Tinca tinca', 0],
  ['tinca TINCA', 0],
  ['tench', 0],
])('finds the class %s', (name, index) => {
  expect(classNumber(name, names)).toBe(index)
})

test.each([
  ['crane', '"crane" names the classes 1, 3: give the number'],
  ['cta', 'there is no class "cta"; did you mean Cat? (known: tench, Tinca tinca, crane, Cat, crane)'],
])('says what is wrong with %s', (name, message) => {
  expect(() => classNumber(name, names)).toThrow(message)
})

test('a class is called by its name where that says more than its number', () => {
  expect([2, 9, null, undefined].map((index) => className(index, names))).toEqual([
    'Cat',
    undefined,
    undefined,
    undefined,
  ])
  expect(className(1, ['0', '1'])).toBeUndefined()
})
