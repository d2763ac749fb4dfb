import { basename } from 'node:path'
import type { Input } from '../core/option-type.ts'
import { option, optional, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { filledText, text } from '../core/schema.ts'
import { checkedIndex } from './checked-index.ts'
import { dataError } from './data-error.ts'
import type { Dataset } from './dataset.ts'
import { readIdx } from './idx-file.ts'
import { fromBytes } from './pixels.ts'

/** Which IDX files. */
export const idxOptions = table({
  images: option(filledText, 'IDX file of images: unsigned bytes, 3 dimensions; may be gzipped'),
  labels: optional(filledText, 'IDX file of their classes: unsigned bytes, 1 dimension; may be gzipped'),
  name: optional(text, "what the data set is called; the images' file if left out"),
})

export type IdxOptions = Input<typeof idxOptions>

/** Grey images in an IDX file, as MNIST comes. The files are held in memory. */
export async function idxDataset(options: IdxOptions): Promise<Dataset> {
  const { images, labels, name = basename(images) } = parseOptions('idxDataset', idxOptions, options)
  const { sizes, bytes } = await readIdx(images, 3)
  const [count, height, width] = sizes as [number, number, number]
  const classes = labels === undefined ? { sizes: [count], bytes: [] } : await readIdx(labels, 1)
  if (labels !== undefined && classes.sizes[0] !== count) {
    throw dataError(labels, `must hold ${count} labels, one for each image of ${images}, got ${classes.sizes[0]}`)
  }
  const shape = { channels: 1, height, width }
  const plane = height * width
  const at = (index: number) => checkedIndex(name, count, index)
  return {
    name,
    count,
    shape,
    title: (index) => String(at(index)),
    label: (index) => classes.bytes[at(index)],
    read: async (index) => fromBytes(bytes.subarray(at(index) * plane, (index + 1) * plane), shape),
  }
}
