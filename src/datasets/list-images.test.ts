import { expect, test } from 'vitest'
import { classLabels } from './list-images.ts'

const given = (...texts: string[]) => texts.map((text, i) => ({ where: `line ${i + 2}`, text }))

test('whole numbers are classes as they are', () => {
  expect(classLabels(given('7', '0', '007', ' 999 '))).toEqual({ labels: [7, 0, 7, 999] })
})

test('names are counted in the order of their characters, the same for every locale', () => {
  const { labels, classNames } = classLabels(given('cat', 'Zebra', 'ärger', 'cat', 'dog'))
  expect(classNames).toEqual(['Zebra', 'cat', 'dog', 'ärger'])
  expect(labels).toEqual([1, 0, 3, 1, 2])
})

test('names that every object has are names like others', () => {
  const { labels, classNames } = classLabels(given('constructor', '__proto__', 'toString'))
  expect(classNames).toEqual(['__proto__', 'constructor', 'toString'])
  expect(labels).toEqual([1, 0, 2])
})

test('an empty text is a class that is not known', () => {
  expect(classLabels(given('3', '', ' ')).labels).toEqual([3, undefined, undefined])
  expect(classLabels(given('b', '', 'a'))).toEqual({ labels: [1, undefined, 0], classNames: ['a', 'b'] })
  expect(classLabels(given('', ''))).toEqual({ labels: [undefined, undefined], classNames: undefined })
})

test.each([['-1'], ['1.5'], ['1e3'], ['0x10'], ['Infinity'], ['99999999999999999999'], ['cat']])(
  '%j among whole numbers is refused',
  (text) => {
    const rule = 'classes must be whole numbers of at least 0, or all of them names'
    expect(() => classLabels(given('1', text))).toThrow(`line 3: ${rule}, got "${text}"`)
  },
)
