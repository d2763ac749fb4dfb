import { expect, test } from 'vitest'
import { meaningOf } from './meaning.ts'

const found = { robustAccuracy: 0.7, attacked: 20, methods: ['square', 'back', 'zeroth'] }
const effort = { maxQueries: 1000, universal: false }

test('a robust accuracy is never said without the size of the changes it holds for', () => {
  const said = (within: { linf?: number; l2?: number }) => meaningOf(found, { ...effort, within }).meaning
  const end = 'by square and zeroth with 1,000 queries each; a stronger attack may fool more'
  expect(said({ linf: 8 / 255 })).toBe(`70 % of the images withstood changes of at most 8/255 (linf) ${end}`)
  expect(said({ linf: 0.1, l2: 2 })).toBe(
    `70 % of the images withstood changes of at most 0.1 (linf) and 2 (l2) ${end}`,
  )
  expect(said({})).toBe(`70 % of the images withstood changes of any size ${end}`)
})

test('nothing is said where no image was attacked', () => {
  expect(meaningOf({ ...found, attacked: 0 }, { ...effort, within: {} })).toEqual({})
})
