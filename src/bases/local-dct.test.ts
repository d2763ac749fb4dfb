import { expect, test } from 'vitest'
import { deviation, vectorsOf } from '../../test/conformance/basis.ts'
import { beginning } from '../../test/conformance/directions.ts'
import { localDct } from './local-dct.ts'

const begin = (channels: number, height: number, width: number, size: number) => {
  const at = beginning(channels * height * width, { shape: { channels, height, width } })
  return { at, span: localDct({ size }).begin(at) }
}

test('its vectors are orthonormal in images of three channels, whose sides no block fits', () => {
  const { at, span } = begin(3, 7, 5, 3)
  expect(span.dim).toBe(105)
  expect(deviation(vectorsOf(span, at))).toBeLessThan(1e-12)
})

test('a vector is 0 outside its block', () => {
  const { at, span } = begin(1, 6, 6, 3)
  vectorsOf(span, at).forEach((vector, j) => {
    const [top, left] = [Math.floor(j / 6 / 3), Math.floor((j % 6) / 3)]
    vector.forEach((each, pixel) => {
      const isWithin = Math.floor(pixel / 6 / 3) === top && Math.floor((pixel % 6) / 3) === left
      if (!isWithin) expect(each).toBe(0)
    })
  })
})

test('the first mixture of three channels is brightness: the same in all of them', () => {
  const { at, span } = begin(3, 2, 2, 2)
  const [first = []] = vectorsOf(span, at)
  for (const each of first) expect(each).toBeCloseTo(Math.sqrt(1 / 12), 12)
})
