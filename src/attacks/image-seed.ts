import { randomWord } from '../kernels/random.ts'

/** The seed of one image's attack: a function of the evaluation's seed and the image's number alone. */
export function imageSeed(seed: number, index: number): number {
  return randomWord({ seed, iteration: 0, row: index }, 'data', 0)
}
