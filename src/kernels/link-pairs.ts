import { pairModule } from './pair-module.ts'
import { compiledFrom, pagesFor } from './wasm-instance.ts'

type Routine = (...numbers: number[]) => void

/** The kernels of assembly/pairs.ts on memory of their own. */
export interface LinkedPairs {
  readonly buffer: ArrayBuffer
  readonly addPair: Routine
  readonly addRow: Routine
  readonly scaleRow: Routine
}

/** An instance with memory for so many bytes; undefined where SIMD or memory is missing. */
export function linkPairs(bytes: number): LinkedPairs | undefined {
  try {
    const memory = new WebAssembly.Memory({ initial: pagesFor(bytes) })
    const { exports } = new WebAssembly.Instance(compiledFrom(pairModule), { env: { memory } })
    return { ...(exports as unknown as LinkedPairs), buffer: memory.buffer }
  } catch {
    return undefined
  }
}
