import { tileSize } from './normals.ts'
import { printedBytes } from './printed-bytes.ts'
import { wasmModule } from './wasm-module.ts'

const pageSize = 65536

/** WebAssembly's limit: 4 GiB. */
const maxPages = 65536

type Routine = (...numbers: number[]) => void

/** The compiled routines of one precision; arguments as in assembly/index.ts. */
export interface Routines {
  readonly width: 32 | 64
  readonly perturb: Routine
  readonly measure: Routine
  readonly finish: Routine
  readonly confine: Routine
  readonly accumulateNormals: Routine
  readonly accumulateRow: Routine
  readonly average: Routine
  readonly secondMoment: Routine
  readonly sign: Routine
  readonly advance: Routine
  readonly update: Routine
  readonly tanh: Routine
  readonly dot: (...numbers: number[]) => number
}

/** Routines that take a range of elements first, and so can be shared out. */
export type SharedRoutine = 'perturb' | 'measure' | 'finish' | 'confine' | 'update'

/** One instance with its memory. */
export interface WasmInstance {
  readonly memory: WebAssembly.Memory
  readonly heapBase: number
  /** Working memory that another thread on the same memory needs. */
  readonly scratchBytes: number
  /** The tile that `normals` fills. */
  readonly tile: Float32Array
  readonly normals: Routine
  readonly normalsSquared: (...numbers: number[]) => number
  readonly single: Routines
  readonly double: Routines
}

let compiled: WebAssembly.Module | null | undefined

/** The kernels with memory for `bytes` of vectors; undefined where SIMD or memory is missing. */
export function instantiate(bytes: number): WasmInstance | undefined {
  const module = compile()
  if (module === null) return undefined
  try {
    return link(module, new WebAssembly.Memory({ initial: pagesFor(bytes) }))
  } catch {
    return undefined
  }
}

/** Pages of memory for `bytes` of vectors and what the kernels need themselves. */
export function pagesFor(bytes: number): number {
  return Math.min(maxPages, 4 + Math.ceil(bytes / pageSize))
}

/** An instance of a compiled module on a given memory. */
export function link(module: WebAssembly.Module, memory: WebAssembly.Memory): WasmInstance {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } })
  const code = exports as unknown as Readonly<Record<string, (...numbers: number[]) => number>>
  const call = (name: string) => code[name] as (...numbers: number[]) => number
  return {
    memory,
    heapBase: call('heapBase')(),
    scratchBytes: (exports.SCRATCH_BYTES as WebAssembly.Global).value as number,
    tile: new Float32Array(memory.buffer, call('normalsAddress')(), tileSize),
    normals: call('normals'),
    normalsSquared: call('normalsSquared'),
    single: routines(call, 32),
    double: routines(call, 64),
  }
}

/** A module from its printed code. */
export function compiledFrom(text: string): WebAssembly.Module {
  return new WebAssembly.Module(printedBytes(text))
}

function routines(call: (name: string) => (...numbers: number[]) => number, width: 32 | 64): Routines {
  return {
    width,
    perturb: call(`perturb${width}`),
    measure: call(`measure${width}`),
    finish: call(`finish${width}`),
    confine: call(`confine${width}`),
    accumulateNormals: call(`accumulateNormals${width}`),
    accumulateRow: call(`accumulateRow${width}`),
    average: call(`average${width}`),
    secondMoment: call(`secondMoment${width}`),
    sign: call(`sign${width}`),
    advance: call(`advance${width}`),
    update: call(`update${width}`),
    tanh: call(`tanh${width}`),
    dot: call(`dot${width}`),
  }
}

/** Compiled once, when first needed; null where the platform refuses (no WebAssembly, or none with SIMD). */
function compile(): WebAssembly.Module | null {
  if (compiled !== undefined) return compiled
  try {
    compiled = compiledFrom(wasmModule)
  } catch {
    compiled = null
  }
  return compiled
}
