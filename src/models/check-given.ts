import { show, ZerothError } from '../core/errors.ts'
import type { Dataset } from '../datasets/dataset.ts'
import type { Model, ModelSource } from './model.ts'

/** Refuses what is no open model, and says what was forgotten. `owner` is what errors name. */
export function checkModel(model: Model, owner: string): void {
  const given: Partial<Model & ModelSource> = Object(model)
  const refuse = (why: string): never => {
    throw new ZerothError('invalid-model', `${owner}: ${why}`)
  }
  if (isPromise(given)) refuse('the model is a promise: await it')
  if (typeof given.open === 'function') refuse('open the model first: await onnxModel(...).open()')
  if (typeof given.predict === 'function' && typeof given.shape === 'object' && typeof given.classes === 'number')
    return
  refuse(`the model must be an open one, such as await onnxModel(...).open(), got ${show(model)}`)
}

/** Refuses what is no data set. */
export function checkDataset(dataset: Dataset, owner: string): void {
  const given: Partial<Dataset> = Object(dataset)
  const refuse = (why: string): never => {
    throw new ZerothError('invalid-data', `${owner}: ${why}`)
  }
  if (isPromise(given)) refuse('the data set is a promise: await it')
  const functions = [given.read, given.label, given.title]
  if (!functions.every((each) => typeof each === 'function')) {
    refuse(`the data set must be one such as await folderDataset(...), got ${show(dataset)}`)
  }
  if (Number.isInteger(given.count) && (given.count as number) >= 0) return
  refuse(`the data set's count must be a whole number of at least 0, got ${show(given.count)}`)
}

function isPromise(given: object): boolean {
  return typeof (given as { then?: unknown }).then === 'function'
}
