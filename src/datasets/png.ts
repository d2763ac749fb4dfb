import { writeFile } from 'node:fs/promises'
import { encode } from 'fast-png'
import { fileError } from './data-error.ts'
import type { Picture } from './dataset.ts'
import { toBytes } from './pixels.ts'

/** The image as an 8-bit PNG, in grey or RGB: read again, it is `quantized(image)` to the bit. */
export function encodePng(image: Picture): Uint8Array {
  const { channels, height, width } = image.shape
  return encode({ data: toBytes(image), channels, height, width, depth: 8 })
}

/** Writes the image into an 8-bit PNG file. */
export async function writePng(file: string, image: Picture): Promise<void> {
  const bytes = encodePng(image)
  await writeFile(file, bytes).catch((error: unknown) => {
    throw fileError(file, 'written', error)
  })
}
