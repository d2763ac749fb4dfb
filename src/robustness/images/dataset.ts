import { show, ZerothError } from '../../optimizer/core/errors.ts'
import type { ImageShape, Vector } from '../../optimizer/core/types.ts'

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
function checkedIndex(name: string, count: number, index: number): number {
  if (Number.isInteger(index) && index >= 0 && index < count) return index
  const allowed = count === 0 ? 'no images' : `images 0 to ${count - 1}`
  throw new ZerothError('invalid-option', `the data set ${name} has ${allowed}, asked for ${show(index)}`)
}

/** A stretch of a data set. */
export interface IndexRange {
  readonly from: number
  readonly count: number
}

/** Some images of a data set, in the order given, as a data set of its own. */
export function subset(dataset: Dataset, which: readonly number[] | IndexRange): Dataset {
  const indices = indicesOf(dataset, which)
  const name = `${dataset.name} (${indices.length} of ${dataset.count} images)`
  const original = (index: number) => indices[index] as number
  return checkedDataset({
    name,
    count: indices.length,
    shape: dataset.shape,
    classNames: dataset.classNames,
    labelNames: dataset.labelNames,
    title: (index) => dataset.title(original(index)),
    label: (index) => dataset.label(original(index)),
    read: async (index) => dataset.read(original(index)),
  })
}

function indicesOf(dataset: Dataset, which: unknown): number[] {
  if (Array.isArray(which)) return distinct(dataset, which)
  const { from, count } = (which ?? {}) as Partial<IndexRange>
  if (typeof from !== 'number' || typeof count !== 'number') {
    throw new ZerothError('invalid-option', `subset takes a list of numbers or { from, count }, got ${show(which)}`)
  }
  if (!Number.isSafeInteger(count) || count < 0) {
    throw new ZerothError('invalid-option', `subset.count must be a whole number of at least 0, got ${count}`)
  }
  if (count > 0) [from, from + count - 1].forEach((index) => checkedIndex(dataset.name, dataset.count, index))
  return Array.from({ length: count }, (_, i) => from + i)
}

/** An image that is there twice would count twice in every average. */
function distinct(dataset: Dataset, list: readonly number[]): number[] {
  const seen = new Set<number>()
  for (const index of list) {
    checkedIndex(dataset.name, dataset.count, index)
    if (seen.has(index)) throw new ZerothError('invalid-option', `subset has image ${index} twice`)
    seen.add(index)
  }
  return [...seen]
}

/** The images of one class, in their order, as a data set of its own; they keep their titles. */
export function imagesOfClass(dataset: Dataset, label: number): Dataset {
  const labels = Array.from({ length: dataset.count }, (_, index) => dataset.label(index))
  const members = labels.flatMap((each, index) => (each === label ? [index] : []))
  if (members.length === 0) {
    throw new ZerothError('invalid-data', `${dataset.name} has no image of class ${label}: ${classesText(labels)}`)
  }
  return { ...subset(dataset, members), name: `${dataset.name}, class ${label}` }
}

const mostNamed = 20

function classesText(labels: readonly (number | undefined)[]): string {
  const classes = [...new Set(labels)].flatMap((each) => each ?? []).sort((a, b) => a - b)
  if (classes.length === 0) return 'the classes of its images are not known'
  const more = classes.length - mostNamed
  return `it has ${classes.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
