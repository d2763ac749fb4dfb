import type { Images } from './model.ts'

/** Some of the images, in the order given. */
export function someImages(images: Images, rows: readonly number[]): Images {
  return {
    rows: rows.length,
    write: (row, into, offset) => images.write(rows[row] as number, into, offset),
  }
}
