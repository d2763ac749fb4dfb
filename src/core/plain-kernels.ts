import type { Kernels } from '../kernels/kernels.ts'
import { normalTile, tileSize } from '../kernels/normals.ts'
import { ZerothError } from './errors.ts'

const tile = new Float32Array(tileSize)

const plain: Pick<Kernels, 'name' | 'allocate' | 'normals'> = {
  name: 'plain',
  allocate: (length, precision) => (precision === 'float32' ? new Float32Array(length) : new Float64Array(length)),
  normals(at, index, count, into) {
    normalTile(at, index, count, tile)
    into.set(tile.subarray(0, count))
  },
}

/** Memory and random numbers alone, for methods that reckon in plain arithmetic: bundles of theirs hold no hot loops. */
const plainKernels = new Proxy(plain as Kernels, {
  get(kernels, name) {
    if (name in kernels) return kernels[name as keyof Kernels]
    throw new ZerothError(
      'invalid-option',
      `kernels.${String(name)}: a solver that uses it has openKernels as a property`,
    )
  },
})

/** The kernels of a method that does not open any itself. */
export function openPlainKernels(choice: Kernels | 'fastest' | 'scalar'): Kernels {
  return typeof choice === 'object' ? choice : plainKernels
}
