import type { ImageShape } from '../core/types.ts'

/** Bytes as files and canvases hold them: row by row, the channels of a pixel side by side. */
export interface Raster {
  readonly shape: ImageShape
  readonly bytes: Uint8Array
}

/** Samples of 8 or 16 bits with 1 to 4 channels, of which the last is opacity where their number is even. */
export interface Samples {
  readonly shape: ImageShape
  readonly values: Uint8Array | Uint16Array
}

/** Samples as bytes on a white ground, in grey or color. */
export function toRaster(samples: Samples, channels: 1 | 3): Raster {
  const flat = flatten(samples)
  if (flat.shape.channels === channels) return flat
  return channels === 1 ? toGrey(flat) : toColor(flat)
}

/** Leaves out opacity by painting on white; 16 bits are rounded to 8. */
function flatten({ shape, values }: Samples): Raster {
  const stride = shape.channels
  if (values instanceof Uint8Array && stride % 2 === 1) return { shape, bytes: values }
  const channels = stride <= 2 ? 1 : 3
  const top = values instanceof Uint16Array ? 65535 : 255
  const bytes = new Uint8Array(shape.height * shape.width * channels)
  for (let from = 0, to = 0; to < bytes.length; from += stride) {
    const opacity = stride % 2 === 0 ? (values[from + channels] as number) : top
    for (let channel = 0; channel < channels; channel++) {
      const painted = (values[from + channel] as number) * opacity + top * (top - opacity)
      // Stored in a byte, it loses its fraction: this is rounding.
      bytes[to++] = (255 * painted) / (top * top) + 0.5
    }
  }
  return { shape: { ...shape, channels }, bytes }
}

/** Luma as in ITU-R BT.601, 0.299 R + 0.587 G + 0.114 B, in the integers that Pillow uses. */
function toGrey({ shape, bytes }: Raster): Raster {
  const grey = new Uint8Array(shape.height * shape.width)
  for (let to = 0, from = 0; to < grey.length; to++, from += 3) {
    const [red, green, blue] = [bytes[from], bytes[from + 1], bytes[from + 2]] as [number, number, number]
    grey[to] = (19595 * red + 38470 * green + 7471 * blue + 0x8000) >> 16
  }
  return { shape: { ...shape, channels: 1 }, bytes: grey }
}

function toColor({ shape, bytes }: Raster): Raster {
  const color = new Uint8Array(3 * bytes.length)
  bytes.forEach((byte, i) => color.fill(byte, 3 * i, 3 * i + 3))
  return { shape: { ...shape, channels: 3 }, bytes: color }
}
