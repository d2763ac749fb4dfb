import { describe, expect, test } from 'vitest'
import { originOf } from '../../src/optimizer/core/part.ts'
import type { Basis, ImageShape } from '../../src/optimizer/core/types.ts'
import { parts } from '../../src/registry.ts'
import { basisConforms } from './basis.ts'

for (const part of parts.basis) {
  const make = part as unknown as (options: object) => Basis
  const { name, examples } = part.definition

  test(`${name} has an example to be tried with, and says what it was made of`, () => {
    expect(examples(5).length).toBeGreaterThan(0)
    expect(originOf(make(examples(5)[0] as object))).toMatchObject({ kind: 'basis', name })
  })

  examples(5).forEach((_, index) => {
    describe(`${name} ${index + 1}`, () => {
      basisConforms((dim) => make(examples(dim)[index] as object))
    })
  })
}

// Images proper: both sides longer than 1, of different parity and length, with and without channels.
const imageBases = parts.basis.filter((part) => 'shape' in part.definition.options.shape)

/** An image with so many pixels, as square as they allow. */
function imageOf(pixels: number, channels: number): ImageShape {
  const each = pixels / channels
  const height = [5, 3, 2, 1].find((side) => each % side === 0) as number
  return { channels, height, width: each / height }
}

for (const part of imageBases) {
  const make = part as unknown as (options: object) => Basis
  for (const size of [undefined, 1, 2, 3]) {
    for (const channels of [1, 2]) {
      describe(`${part.definition.name} of ${size ?? 'its own choice'} on images of ${channels} channels`, () => {
        basisConforms((dim) => make({ size, shape: imageOf(dim, dim % 2 === 0 ? channels : 1) }))
      })
    }
  }
}

test('there are bases of images', () => {
  expect(imageBases.map((part) => part.definition.name)).toEqual(['dct', 'local-dct', 'tiles'])
})
