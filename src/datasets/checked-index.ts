import { show, ZerothError } from '../core/errors.ts'

/** The index itself, if the set has an image of that number. */
export function checkedIndex(name: string, count: number, index: number): number {
  if (Number.isInteger(index) && index >= 0 && index < count) return index
  const allowed = count === 0 ? 'no images' : `images 0 to ${count - 1}`
  throw new ZerothError('invalid-option', `the data set ${name} has ${allowed}, asked for ${show(index)}`)
}
