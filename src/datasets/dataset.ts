import type { ImageShape } from '../core/types.ts'

/** One image: pixels from 0 to 1 (a byte divided by 255), one channel plane after the other, red first. */
export interface Image {
  readonly shape: ImageShape
  readonly pixels: Float32Array
}

/** Labelled images, read when they are wanted. */
export interface Dataset {
  /** Where it comes from, for people. */
  readonly name: string
  readonly count: number
  /** What image `index` is called: its file, or its number. */
  title(index: number): string
  /** Its class, counted from 0; undefined where it is not known. */
  label(index: number): number | undefined
  read(index: number): Promise<Image>
}
