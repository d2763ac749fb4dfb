import type { Kernels, Precision } from '../kernels/kernels.ts'
import { scalarKernels } from '../kernels/scalar.ts'
import { wasmKernels } from '../kernels/wasm.ts'
import { ZerothError } from './errors.ts'

/** The most that one run's memory can hold. */
const addressable = 4 * 1024 * 1024 * 1024

/** Vectors of the largest built-in method, a row of queries and the best point included. */
const vectorsNeeded = 10

/** Vectors for which memory is reserved, as far as it goes; what is not used costs nothing. */
const vectorsReserved = 24

/** The kernels of a run of `dim` variables. Refuses more variables than a run can hold before anything starts. */
export function openKernels(choice: Kernels | 'fastest' | 'scalar', dim: number, precision: Precision): Kernels {
  const bytes = dim * (precision === 'float32' ? 4 : 8)
  if (bytes * vectorsNeeded > addressable) {
    const most = Math.floor(addressable / vectorsNeeded / (bytes / dim))
    throw new ZerothError('invalid-start', `the start has ${dim} coordinates; ${precision} runs take ${most} at most`)
  }
  if (typeof choice === 'object') return choice
  if (choice === 'scalar') return scalarKernels
  return wasmKernels(Math.min(bytes * vectorsReserved + 65536, addressable - 4 * 65536)) ?? scalarKernels
}
