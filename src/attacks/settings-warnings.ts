import { createSession } from '../core/session.ts'
import type { ImageShape } from '../core/types.ts'
import type { ReadyOptions } from './robustness-options.ts'

/**
 * What a method has to say about its settings, once and not for every image. It begins on an empty image: settings with
 * which it cannot begin on images of that size are thrown before anything is asked.
 */
export function settingsWarnings(
  { solver, precision, form }: Pick<ReadyOptions, 'solver' | 'precision' | 'form'>,
  shape: ImageShape,
): readonly string[] {
  const { set, dim } = form.begin([new Float32Array(shape.channels * shape.height * shape.width)])
  return createSession(new Float64Array(dim), { solver, precision, set, shape }).warnings
}
