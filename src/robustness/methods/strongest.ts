import { openKernels } from '../../optimizer/core/open-kernels.ts'
import { table, withDefault } from '../../optimizer/core/options.ts'
import { definePart, fingerprint, part, resumeSearch } from '../../optimizer/core/part.ts'
import type { RunContext, Solver } from '../../optimizer/core/types.ts'
import { adaptiveSquare } from './adaptive-square.ts'
import { labelOnly } from './decision.ts'
import { largeImage, nearestBoundary } from './nearest-boundary.ts'
import { type CandidateSolver, inSequence, type Sequence } from './sequence.ts'
import { square } from './square.ts'

/**
 * What attacks do unless they are told otherwise: the strongest methods for what the attack asks, one after the other.
 * Within a limit, methods made for it seek any success, and each begins anew where the one before has failed; then the
 * nearest success is sought with the rest of the budget. Without a limit that is all there is to seek.
 */
export const strongest = definePart({
  kind: 'solver',
  forAttacks: true,
  name: 'strongest',
  summary: 'The default of attacks: within a limit any success by the methods made for it, then the nearest one.',
  options: table({
    /** The method that makes the change small, within a limit and without one. Default nearestBoundary(). */
    nearer: withDefault(part<Solver>('solver', 'start'), () => nearestBoundary()),
  }),
  examples: () => [],
  make: ({ nearer }): Solver => {
    const solverAt = (at: RunContext): Solver => inSequence(sequenceFor(at, nearer))
    return {
      openKernels,
      readsLabels: true,
      start: (at) => solverAt(at).start(at),
      resume: (at, saved) => resumeSearch(solverAt(at), at, saved),
    }
  },
})

/** Queries that halve the way back from a first success: a method that walks along the boundary begins near to it. */
const shrink = 8

/** What is done about an attack, in this order. */
function sequenceFor(at: RunContext, nearer: Solver): Sequence {
  const { attack, shape } = at
  const last = { name: nameOf(nearer), solver: nearer }
  const common = { shrink, pull: 0, needsGoal: true, afresh: true, tells: true } as const
  if (attack?.labelsOnly === true) {
    const why = 'the model answers with a class alone: the nearest success is sought by trial'
    return { ...common, candidateSolvers: [], last: { name: 'label-only', solver: labelOnly(), why } }
  }
  const isLimited = attack?.linf !== undefined || attack?.l2 !== undefined
  if (!isLimited || shape === undefined) {
    const why = isLimited ? 'the variables are no image' : 'no limit on the change: the nearest success is sought'
    return { ...common, candidateSolvers: [], last: { ...last, why } }
  }
  const why = 'slopes within the limit, to a success or from one to a nearer'
  const isLarge = shape.height * shape.width > largeImage
  return {
    ...common,
    candidateSolvers: candidateSolversFor(attack?.linf === undefined, isLarge),
    last: { ...last, why },
  }
}

/**
 * Methods that seek any success within a limit, and what each may spend of the budget. Within a limit on every pixel one search
 * has all of it: each restart would throw away what was gained. With a limit on the length slopes find what squares miss,
 * and on small images find it sooner.
 */
function candidateSolversFor(isL2: boolean, isLarge: boolean): readonly CandidateSolver[] {
  if (!isL2) {
    const why = 'the change of a pixel is limited: one search with proposals of many kinds'
    return [{ name: 'adaptive-square', solver: adaptiveSquare(), share: 1, why }]
  }
  return isLarge ? [{ name: 'square', solver: square(), share: 0.75, why: 'the length of the change is limited' }] : []
}

function nameOf(solver: Solver): string {
  return fingerprint(solver).split('(')[0] as string
}
