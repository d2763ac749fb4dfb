import sharp from 'sharp'

/** The version of libvips that decodes images here: pixels of JPEG files may differ between versions. */
export function imageLibrary(): string {
  return sharp.versions.vips
}
