import { show, ZerothError } from '../core/errors.ts'
import { checkedIndex } from './checked-index.ts'
import type { Dataset } from './dataset.ts'

/** A stretch of a data set. */
export interface IndexRange {
  readonly from: number
  readonly count: number
}

/** Some images of a data set, in the order given, as a data set of its own. */
export function subset(dataset: Dataset, which: readonly number[] | IndexRange): Dataset {
  const indices = indicesOf(dataset, which)
  const name = `${dataset.name} (${indices.length} of ${dataset.count} images)`
  const original = (index: number) => indices[checkedIndex(name, indices.length, index)] as number
  return {
    name,
    count: indices.length,
    shape: dataset.shape,
    classNames: dataset.classNames,
    title: (index) => dataset.title(original(index)),
    label: (index) => dataset.label(original(index)),
    read: async (index) => dataset.read(original(index)),
  }
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
