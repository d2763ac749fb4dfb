import { describe, expect, test } from 'vitest'
import { deviation, vectorsOf } from '../../../../test/conformance/basis.ts'
import { beginning } from '../../../../test/conformance/directions.ts'
import { coarseCosines, dct, localDct } from './dct.ts'

describe('dct', () => {
  const begin = (channels: number, height: number, width: number, size?: number) => {
    const at = beginning(channels * height * width, { shape: { channels, height, width } })
    return { at, span: dct(size === undefined ? {} : { size }).start(at) }
  }

  /** Entry i of vector f of the orthonormal DCT-II of length n, as textbooks write it. */
  const wave = (f: number, i: number, n: number): number =>
    Math.sqrt((f === 0 ? 1 : 2) / n) * Math.cos((Math.PI * (2 * i + 1) * f) / (2 * n))

  test.each([
    [1, 4, 4, 3],
    [2, 5, 3, 2],
    [3, 2, 7, 5],
    [1, 1, 1, 1],
  ])('its vectors are those of the DCT-II: %i x %i x %i, size %i', (channels, height, width, size) => {
    const { at, span } = begin(channels, height, width, size)
    const [rows, columns] = [Math.min(size, height), Math.min(size, width)]
    expect(span.dim).toBe(channels * rows * columns)
    vectorsOf(span, at).forEach((vector, j) => {
      const [channel, f, g] = [Math.floor(j / (rows * columns)), Math.floor(j / columns) % rows, j % columns]
      vector.forEach((each, pixel) => {
        const [c, y, x] = [Math.floor(pixel / (height * width)), Math.floor(pixel / width) % height, pixel % width]
        expect(Math.abs(each - (c === channel ? wave(f, y, height) * wave(g, x, width) : 0))).toBeLessThan(1e-14)
      })
    })
  })

  test.each([
    [28, 14],
    [32, 16],
    [64, 32],
    [96, 32],
    [224, 56],
    [299, 75],
    [1, 1],
    [3, 2],
  ])('keeps, of images of %i pixels a side, %i frequencies a side', (side, size) => {
    expect(begin(1, side, side).span.dim).toBe(size * size)
  })

  test('grows by the square root of 2 up to the longer side, each side up to its own', () => {
    const { span } = begin(2, 12, 28, 7)
    const sizes = [span.dim]
    while (span.grow?.() === true) sizes.push(span.dim)
    expect(sizes).toEqual([7 * 7, 10 * 10, 12 * 15, 12 * 22, 12 * 28].map((each) => 2 * each))
  })

  test('mixes channels by a cosine transform of their own: brightness first, then colors', () => {
    const at = beginning(12, { shape: { channels: 3, height: 2, width: 2 } })
    const span = dct({ size: 2, mixed: true }).start(at)
    vectorsOf(span, at).forEach((vector, j) => {
      const [combination, f, g] = [Math.floor(j / 4), Math.floor(j / 2) % 2, j % 2]
      vector.forEach((each, pixel) => {
        const [c, y, x] = [Math.floor(pixel / 4), Math.floor(pixel / 2) % 2, pixel % 2]
        expect(Math.abs(each - wave(combination, c, 3) * wave(f, y, 2) * wave(g, x, 2))).toBeLessThan(1e-14)
      })
    })
  })

  test('groups are rings of similar frequencies, channel by channel', () => {
    const { span } = begin(2, 8, 8, 8)
    const groups = Array.from({ length: span.dim }, (_, i) => span.group?.(i) as number)
    expect(groups[0]).toBe(0)
    // Frequencies (0, 5) and (3, 4) are as high as each other, (0, 1) is lower.
    expect(groups[5]).toBe(groups[8 * 3 + 4])
    expect(groups[1]).toBeLessThan(groups[5] as number)
    // The lowest group of the next channel is akin to none of the first.
    expect((groups[64] as number) - Math.max(...groups.slice(0, 64))).toBeGreaterThan(2)
    expect(groups[64 + 5]).toBe((groups[64] as number) + (groups[5] as number))
  })

  test('expects most of low frequencies, whatever the channel', () => {
    const { span } = begin(2, 4, 4, 4)
    const prospects = Array.from({ length: 32 }, (_, i) => span.prospect?.(i))
    expect(prospects.slice(0, 5)).toEqual([1, 1 / 4, 1 / 9, 1 / 16, 1 / 4])
    expect(prospects.slice(16)).toEqual(prospects.slice(0, 16))
  })

  test('takes a size above the side for the side', () => {
    expect(begin(1, 3, 5, 9).span.dim).toBe(15)
  })

  test('prefers the shape of its option', () => {
    const at = beginning(12, { shape: { channels: 3, height: 2, width: 2 } })
    expect(dct({ size: 2, shape: { channels: 1, height: 3, width: 4 } }).start(at).dim).toBe(4)
  })

  describe('says what it needs', () => {
    test('where nobody says how large the image is', () => {
      expect(() => dct().start(beginning(4))).toThrow(
        'dct needs to know the size of the image: give { channels, height, width } as session.shape (in a spec: the key shape) or as dct.shape',
      )
    })

    test('where the image has another number of pixels', () => {
      expect(() => dct({ shape: { channels: 3, height: 2, width: 2 } }).start(beginning(4))).toThrow(
        'dct.shape must have as many pixels as variables, 4, got 3 x 2 x 2 = 12',
      )
    })

    test('where the size is none', () => {
      expect(() => dct({ size: 0 })).toThrow('dct.size must be at least 1, got 0')
    })
  })
})

describe('local dct', () => {
  const begin = (channels: number, height: number, width: number, size: number) => {
    const at = beginning(channels * height * width, { shape: { channels, height, width } })
    return { at, span: localDct({ size }).start(at) }
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
})

test('frequencies of a small image drawn large are nearly orthonormal, and lean evenly from one of its pixels to the next', () => {
  const shape = { channels: 2, height: 21, width: 17 }
  const span = coarseCosines(shape)
  const at = beginning(2 * 21 * 17, { shape })
  // Six waves by five in each channel.
  expect(span.dim).toBe(60)
  const vectors = vectorsOf(span, at)
  expect(deviation(vectors)).toBeLessThan(9)
  for (const vector of vectors) expect(Math.sqrt(vector.reduce((sum, each) => sum + each * each, 0))).toBeCloseTo(1, 12)
  const level = 1 / Math.sqrt(21 * 17)
  vectors[0]?.forEach((each, i) => expect(each).toBeCloseTo(i < 21 * 17 ? level : 0, 12))
})
