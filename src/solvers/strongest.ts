import { resumeSearch } from '../core/memory.ts'
import { openKernels } from '../core/open-kernels.ts'
import { table } from '../core/options.ts'
import { definePart, described, part } from '../core/part.ts'
import type { Begin, Solver } from '../core/types.ts'
import { inSequence, type Seeker, type Sequence } from './in-sequence.ts'
import { labelOnly } from './label-only.ts'
import { square } from './square.ts'
import { texturedSquares } from './textured-squares.ts'
import { largeImage, zeroth } from './zeroth.ts'

/**
 * What attacks do unless they are told otherwise: the strongest methods for what the attack asks, one after the other.
 * Within a limit, methods made for it seek any success, and each begins anew where the one before has failed; then the
 * nearest success is sought with the rest of the budget. Without a limit that is all there is to seek.
 */
export const strongest = definePart({
  kind: 'solver',
  name: 'strongest',
  summary: 'The default of attacks: within a limit any success by the methods made for it, then the nearest one.',
  options: table({
    nearer: part<Solver>(
      'solver',
      'begin',
      'the method that makes the change small, within a limit and without one',
      () => zeroth(),
    ),
  }),
  examples: () => [],
  make: ({ nearer }): Solver => {
    const solverAt = (at: Begin): Solver => inSequence(sequenceFor(at, nearer))
    return {
      openKernels,
      readsLabels: true,
      begin: (at) => solverAt(at).begin(at),
      resume: (at, saved) => resumeSearch(solverAt(at), at, saved),
    }
  },
})

/** Queries that halve the way back from a first success: a method that walks along the border begins near to it. */
const shrink = 8

/** What is done about an attack, in this order. */
function sequenceFor(at: Begin, nearer: Solver): Sequence {
  const { attack, shape } = at
  const last = { name: nameOf(nearer), solver: nearer }
  const common = { shrink, pull: 0, needsGoal: true, afresh: true, tells: true } as const
  if (attack?.labelsOnly === true) {
    const why = 'the model answers with a class alone: the nearest success is sought by trial'
    return { ...common, seekers: [], last: { name: 'label-only', solver: labelOnly(), why } }
  }
  const isLimited = attack?.linf !== undefined || attack?.l2 !== undefined
  if (!isLimited || shape === undefined) {
    const why = isLimited ? 'the variables are no image' : 'no limit on the change: the nearest success is sought'
    return { ...common, seekers: [], last: { ...last, why } }
  }
  const why = 'slopes within the limit, to a success or from one to a nearer'
  const isLarge = shape.height * shape.width > largeImage
  return { ...common, seekers: seekersFor(attack?.linf === undefined, isLarge), last: { ...last, why } }
}

/**
 * Methods that seek any success within a limit, and what each may spend of the budget; where none succeeds, the last method
 * goes down the slopes from the start. On small images those find what the others miss, and with a limit on the length find
 * it sooner.
 */
function seekersFor(isL2: boolean, isLarge: boolean): readonly Seeker[] {
  if (isL2) return isLarge ? [{ ...squares, share: 0.75, why: 'the length of the change is limited' }] : []
  const why = 'the change of a pixel is limited: textures find most successes soonest'
  const textures = { name: 'textured-squares', solver: texturedSquares(), share: isLarge ? 0.5 : 0.3, why }
  return isLarge ? [textures, squares] : [textures]
}

const squares = {
  name: 'square',
  solver: square(),
  share: 0.25,
  why: 'textures have not succeeded: plain squares, from the start',
}

function nameOf(solver: Solver): string {
  return described(solver).split('(')[0] as string
}
