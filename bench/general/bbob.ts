import { bbobFunctions } from './bbob-functions.ts'
import { normals } from './bbob-random.ts'
import { numpyUniforms } from './numpy-random.ts'
import { type Problem, problem } from './problem.ts'

/** Functions that share the random numbers of another one. */
const sharedSeed: Readonly<Record<number, number>> = { 4: 3, 18: 17 }

/** The functions that goals are stated for: separable, ill-conditioned, and three that are multimodal. */
export const chosenFunctions = [1, 2, 6, 8, 9, 10, 11, 12, 14, 15, 20, 21]

/** The others: nothing was chosen by them. */
export const otherFunctions = [3, 4, 5, 7, 13, 16, 17, 18, 19, 22, 23, 24]

/** One function of BBOB, by its number, and its minimum value. */
export function bbobFunction(number: number, instance: number, dim: number) {
  const seed = (sharedSeed[number] ?? number) + 1e4 * instance
  const make = bbobFunctions[number - 1]
  if (make === undefined) throw new Error(`BBOB has functions 1 to 24, not ${number}`)
  const value = make(seed, dim)
  const best = minimum(seed)
  return { best, value: (x: Float64Array): number => value(Array.from(x)) + best }
}

/** Cauchy numbers, cut at 1000 and rounded to two digits. */
function minimum(seed: number): number {
  const [above, below] = [normals(1, seed)[0] as number, normals(1, seed + 1)[0] as number]
  return Math.min(1000, Math.max(-1000, Math.round((1e4 * above) / below) / 100))
}

/** Instances 1 to 3 of some functions, from starts uniform in [-4, 4]^d. */
export function bbob(group: string, functions: readonly number[], dim: number): Problem[] {
  return functions.flatMap((number) =>
    [1, 2, 3].map((instance) =>
      problem({
        name: `f${String(number).padStart(2, '0')}i${instance}-${dim}`,
        group,
        start: numpyUniforms([number, instance, dim], dim, -4, 4),
        ...bbobFunction(number, instance, dim),
      }),
    ),
  )
}
