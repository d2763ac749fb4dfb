import { dct } from '../bases/dct.ts'
import { ZerothError } from '../core/errors.ts'
import { resumeSearch } from '../core/memory.ts'
import { openKernels } from '../core/open-kernels.ts'
import { count, option, optional, positive, table } from '../core/options.ts'
import { definePart, part } from '../core/part.ts'
import { numberFrom } from '../core/schema.ts'
import type { Basis, Begin, Solver, Span } from '../core/types.ts'
import { probeOptions } from '../estimators/probes.ts'
import type { BorderSettings } from './border-moves.ts'
import { borderSearch } from './border-search.ts'
import { inTwoPhases } from './in-two-phases.ts'
import { coordinateSpan } from './slope-memory.ts'
import { square } from './square.ts'

/**
 * What this library recommends for measuring how little it takes to fool a model: no learning rate, success within some
 * tens of queries, and most of the budget spent on making the perturbation small. Large images are fooled by random squares
 * at first, small ones by steps down the slopes. Its few numbers were chosen on images that no result is reported on. Made
 * for objectives that answer the same question in the same way each time.
 */
export const zeroth = definePart({
  kind: 'solver',
  name: 'zeroth',
  summary: 'Remembered slopes to a first success, then along its border to the nearest one; no learning rate.',
  options: table({
    directions: count('slopes per iteration until the first success', 10),
    refinement: count('slopes per iteration after the first success', 40),
    smoothing: positive('length of the probes (the paper: mu)', 1e-3),
    firstStep: positive('length of the first step, per variable (root mean square)', 0.002),
    growth: option(numberFrom(1), 'what a step that led down is multiplied by', 1.2),
    feasible: probeOptions.feasible,
    first: optional(
      part<Solver>(
        'solver',
        'begin',
        'the method that looks for a first success; random squares on large images, else remembered slopes',
      ),
    ),
    basis: optional(
      part<Basis>(
        'basis',
        'begin',
        'the vectors along which slopes are taken; the frequencies of an image, else the coordinates',
      ),
    ),
  }),
  examples: () => [{ directions: 2 }, { directions: 3, refinement: 5 }],
  make: ({ basis, first: given, ...settings }): Solver => {
    const second: Solver = { begin: (at) => borderSearch(at, spanOf(at, basis), onGrid(at, settings)) }
    const solverAt = (at: Begin): Solver => {
      const first = given ?? quickFirst(at)
      return first === undefined ? second : inTwoPhases({ first, second, shrink: 8, pull: 0, needsGoal: true })
    }
    return {
      openKernels,
      begin: (at) => solverAt(at).begin(at),
      resume: (at, saved) => resumeSearch(solverAt(at), at, saved),
    }
  },
})

/** Half a step of the grid in every variable: probes that a model of bytes sees. */
function onGrid({ attack, dim }: Begin, settings: BorderSettings): BorderSettings {
  const { grid = 0 } = attack ?? {}
  return { ...settings, smoothing: Math.max(settings.smoothing, 0.5 * grid * Math.sqrt(dim)) }
}

/** Pixels of an image in which slopes are too many to find a way out soon. */
const largeImage = 4096

/** Large images are fooled by squares within a few queries; how small the change can be is found out afterwards. */
function quickFirst({ shape }: Begin): Solver | undefined {
  return shape !== undefined && shape.height * shape.width > largeImage ? square({ radius: 0.05 }) : undefined
}

function spanOf(at: Begin, basis: Basis | undefined): Span {
  const { shape, dim } = at
  if (basis === undefined && shape === undefined) return coordinateSpan(dim)
  const chosen = basis ?? dct({ shape, size: Math.max(shape?.height ?? 1, shape?.width ?? 1) })
  const span = chosen.begin(at)
  if (span.changing !== true) return span
  throw new ZerothError(
    'invalid-option',
    'zeroth.basis must have the same vectors in all iterations: slopes are remembered',
  )
}
