import { classNumber } from '../src/datasets/class-names.ts'
import type { Subject } from './attack-view.ts'

/** Refuses to attack what the model gets wrong by itself, where the reader has said what is right: a number or a name. */
export function checkTrueClass(
  given: string,
  { label, nameOf }: Pick<Subject, 'label' | 'nameOf'>,
  classes: number,
  names: readonly string[],
): void {
  if (given === '') return
  const number = /^\d+$/.test(given) ? Number(given) : classNumber(given, names)
  if (number >= classes) throw new Error(`the true class must be from 0 to ${classes - 1}, got ${given}`)
  if (number === label) return
  const wrong = `the model takes the picture for ${nameOf(label)}, not for ${nameOf(number)}`
  throw new Error(`${wrong}: it is wrong without an attack; choose another picture, or other pixels`)
}
