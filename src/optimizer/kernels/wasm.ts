import type { Kernels, Moments, Precision, RowSum, Update, Vector } from './kernels.ts'
import { tileSize } from './normals.ts'
import type { RandomRow } from './random.ts'
import { scalarKernels, smallestMoment } from './scalar.ts'
import { wasmModule } from './wasm-module.ts'

/** Room behind every vector, so that no two share a cache line. */
const padding = 64

const kinds = { plain: 0, sign: 1, maximum: 2, second: 3 } as const

/**
 * The kernels in WebAssembly SIMD, with memory of their own for `bytes` of vectors; undefined where the platform has no
 * SIMD or no memory left. Memory is only reserved: what no vector uses costs nothing. Vectors that do not fit, or
 * were made elsewhere, are handled by the scalar kernels, which give the same bits.
 */
export function wasmKernels(bytes: number): Kernels | undefined {
  const instance = instantiate(bytes)
  return instance && new WasmKernels(instance)
}

class WasmKernels implements Kernels {
  readonly name = 'wasm'
  readonly #wasm: WasmInstance
  readonly #buffer: ArrayBufferLike
  #free: number
  #row: Vector | undefined
  #sums: Vector | undefined
  #kept: Vector | undefined

  constructor(wasm: WasmInstance) {
    this.#wasm = wasm
    this.#buffer = wasm.memory.buffer
    this.#free = aligned(wasm.heapBase)
  }

