import { expect, test } from 'vitest'
import { vectorsOf } from '../../test/conformance/basis.ts'
import { beginning } from '../../test/conformance/directions.ts'
import { tiles } from './tiles.ts'

const begin = (channels: number, height: number, width: number, size: number) => {
  const at = beginning(channels * height * width, { shape: { channels, height, width } })
  return { at, span: tiles({ size }).begin(at) }
}

test('every tile is one vector of length 1 that is even on its tile', () => {
  const { at, span } = begin(2, 4, 4, 2)
  expect(vectorsOf(span, at)[5]).toEqual([
    ...new Array(16).fill(0),
    ...[0, 0, 0.5, 0.5, 0, 0, 0.5, 0.5],
    ...new Array(8).fill(0),
  ])
})

test('uneven sides give tiles that differ by a pixel', () => {
  const { at, span } = begin(1, 3, 5, 2)
  const sizes = vectorsOf(span, at).map((vector) => vector.filter((each) => each !== 0).length)
  expect(sizes).toEqual([2, 3, 4, 6])
})

test('cuts every tile in four when it grows, down to pixels', () => {
  const { span } = begin(1, 10, 28, 4)
  const sizes = [span.dim]
  while (span.grow?.() === true) sizes.push(span.dim)
  expect(sizes).toEqual([16, 64, 10 * 16, 10 * 28])
})

test('has 14 x 14 tiles on an image of 28 x 28 unless told otherwise', () => {
  const at = beginning(784, { shape: { channels: 1, height: 28, width: 28 } })
  expect(tiles().begin(at).dim).toBe(196)
  expect(() => tiles().begin(beginning(784))).toThrow('tiles needs to know the size of the image')
})
