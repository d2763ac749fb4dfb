import type { Raster } from './raster.ts'

/** Height and width of an image. */
export interface Extent {
  readonly height: number
  readonly width: number
}

/** A rectangle of an image. */
export interface Crop extends Extent {
  readonly top: number
  readonly left: number
}

/** Where each wanted output pixel takes its weights from: `count` inputs from `first` on. */
interface Taps {
  readonly first: Int32Array
  readonly count: Int32Array
  readonly weights: Int32Array
  readonly stride: number
}

/** Resizes the whole image, whatever that does to its proportions. */
export function stretch(image: Raster, size: Extent): Raster {
  return resample(image, size, { top: 0, left: 0, ...size })
}

/**
 * The ImageNet convention: the image is resized, keeping its proportions, until it just covers `size` divided by
 * `cropFraction` (256 for 224 and 0.875), and the middle is cut out.
 */
export function coverAndCrop(image: Raster, size: Extent, cropFraction: number): Raster {
  const full = covering(image.shape, {
    height: Math.round(size.height / cropFraction),
    width: Math.round(size.width / cropFraction),
  })
  const crop: Crop = {
    top: halfOf(full.height - size.height),
    left: halfOf(full.width - size.width),
    height: size.height,
    width: size.width,
  }
  return resample(image, full, crop)
}

/** The smallest size of the image's proportions that covers the box; the longer side is rounded down. */
function covering(image: Extent, box: Extent): Extent {
  return image.width * box.height <= image.height * box.width
    ? { height: Math.floor((box.width * image.height) / image.width), width: box.width }
    : { height: box.height, width: Math.floor((box.height * image.width) / image.height) }
}

/** Half of a whole number, rounded to even: where torchvision's CenterCrop begins. */
function halfOf(difference: number): number {
  return difference % 2 === 0 ? difference / 2 : 2 * Math.round(difference / 4)
}

const precision = 22
const half = 1 << (precision - 1)

/**
 * A rectangle of the image resized to `full`: bilinear, with the triangle widened when shrinking so that no pixel is
 * skipped. The integers of Pillow's BILINEAR, across and then down, hence its bytes. (libvips moves an enlarged image by
 * half a pixel.) Only the rectangle is computed, so that a long thin image costs no more than a square one.
 */
export function resample(image: Raster, full: Extent, crop: Crop): Raster {
  const { channels, height, width } = image.shape
  const down = taps(height, full.height, crop.top, crop.height)
  const across = taps(width, full.width, crop.left, crop.width)
  const firstRow = down.first[0] as number
  const rows = (down.first[crop.height - 1] as number) + (down.count[crop.height - 1] as number) - firstRow
  const narrow = new Uint8Array(rows * crop.width * channels)
  const row = width * channels
  for (let y = 0; y < rows; y++) {
    weigh(image.bytes, (firstRow + y) * row, channels, channels, across, narrow, y * crop.width * channels, channels)
  }
  const bytes = new Uint8Array(crop.height * crop.width * channels)
  const line = crop.width * channels
  for (let x = 0; x < line; x += channels) {
    weigh(narrow, x - firstRow * line, line, channels, down, bytes, x, line)
  }
  return { shape: { channels, height: crop.height, width: crop.width }, bytes }
}

/** One line of pixels `step` bytes apart, read from `start`, becomes one of pixels `toStep` apart, written to `at`. */
function weigh(
  from: Uint8Array,
  start: number,
  step: number,
  channels: number,
  { first, count, weights, stride }: Taps,
  to: Uint8Array,
  at: number,
  toStep: number,
): void {
  for (let out = 0; out < first.length; out++) {
    const taps = count[out] as number
    const begin = start + (first[out] as number) * step
    for (let channel = 0; channel < channels; channel++) {
      let sum = half
      for (let tap = 0, i = begin + channel; tap < taps; tap++, i += step) {
        sum += (from[i] as number) * (weights[out * stride + tap] as number)
      }
      to[at + out * toStep + channel] = Math.min(255, sum >> precision)
    }
  }
}

/** The weights of the outputs `start` to `start + length` when `from` pixels become `to`. */
function taps(from: number, to: number, start: number, length: number): Taps {
  const scale = from / to
  const support = Math.max(scale, 1)
  const stride = 2 * Math.ceil(support) + 1
  const first = new Int32Array(length)
  const count = new Int32Array(length)
  const weights = new Int32Array(length * stride)
  const exact = new Float64Array(stride)
  for (let out = 0; out < length; out++) {
    const center = (start + out + 0.5) * scale
    const begin = Math.max(0, Math.trunc(center - support + 0.5))
    const taps = Math.min(from, Math.trunc(center + support + 0.5)) - begin
    let sum = 0
    for (let tap = 0; tap < taps; tap++) {
      exact[tap] = Math.max(0, 1 - Math.abs((begin + tap - center + 0.5) / support))
      sum += exact[tap] as number
    }
    first[out] = begin
    count[out] = taps
    for (let tap = 0; tap < taps; tap++) {
      weights[out * stride + tap] = Math.trunc(0.5 + ((exact[tap] as number) / sum) * 2 * half)
    }
  }
  return { first, count, weights, stride }
}
