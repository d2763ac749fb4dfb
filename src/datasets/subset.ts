import { show, ZerothError } from '../core/errors.ts'
import { checkedDataset, checkedIndex, type Dataset } from './dataset.ts'

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
