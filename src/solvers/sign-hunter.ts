import { positive, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Begin, Solver, Vector } from '../core/types.ts'
import { keptNumbers } from './kept-numbers.ts'
import { type Trials, trialSearch } from './trial-search.ts'

/**
 * SignHunter (Al-Dujaili and O'Reilly, 2020): every variable is moved by the radius, up or down. Halves, quarters, eighths
 * and so on change sides, down to single variables, and stay there where the value falls. Then it goes round again; a
 * round in which nothing helped is the end.
 */
export const signHunter = definePart({
  kind: 'solver',
  name: 'sign-hunter',
  summary: 'Every variable at one of two ends; ever smaller blocks change sides where that helps.',
  options: table({
    radius: positive('by how much every variable is moved from the start, up or down', 0.1),
  }),
  examples: () => [{ radius: 1 }, { radius: 0.7 }],
  make: ({ radius }): Solver => ({ begin: (at) => trialSearch(at, blockFlips(at, radius)) }),
})

function blockFlips(at: Begin, radius: number): Trials {
  const { dim, kernels, precision } = at
  const origin = at.start.slice()
  const signs = kernels.allocate(dim, precision)
  signs.fill(1)
  const numbers = keptNumbers(at, { opened: 0, blocks: 1, block: 0, helped: 0, finished: 0 })

  const write = (into: Vector): void => {
    for (let i = 0; i < dim; i++) into[i] = (origin[i] as number) + radius * (signs[i] as number)
  }
  const blockSize = (): number => Math.ceil(dim / numbers.get('blocks'))
  /** Lets the variables of the current block change sides. */
  const flip = (): void => {
    const size = blockSize()
    const first = size * numbers.get('block')
    for (let i = first; i < Math.min(first + size, dim); i++) signs[i] = -(signs[i] as number)
  }
  const endRound = (): void => {
    if (numbers.get('helped') === 0) numbers.set('finished', 1)
    numbers.set('helped', 0)
    numbers.set('blocks', 1)
  }
  const goOn = (): void => {
    const size = blockSize()
    numbers.set('block', numbers.get('block') + 1)
    if (size * numbers.get('block') < dim) return
    numbers.set('block', 0)
    if (size === 1) endRound()
    else numbers.set('blocks', 2 * numbers.get('blocks'))
  }

  return {
    memory: { signs, place: numbers.words },
    open: (_, into) => write(into),
    next(_, __, ___, into) {
      if (numbers.get('finished') === 1) return false
      flip()
      write(into)
      flip()
      return true
    },
    settle(isKept) {
      if (numbers.get('opened') === 0) {
        // A first point that brings no answer gives way to the opposite one.
        if (isKept) numbers.set('opened', 1)
        else for (let i = 0; i < dim; i++) signs[i] = -(signs[i] as number)
        return
      }
      if (isKept) {
        flip()
        numbers.set('helped', 1)
      }
      goOn()
    },
  }
}
