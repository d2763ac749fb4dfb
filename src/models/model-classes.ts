import { show, ZerothError } from '../core/errors.ts'
import type { Dataset } from '../datasets/dataset.ts'
import type { Model } from './model.ts'

/** The model with as many classes as its images have, where it answers with a class and nobody said how many there are. */
export function withClassesOf(model: Model, dataset: Dataset): Model {
  return model.withClasses === undefined ? model : model.withClasses(classesOf(dataset))
}

/** How many classes the images of a data set have: as many as there are names, else one more than the largest label. */
function classesOf(dataset: Dataset): number {
  const { classNames, count, name } = dataset
  const named = classNames?.length ?? 0
  if (named > 1) return named
  let largest = -1
  for (let index = 0; index < count; index++) largest = Math.max(largest, dataset.label(index) ?? -1)
  if (largest > 0) return largest + 1
  throw new ZerothError('invalid-model', `${classesNeeded}; the labels of ${show(name)} do not tell`)
}

/** Said where the number of classes is needed and nobody gave it. */
export const classesNeeded =
  'the model answers with a class and no scores: say how many classes there are with preprocessing.classes'
