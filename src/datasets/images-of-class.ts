import { ZerothError } from '../core/errors.ts'
import type { Dataset } from './dataset.ts'
import { subset } from './subset.ts'

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
