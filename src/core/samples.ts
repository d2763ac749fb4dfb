import { randomInteger, randomWord } from '../kernels/random.ts'
import { ZerothError } from './errors.ts'
import type { Key } from './types.ts'

/** The samples xi of one iteration: drawn from its key alone, so every query of a difference can share them. */
export interface SampleDraw {
  at(key: Key, j: number): number
}

/**
 * `count` samples per iteration. From a finite sum of `population` terms: distinct indices (all of them, in order,
 * when count = population). From an infinite population: 32-bit words for the objective to seed its noise with.
 */
export function sampleDraw(count: number, population: number | undefined): SampleDraw {
  if (population !== undefined && count > population) {
    throw new ZerothError('invalid-option', `samples must be at most the population (${population}), got ${count}`)
  }
  if (count === population) return { at: (_, j) => j }
  // Drawn once for all rows of an iteration: a word per row would cost more than the row of a small problem.
  const chosen = new Uint32Array(count)
  let drawnFor = { seed: -1, iteration: -1 }
  return {
    at(key, j) {
      if (key.iteration !== drawnFor.iteration || key.seed !== drawnFor.seed) {
        if (population === undefined) drawWords(chosen, key)
        else drawDistinct(chosen, population, key)
        drawnFor = { seed: key.seed, iteration: key.iteration }
      }
      return chosen[j] as number
    },
  }
}

function drawWords(chosen: Uint32Array, key: Key): void {
  for (let j = 0; j < chosen.length; j++) chosen[j] = randomWord({ ...key, row: 0 }, 'samples', j)
}

/** Floyd's algorithm: distinct indices with one random number each. */
function drawDistinct(chosen: Uint32Array, population: number, key: Key): void {
  const seen = new Set<number>()
  for (let j = 0; j < chosen.length; j++) {
    const last = population - chosen.length + j
    const drawn = randomInteger({ ...key, row: 0 }, 'samples', j, last + 1)
    const index = seen.has(drawn) ? last : drawn
    seen.add(index)
    chosen[j] = index
  }
}
