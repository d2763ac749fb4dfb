import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { decodePlainPng, plainPngHeader } from './plain-png.ts'

const kinds = [
  ['grey', 1, 'b-w'],
  ['color', 3, 'srgb'],
  ['color with opacity', 4, 'srgb'],
] as const

describe('without sharp', () => {
  test.each(kinds)('a PNG image in %s has the header and the samples that sharp finds', async (_, channels, space) => {
    const data = Uint8Array.from({ length: 5 * 3 * channels }, (_, i) => (i * 37) % 256)
    const raw = sharp(data, { raw: { width: 5, height: 3, channels } }).toColourspace(space)
    const png = new Uint8Array(await raw.png().toBuffer())
    const { width, height, space: found, depth, hasAlpha } = await sharp(png).metadata()
    expect(plainPngHeader(png)).toEqual({ width, height, space: found, depth, hasAlpha })
    expect(decodePlainPng(png)).toEqual({ shape: { channels, height: 3, width: 5 }, values: data })
  })

  test('palettes are left to sharp', async () => {
    const raw = sharp(new Uint8Array(12), { raw: { width: 2, height: 2, channels: 3 } })
    expect(plainPngHeader(new Uint8Array(await raw.png({ palette: true }).toBuffer()))).toBeUndefined()
  })
})
