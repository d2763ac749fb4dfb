import { minimizeSync, type Precision, zoAdaMM } from '../../src/index.ts'
import type { Kernels } from '../../src/optimizer/kernels/kernels.ts'
import { scalarKernels } from '../../src/optimizer/kernels/scalar.ts'
import { wasmKernels } from '../../src/optimizer/kernels/wasm.ts'

// Bundled into one file that runs in Node and in browsers alike, so that their results can be compared.

/** The hashes of seeded runs by kernels, precision and size. */
export type Hashes = Readonly<Record<string, string>>

/** What an engine has to say: its kernels, and what runs with them come to. */
export interface Account {
  /** 'wasm', unless this engine has no WebAssembly SIMD. */
  readonly fastest: string | undefined
  readonly hashes: Hashes
}

/** Runs with both kernels, in both precisions, in a few dimensions and in more than two tiles. */
export async function seededRuns(): Promise<Account> {
  const hashes: Record<string, string> = {}
  for (const precision of ['float64', 'float32'] as const) {
    for (const [dim, maxIterations] of [
      [11, 25],
      [9001, 5],
    ] as const) {
      for (const kernels of [wasmKernels(2 ** 22), scalarKernels]) {
        if (kernels === undefined) continue
        hashes[`${kernels.name}, ${precision}, ${dim}`] = await run(kernels, precision, dim, maxIterations)
      }
    }
  }
  return { fastest: wasmKernels(1000)?.name, hashes }
}

/** SHA-256 over the last and the best point, as little-endian float64. */
async function run(kernels: Kernels, precision: Precision, dim: number, maxIterations: number): Promise<string> {
  const start = Array.from({ length: dim }, (_, i) => 1 - (i % 11) / 8)
  const { last, point } = minimizeSync(f, start, { solver, precision, seed: 42, maxIterations, kernels })
  const bytes = new DataView(new ArrayBuffer(16 * dim))
  for (let i = 0; i < dim; i++) {
    bytes.setFloat64(8 * i, last.point[i] as number, true)
    bytes.setFloat64(8 * (dim + i), point[i] as number, true)
  }
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Nothing but sums and products, which every engine rounds the same way; the run of test/determinism.test.ts. */
function f(x: ArrayLike<number>): number {
  let sum = (x[0] as number) * (x[1] as number)
  for (let i = 0; i < x.length; i++) {
    const distance = (x[i] as number) - 0.25 * i
    sum += (i + 1) * distance * distance
  }
  return sum
}

const solver = zoAdaMM({
  directions: 3,
  smoothing: 2 ** -7,
  learningRate: { value: 0.125, decay: 'sqrt' },
  beta1: 0.9,
  beta2: 0.3,
  initialSecondMoment: 1e-5,
  maxSecondMoment: true,
})
