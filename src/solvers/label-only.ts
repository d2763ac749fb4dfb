import { dct } from '../bases/dct.ts'
import { ZerothError } from '../core/errors.ts'
import { openKernels } from '../core/open-kernels.ts'
import { count, number, optional, positive, table } from '../core/options.ts'
import { definePart, part } from '../core/part.ts'
import type { Basis, Begin, SavedMemory, Search, Solver, Span } from '../core/types.ts'
import { stagedSearch } from '../staged/staged-search.ts'
import { labelSearch } from './label-search.ts'
import { coordinateSpan } from './slope-memory.ts'

/**
 * For models that answer with a class and no scores: the nearest success, in Euclidean length, from answers that only tell
 * success from failure; inside the limits of the attack first, where it has any. Made for objectives that answer the same
 * question in the same way each time.
 */
export const labelOnly = definePart({
  kind: 'solver',
  name: 'label-only',
  summary: 'The nearest success from answers that only tell success from failure, for models without scores.',
  options: table({
    goal: number('a value below it is a success: attacks on models without scores have 0', 0),
    probes: count('points around the border that are asked before each move', 40),
    reach: positive('how far from the border they lie, as a share of its distance', 0.3),
    basis: optional(
      part<Basis>(
        'basis',
        'begin',
        'the subspace in which probes lie; the frequencies of an image, else all variables',
      ),
    ),
  }),
  examples: () => [{ goal: 0.1, probes: 4 }],
  make: ({ basis, ...settings }): Solver => {
    const begin = (at: Begin, saved?: SavedMemory): Search => {
      checkAttack(at)
      return stagedSearch(at, labelSearch(at, spanOf(at, basis), settings), 'start', saved)
    }
    return { begin, resume: begin, openKernels, readsLabels: true }
  },
})

/** Refuses a model with scores: its successes are not below 0. */
function checkAttack({ attack }: Begin): void {
  if (attack === undefined || attack.labelsOnly === true) return
  const advice = 'use another method, or hide the scores with preprocessing.scores labels'
  throw new ZerothError('invalid-option', `label-only is for models that answer with a class and no scores: ${advice}`)
}

/** Pixels of an image up to which all its frequencies are used. */
const smallImage = 4096

function spanOf(at: Begin, basis: Basis | undefined): Span {
  const { shape, dim } = at
  if (basis === undefined && shape === undefined) return coordinateSpan(dim)
  const { height, width } = shape ?? { height: 1, width: 1 }
  const size = height * width <= smallImage ? Math.max(height, width) : undefined
  const span = (basis ?? dct({ shape, size })).begin(at)
  if (span.changing !== true) return span
  throw new ZerothError('invalid-option', 'label-only.basis must have the same vectors in all iterations')
}
