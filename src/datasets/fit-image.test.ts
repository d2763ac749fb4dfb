import { describe, expect, test } from 'vitest'
import { coverAndCrop, stretch } from './fit-image.ts'
import type { Raster } from './raster.ts'
import { resample } from './resample.ts'

/** Grey that says where it is: the byte is the row or the column. */
function ruler(height: number, width: number, along: 'rows' | 'columns'): Raster {
  const bytes = Uint8Array.from({ length: height * width }, (_, i) =>
    along === 'rows' ? Math.floor(i / width) : i % width,
  )
  return { shape: { channels: 1, height, width }, bytes }
}

const corners = ({ shape: { height, width }, bytes }: Raster) => [bytes[0], bytes[height * width - 1]]

describe('cover and crop', () => {
  test('cuts out the middle where nothing needs resizing', () => {
    const size = { height: 14, width: 14 }
    expect(corners(coverAndCrop(ruler(16, 40, 'columns'), size, 0.875))).toEqual([13, 26])
    expect(corners(coverAndCrop(ruler(40, 16, 'rows'), size, 0.875))).toEqual([13, 26])
  })

  test.each([
    // torchvision's int(round(difference / 2)), which rounds halves to even: 0.5, 1.5, 2.5, 3.5.
    [17, 0],
    [19, 2],
    [21, 2],
    [23, 4],
    [22, 3],
  ])('begins in a side of %i where CenterCrop does', (width, first) => {
    const cropped = coverAndCrop(ruler(16, width, 'columns'), { height: 16, width: 16 }, 1)
    expect(corners(cropped)).toEqual([first, first + 15])
  })

  test('resizes the shorter side to size / cropFraction, rounded', () => {
    // 299 / 0.875 = 341.7: from 342 x 684 pixels it is a crop alone.
    const cropped = coverAndCrop(ruler(342, 684, 'rows'), { height: 299, width: 299 }, 0.875)
    expect(cropped.shape).toEqual({ channels: 1, height: 299, width: 299 })
    expect(cropped.bytes[0]).toBe(22)
    expect(cropped.bytes[299]).toBe(23)
  })

  test('rounds the longer side down', () => {
    const image = ruler(3, 5, 'columns')
    const expected = resample(image, { height: 4, width: 6 }, { top: 0, left: 1, height: 4, width: 4 })
    expect(coverAndCrop(image, { height: 4, width: 4 }, 1)).toEqual(expected)
  })

  test.each([
    [1, 1],
    [3, 2],
    [1, 5000],
    [5000, 1],
    [300, 200],
  ])('makes the size wanted out of %i x %i', (height, width) => {
    const flat: Raster = {
      shape: { channels: 3, height, width },
      bytes: new Uint8Array(3 * height * width).fill(9),
    }
    const { shape, bytes } = coverAndCrop(flat, { height: 20, width: 31 }, 0.875)
    expect(shape).toEqual({ channels: 3, height: 20, width: 31 })
    expect(bytes).toEqual(new Uint8Array(3 * 20 * 31).fill(9))
  })

  test('covers a size that is not square', () => {
    const wide = coverAndCrop(ruler(10, 30, 'columns'), { height: 10, width: 20 }, 1)
    expect(corners(wide)).toEqual([5, 24])
    const high = coverAndCrop(ruler(60, 20, 'rows'), { height: 40, width: 20 }, 1)
    expect(corners(high)).toEqual([10, 49])
  })
})

test('stretch keeps all of the image', () => {
  const { bytes } = stretch(ruler(1, 4, 'columns'), { height: 2, width: 2 })
  // Weights 1, 0.75, 0.25 of the triangle of radius 2: (0 + 0.75 * 1 + ...) / sum, rounded.
  expect(Array.from(bytes)).toEqual([1, 2, 1, 2])
  expect(Array.from(stretch(ruler(2, 1, 'rows'), { height: 2, width: 3 }).bytes)).toEqual([0, 0, 0, 1, 1, 1])
})
