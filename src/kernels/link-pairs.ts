import { pairModule } from './pair-module.ts'
import { compiledFrom, pagesFor } from './wasm-instance.ts'

type Routine = (...numbers: number[]) => void
type Counted = (...numbers: number[]) => number

/** The kernels of assembly/pairs.ts and squash.ts on memory of their own. */
export interface LinkedPairs {
  readonly buffer: ArrayBuffer
  readonly addPair: Routine
  readonly addRow: Routine
  readonly scaleRow: Routine
  readonly squashPair: Counted
  readonly squashRow: Counted
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
