import { expect, test } from 'vitest'
import { imageFormat, isImageFormat } from './image-format.ts'

const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

test.each([
  ['\xff\xd8\xff\xe0', 'JPEG', true],
  ['\x89PNG\r\n\x1a\n', 'PNG', true],
  ['RIFF\x01\x02\x03\x04WEBPVP8 ', 'WebP', true],
  ['GIF89a', 'GIF', false],
  ['II*\0', 'TIFF', false],
  ['\0\0\0\x20ftypavif', 'AVIF', false],
  ['\0\0\0\x20ftypheic', 'HEIF', false],
  ['%PDF-1.7', 'PDF', false],
  ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'SVG', false],
  ['\xef\xbb\xbf<?xml version="1.0"?>\n<!-- x --><svg width="9"/>', 'SVG', false],
  ['<?xml version="1.0"?><x/>', 'XML', false],
  ['<!DOCTYPE html><html>', 'HTML', false],
  ['\x1f\x8b\x08', 'gzip', false],
  ['', 'nothing (0 bytes)', false],
  ['\x89PNG', 'bytes that begin with 89 50 4e 47', false],
  ['\x01', 'bytes that begin with 01', false],
])('%j is %s', (text, name, allowed) => {
  expect(imageFormat(latin1(text))).toBe(name)
  expect(isImageFormat(name)).toBe(allowed)
})
