import { differ } from '../core/differ.ts'
import type { Begin, Memory, Vector } from '../core/types.ts'
import { orthonormalizeRow } from '../kernels/orthonormalize.ts'

/** A step of which less than this share is new, beside later ones, is left out. */
const leastShare = 1e-3

/** The latest `most` steps of a run, from the points it is told, and an orthonormal basis of their span. */
export function stepHistory({ dim, kernels, precision }: Begin, most: number) {
  const steps = kernels.allocate(most * dim, precision)
  const last = kernels.allocate(dim, precision)
  /** Points told (0 or 1), steps kept, and where the next one goes. */
  const state = kernels.allocate(3, precision)
  const basis = new Float64Array(most * dim)
  let size = 0
  let isStale = true
  const memory: Memory = { steps, last, state }

  /** Latest steps first: where they are nearly dependent, it is the older one that goes. */
  const renew = (): void => {
    size = 0
    for (let age = 1; age <= (state[1] as number); age++) {
      const slot = ((state[2] as number) - age + most) % most
      basis.set(steps.subarray(slot * dim, (slot + 1) * dim), size * dim)
      if (orthonormalizeRow(basis, dim, size, leastShare)) size++
    }
    isStale = false
  }

  return {
    memory,
    /** How many vectors the basis of the steps has. */
    size(): number {
      if (isStale) renew()
      return size
    },
    /** into += sum_j coefficients_j q_j. */
    add(coefficients: Float64Array, into: Vector): void {
      for (let j = 0; j < size; j++) {
        const weight = coefficients[j] as number
        for (let i = 0; i < dim; i++) into[i] = (into[i] as number) + weight * (basis[j * dim + i] as number)
      }
    },
    /** Where the run is now; what it did since it was last told is a step, unless that is nothing. */
    learn(x: Vector): void {
      if (state[0] === 1) addStep(x)
      last.set(x)
      state[0] = 1
      isStale = true
    },
  }

  function addStep(x: Vector): void {
    const slot = state[2] as number
    if (!differ(x, last)) return
    for (let i = 0; i < dim; i++) steps[slot * dim + i] = (x[i] as number) - (last[i] as number)
    state[1] = Math.min((state[1] as number) + 1, most)
    state[2] = (slot + 1) % most
  }
}