  allocate(length: number, precision: Precision): Vector {
    const start = this.#free
    const end = start + length * (precision === 'float32' ? 4 : 8) + padding
    if (end > this.#buffer.byteLength) return scalarKernels.allocate(length, precision)
    this.#free = aligned(end)
    return precision === 'float32'
      ? new Float32Array(this.#buffer, start, length)
      : new Float64Array(this.#buffer, start, length)
  }

  normalsSquared(at: RandomRow, dim: number): number {
    return this.#wasm.normalsSquared(low(at), high(at), at.iteration, at.row, dim)
  }

  normals(at: RandomRow, tile: number, count: number, into: Float32Array): void {
    this.#wasm.normals(low(at), high(at), at.iteration, at.row, tile, count)
    into.set(count === tileSize ? this.#wasm.tile : this.#wasm.tile.subarray(0, count))
  }

  perturb(x: Vector, scale: number, at: RandomRow, into: Vector, offset: number): void {
    if (!this.#has(x)) return scalarKernels.perturb(x, scale, at, into, offset)
    const row = this.#rowFor(x, into)
    if (row === undefined) return scalarKernels.perturb(x, scale, at, into, offset)
    const start = row.byteOffset + (row === into ? offset * row.BYTES_PER_ELEMENT : 0)
    this.#code(x).perturb(x.byteOffset, scale, low(at), high(at), at.iteration, at.row, x.length, start)
    if (row !== into) into.set(row, offset)
  }

  perturbUnit(x: Vector, length: number, at: RandomRow, into: Vector, offset: number): number {
    if (!this.#has(x)) return scalarKernels.perturbUnit(x, length, at, into, offset)
    const row = this.#rowFor(x, into)
    const sums = this.#sumsFor(x.length)
    if (row === undefined || sums === undefined) return scalarKernels.perturbUnit(x, length, at, into, offset)
    const start = row.byteOffset + (row === into ? offset * row.BYTES_PER_ELEMENT : 0)
    const code = this.#code(x)
    const dim = x.length
    code.measure(low(at), high(at), at.iteration, at.row, dim, start, sums.byteOffset)
    let squared = 0
    for (let tile = 0; tile < sums.length; tile++) squared += sums[tile] as number
    const scale = squared === 0 ? 0 : length / Math.sqrt(squared)
    code.finish(x.byteOffset, scale, low(at), high(at), at.iteration, at.row, dim, start)
    if (row !== into) into.set(row, offset)
    return squared
  }

  confine(x: Vector, lower: Vector, upper: Vector, turn: boolean, into: Vector, offset: number): void {
    const isOurs = this.#has(x) && this.#has(lower) && this.#has(upper) && this.#has(into)
    if (!isOurs || into.BYTES_PER_ELEMENT !== x.BYTES_PER_ELEMENT) {
      return scalarKernels.confine(x, lower, upper, turn, into, offset)
    }
    const places = [x.byteOffset, lower.byteOffset, upper.byteOffset] as const
    const start = into.byteOffset + offset * into.BYTES_PER_ELEMENT
    this.#code(x).confine(...places, Number(lower.length === 1), Number(turn), x.length, start)
  }

  accumulateNormals(
    x: Vector,
    scale: number,
    at: RandomRow,
    weight: number,
    antithetic: boolean,
    gradient: Vector,
  ): void {
    if (!this.#has(x) || !this.#has(gradient)) {
      return scalarKernels.accumulateNormals(x, scale, at, weight, antithetic, gradient)
    }
    this.#code(x).accumulateNormals(
      x.byteOffset,
      scale,
      low(at),
      high(at),
      at.iteration,
      at.row,
      weight,
      Number(antithetic),
      x.length,
      gradient.byteOffset,
    )
  }

  accumulateRow(row: Vector, base: Vector, weight: number, gradient: Vector): void {
    if (!this.#has(row) || !this.#has(base) || !this.#has(gradient)) {
      return scalarKernels.accumulateRow(row, base, weight, gradient)
    }
    const places = [row.byteOffset, base.byteOffset] as const
    this.#code(gradient).accumulateRow(...places, weight, gradient.length, gradient.byteOffset)
  }

  average(average: Vector, gradient: Vector, beta: number): void {
    if (!this.#has(average) || !this.#has(gradient)) return scalarKernels.average(average, gradient, beta)
    this.#code(average).average(
      average.byteOffset,
      gradient.byteOffset,
      beta,
      1 - beta,
      smallestMoment(average),
      average.length,
    )
  }

  moments(moments: Moments, gradient: Vector, beta1: number, beta2: number): void {
    const { first, second, maximum } = moments
    if (!this.#has(first) || !this.#has(second) || !this.#hasAny(maximum) || !this.#has(gradient)) {
      return scalarKernels.moments(moments, gradient, beta1, beta2)
    }
    this.average(first, gradient, beta1)
    this.#code(second).secondMoment(
      second.byteOffset,
      address(maximum),
      gradient.byteOffset,
      beta2,
      1 - beta2,
      smallestMoment(second),
      second.length,
    )
  }

  sign(direction: Vector): void {
    if (!this.#has(direction)) return scalarKernels.sign(direction)
    this.#code(direction).sign(direction.byteOffset, direction.length)
  }

  advance(
    x: Vector,
    rate: number,
    direction: Vector,
    squares: Vector | null,
    lower: Vector | null,
    upper: Vector | null,
  ): void {
    const optional = this.#hasAny(squares) && this.#hasAny(lower) && this.#hasAny(upper)
    if (!optional || !this.#has(x) || !this.#has(direction)) {
      return scalarKernels.advance(x, rate, direction, squares, lower, upper)
    }
    this.#code(x).advance(
      x.byteOffset,
      rate,
      direction.byteOffset,
      address(squares),
      address(lower),
      address(upper),
      Number(lower?.length === 1),
      largest(x),
      x.length,
    )
  }

  update(x: Vector, sum: RowSum, step: Update): void {
    const { moments, lower, upper } = step
    const bounds = this.#hasAny(lower) && this.#hasAny(upper)
    if (!bounds || !this.#has(x) || !this.#has(sum.terms) || !this.#hasAny(sum.kept) || !this.#hasMoments(moments)) {
      return scalarKernels.update(x, sum, step)
    }
    const terms = sum.kept === null ? sum.terms : this.#keptTerms(sum, x)
    if (terms === undefined) return scalarKernels.update(x, sum, step)
    this.#code(x).update(
      x.byteOffset,
      kinds[step.kind],
      terms.byteOffset,
      sum.count,
      low(sum.key),
      high(sum.key),
      sum.key.iteration,
      Number(sum.antithetic),
      Number(sum.inside),
      address(sum.kept),
      address(moments?.first),
      address(moments?.second),
      address(moments?.maximum),
      step.beta1,
      1 - step.beta1,
      step.beta2,
      1 - step.beta2,
      smallestMoment(x),
      step.rate,
      address(lower),
      address(upper),
      Number(lower?.length === 1),
      largest(x),
      x.length,
    )
  }

  dot(a: Vector, b: Vector): number {
    if (!this.#has(a) || !this.#has(b)) return scalarKernels.dot(a, b)
    return this.#code(a).dot(a.byteOffset, b.byteOffset, a.length)
  }

  #code(vector: Vector): Routines {
    return vector instanceof Float32Array ? this.#wasm.single : this.#wasm.double
  }

  #has(vector: Vector): boolean {
    return vector.buffer === this.#buffer
  }

  #hasAny(vector: Vector | null): boolean {
    return vector === null || vector.buffer === this.#buffer
  }

  #hasMoments(moments: Moments | null): boolean {
    return moments === null || (this.#has(moments.first) && this.#has(moments.second) && this.#hasAny(moments.maximum))
  }

  /** Where a row is made: its destination if that is ours and of the same precision, otherwise a row kept for this. */
  #rowFor(x: Vector, into: Vector): Vector | undefined {
    if (this.#has(into) && into.BYTES_PER_ELEMENT === x.BYTES_PER_ELEMENT) return into
    this.#row = this.#scratch(this.#row, x.length, x instanceof Float32Array ? 'float32' : 'float64')
    return this.#row
  }

  /** A sum of squares for every tile of a row. */
  #sumsFor(dim: number): Vector | undefined {
    this.#sums = this.#scratch(this.#sums, Math.ceil(dim / tileSize), 'float64')
    return this.#sums
  }

