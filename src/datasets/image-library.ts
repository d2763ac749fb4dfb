import { loadOptional, missingPackage } from '../core/optional-package.ts'

type Sharp = typeof import('sharp')['default']

/** The library that decodes images, where it is installed. */
export async function loadSharp(): Promise<Sharp | undefined> {
  return (await loadOptional('sharp', () => import('sharp')))?.default
}

/** The same where there is no other way to read an image; `use` says for what. */
export async function needSharp(use: string): Promise<Sharp> {
  const sharp = await loadSharp()
  if (sharp === undefined) throw await missingPackage(use, 'sharp')
  return sharp
}

/** The version of libvips that decodes images here: pixels of JPEG files may differ between versions. */
export async function imageLibrary(): Promise<string> {
  return (await needSharp('a JPEG image')).versions.vips
}
