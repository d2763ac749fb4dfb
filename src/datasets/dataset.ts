import { show, ZerothError } from '../core/errors.ts'
import type { ImageShape, Vector } from '../core/types.ts'

/** One image: pixels from 0 to 1 (a byte divided by 255), one channel plane after the other, red first. */
export interface Image {
  readonly shape: ImageShape
  readonly pixels: Float32Array
}

/** An image to be written: its pixels may be a point of a run, in whatever precision that has. */
export interface Picture {
  readonly shape: ImageShape
  readonly pixels: Vector
}

/** Labelled images, read when they are wanted. */
export interface Dataset {
  /** Where it comes from, for people. */
  readonly name: string
  readonly count: number
  /** The size of every image, where they all have the same. */
  readonly shape?: ImageShape | undefined
  /** What the classes 0, 1, 2, ... are called, where they have names. */
  readonly classNames?: readonly string[] | undefined
  /** What some classes are called by their numbers, where a table of images names those it has. */
  readonly labelNames?: ReadonlyMap<number, string> | undefined
  /** What image `index` is called, here and nowhere else in the set: its file, or its number. */
  title(index: number): string
  /** Its class, counted from 0; undefined where it is not known. */
  label(index: number): number | undefined
  read(index: number): Promise<Image>
}

/** A data set in which every index is checked before it is used. */
export function checkedDataset(dataset: Dataset): Dataset {
  const at = (index: number) => checkedIndex(dataset.name, dataset.count, index)
  return {
    ...dataset,
    title: (index) => dataset.title(at(index)),
    label: (index) => dataset.label(at(index)),
    read: async (index) => dataset.read(at(index)),
  }
}

/** The index itself, if the set has an image of that number. */
export function checkedIndex(name: string, count: number, index: number): number {
  if (Number.isInteger(index) && index >= 0 && index < count) return index
  const allowed = count === 0 ? 'no images' : `images 0 to ${count - 1}`
  throw new ZerothError('invalid-option', `the data set ${name} has ${allowed}, asked for ${show(index)}`)
}
