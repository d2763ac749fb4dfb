import { dct } from '../bases/dct.ts'
import { LocalCosines } from '../bases/local-cosines.ts'
import { ZerothError } from '../core/errors.ts'
import { resumeSearch } from '../core/memory.ts'
import { openKernels } from '../core/open-kernels.ts'
import { count, option, optional, positive, table } from '../core/options.ts'
import { definePart, part } from '../core/part.ts'
import { numberFrom } from '../core/schema.ts'
import type { Basis, Begin, ImageShape, Solver, Span } from '../core/types.ts'
import { probeOptions } from '../estimators/probes.ts'
import type { BorderSettings } from './border-moves.ts'
import { borderSearch } from './border-search.ts'
import { inTwoPhases } from './in-two-phases.ts'
import { nearOrFar } from './near-or-far.ts'
import { coordinateSpan } from './slope-memory.ts'
import { square } from './square.ts'
import { steepestChoice } from './steepest-choice.ts'
import { texturedSquares } from './textured-squares.ts'
import { turningWalk } from './turning-walk.ts'

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
    const walk: Solver = { begin: (at) => borderSearch(at, spanOf(at, basis), onGrid(at, settings)) }
    const solverAt = (at: Begin): Solver => {
      const first = given ?? quickFirst(at)
      const isFine = given === undefined && basis === undefined && isLarge(at)
      const second = isFine
        ? nearOrFar({ near: fineWalk(settings), between, reach, far: turns(settings), down: walk })
        : walk
      const patience = isLimited(at) ? Math.ceil(limitedShare * (at.budget.maxQueries ?? Infinity)) : undefined
      if (first === undefined) return at.origin === undefined ? walk : second
      return inTwoPhases({ first, second, patience, shrink: 8, pull: 0, needsGoal: true })
    }
    return {
      openKernels,
      begin: (at) => solverAt(at).begin(at),
      resume: (at, saved) => resumeSearch(solverAt(at), at, saved),
    }
  },
})

/** Half a step of the grid in every variable: probes that a model of bytes sees; and as long as its noise demands. */
function onGrid({ attack, dim }: Begin, settings: BorderSettings): BorderSettings {
  const { grid = 0, probe = 0 } = attack ?? {}
  return { ...settings, smoothing: Math.max(settings.smoothing, 0.5 * grid * Math.sqrt(dim), probe) }
}

/** Pixels of an image in which slopes are too many to find a way out soon. */
export const largeImage = 4096

function isLarge({ shape }: Begin): boolean {
  return shape !== undefined && shape.height * shape.width > largeImage
}

/** The share of the budget that large images get for a first success within the limits of an attack: it may be hard. */
const limitedShare = 0.75

function isLimited({ attack }: Begin): boolean {
  return attack?.linf !== undefined || attack?.l2 !== undefined
}

/** Large images are fooled by squares within a few queries; how small the change can be is found out afterwards. */
function quickFirst(at: Begin): Solver | undefined {
  if (!isLarge(at)) return undefined
  if (!isLimited(at)) return square({ radius: 0.05 })
  // A method that took its turn before has tried them.
  return at.origin === undefined ? texturedSquares() : undefined
}

/** Squares of a limited length, where slopes do not lead away from a large image. */
const reach = 5
const between = square({ radius: reach, norm: 'l2' })

/** The way back along the frequencies of the image, as long as few of their slopes are known. */
function turns(settings: BorderSettings): Solver {
  return { begin: (at) => turningWalk(at, spanOf(at, undefined), onGrid(at, settings)) }
}

/** Side of the blocks whose frequencies are looked at one by one, and length of the first step of a walk along them. */
const fine = { side: 8, step: 0.1 }

/**
 * A walk from the image itself along the frequencies of small blocks, the steepest first: large images have many more slopes
 * than there are queries, but most of them are flat.
 */
function fineWalk(settings: BorderSettings): Solver {
  return {
    begin(at) {
      const cosines = new LocalCosines(at.shape as ImageShape, fine.side)
      const { directions, ...rest } = onGrid(at, settings)
      const own = { ...rest, directions: 2 * directions, firstStep: fine.step / Math.sqrt(at.dim) }
      return borderSearch(at, cosines, own, steepestChoice(at.seed, cosines))
    },
  }
}

function spanOf(at: Begin, basis: Basis | undefined): Span {
  const { shape, dim } = at
  if (basis === undefined && shape === undefined) return coordinateSpan(dim)
  const chosen = basis ?? dct({ shape, size: Math.max(shape?.height ?? 1, shape?.width ?? 1), mixed: true })
  const span = chosen.begin(at)
  if (span.changing !== true) return span
  throw new ZerothError(
    'invalid-option',
    'zeroth.basis must have the same vectors in all iterations: slopes are remembered',
  )
}