  /** Terms as the routine for kept rows reads them: where each row begins, and its weight in every lane. */
  #keptTerms({ terms, count }: RowSum, x: Vector): Vector | undefined {
    this.#kept = this.#scratch(this.#kept, terms.length, 'float64')
    const table = this.#kept
    if (table === undefined) return undefined
    const places = new Uint32Array(table.buffer, table.byteOffset, 2 * table.length)
    const weights =
      x instanceof Float32Array ? new Float32Array(table.buffer, table.byteOffset, 2 * table.length) : table
    const lanes = 16 / x.BYTES_PER_ELEMENT
    for (let term = 0; term < 3 * count; term += 3) {
      places[2 * term] = (terms[term] as number) * x.byteLength
      const first = ((term + 1) * 8) / x.BYTES_PER_ELEMENT
      weights.fill(terms[term + 2] as number, first, first + lanes)
    }
    return table
  }

  /** The vector itself if it is long enough, a new one otherwise; undefined where the memory is full. */
  #scratch(old: Vector | undefined, length: number, precision: Precision): Vector | undefined {
    if (old?.length === length) return old
    const vector = this.allocate(length, precision)
    return this.#has(vector) ? vector : undefined
  }
}

function address(vector: Vector | null | undefined): number {
  return vector?.byteOffset ?? 0
}

function aligned(place: number): number {
  return Math.ceil(place / 16) * 16
}

function low({ seed }: { readonly seed: number }): number {
  return seed | 0
}

function high({ seed }: { readonly seed: number }): number {
  return Math.floor(seed / 4294967296)
}

function largest(vector: Vector): number {
  return vector instanceof Float32Array ? 3.4028234663852886e38 : Number.MAX_VALUE
}

const pageSize = 65536

/** WebAssembly's limit: 4 GiB. */
const maxPages = 65536

type Routine = (...numbers: number[]) => void

const routineNames = [
  'perturb',
  'measure',
  'finish',
  'confine',
  'accumulateNormals',
  'accumulateRow',
  'average',
  'secondMoment',
  'sign',
  'advance',
  'update',
  'dot',
] as const

/** The compiled routines of one precision; arguments as in assembly/index.ts. */
type Routines = Readonly<Record<(typeof routineNames)[number], (...numbers: number[]) => number>>

/** One instance with its memory. */
interface WasmInstance {
  readonly memory: WebAssembly.Memory
  readonly heapBase: number
  /** The tile that `normals` fills. */
  readonly tile: Float32Array
  readonly normals: Routine
  readonly normalsSquared: (...numbers: number[]) => number
  readonly single: Routines
  readonly double: Routines
}

let compiled: WebAssembly.Module | null | undefined

/** The kernels with memory for `bytes` of vectors; undefined where SIMD or memory is missing. */
function instantiate(bytes: number): WasmInstance | undefined {
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
function link(module: WebAssembly.Module, memory: WebAssembly.Memory): WasmInstance {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } })
  const code = exports as unknown as Readonly<Record<string, (...numbers: number[]) => number>>
  const call = (name: string) => code[name] as (...numbers: number[]) => number
  return {
    memory,
    heapBase: call('heapBase')(),
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
  return Object.fromEntries(routineNames.map((name) => [name, call(`${name}${width}`)])) as Routines
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

/** The bytes that scripts/generate/printable.mjs wrote as text: `}` and `~` say that the next byte is 90 or 180 further on. */
export function printedBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes: number[] = []
  let page = 0
  for (let i = 0; i < text.length; i++) {
    const place = text.charCodeAt(i) - 35
    if (place >= 90) page = place - 89
    else {
      bytes.push(90 * page + place - 5)
      page = 0
    }
  }
  return Uint8Array.from(bytes)
}
