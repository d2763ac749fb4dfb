import type { Raster } from './raster.ts'
import { type Crop, type Extent, resample } from './resample.ts'

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
