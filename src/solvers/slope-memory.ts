import type { Answers, Begin, Memory, Span, Vector } from '../core/types.ts'
import { intoSet } from './into-set.ts'
import { type SlopeChoice, slopeChoice } from './slope-choice.ts'

/** Steeper is not told apart: squares of it would overflow. */
const steepest = { float64: 1e140, float32: 1e17 }

/** How many times the whole gradient a slope must have been to leave its mark in float32. */
const outlying = 100

/** Where slopes are taken: around x, at that distance, so many at a time. */
export interface Around {
  readonly x: Vector
  readonly length: number
  readonly count: number
}

/**
 * A gradient that is put together from slopes along the vectors of a basis, a few of them at a time, and
 * remembered: a slope stands until it is taken anew. With an objective that does not change, and points that
 * move little, it becomes the whole gradient, where an average of random directions stays as noisy as it was.
 */
export interface SlopeMemory {
  readonly memory: Memory
  readonly gradient: Vector
  /** How often as many slopes were taken as there are vectors. */
  readonly round: number
  /** Writes x + length b for the vector of that place among those that come next, or as much of it as the set allows. */
  write(around: Around, place: number, into: Vector, offset: number): void
  /** Takes the slopes that come next off answers whose first row is x itself, and those of each rival off its values. */
  learn(answers: Pick<Answers, 'values' | 'failed'>, around: Around, rivals?: RivalValues): void
  /** Goes on with the slopes of a rival instead of its own. */
  turnTo(rival: number): void
  /** into = the gradient of a rival. */
  gradientOf(rival: number, into: Vector): void
}

/** The values of other objectives at the same rows, row by row: `count` numbers each. */
export interface RivalValues {
  readonly count: number
  readonly values: Float64Array
}

/** Remembers slopes along the vectors of a span, chosen by groups if left out; with `inside` no probe leaves the set. */
export function slopeMemory(
  at: Begin,
  span: Span,
  inside = false,
  choose: SlopeChoice = slopeChoice(at.seed, span),
  rivals = 0,
): SlopeMemory {
  return new Slopes(at, span, inside, choose, rivals)
}

class Slopes implements SlopeMemory {
  readonly memory: Memory
  readonly gradient: Vector
  readonly #at: Begin
  readonly #span: Span
  readonly #count: number
  readonly #slopes: Vector
  readonly #taken: Vector
  /** The slopes of each rival, one after the other. */
  readonly #rivals: Vector
  readonly #buffer: Vector
  /** Brings a probe into the set; undefined where probes may leave it. */
  readonly #intoSet: ((x: Vector) => void) | undefined
  readonly #vector: Vector
  readonly #whole: Float64Array
  /** Slopes taken so far. */
  readonly #state = { now: 0 }
  readonly #add: NonNullable<Span['add']>
  readonly #choose: SlopeChoice
  #chosen: { readonly now: number; readonly vectors: Uint32Array } = { now: -1, vectors: new Uint32Array(0) }

  constructor(at: Begin, span: Span, inside: boolean, choose: SlopeChoice, rivals: number) {
    const { kernels, precision, dim } = at
    this.#at = at
    this.#intoSet = inside ? intoSet(at) : undefined
    this.#vector = kernels.allocate(inside ? dim : 0, precision)
    this.#span = span
    this.#count = span.dim
    this.#slopes = kernels.allocate(span.dim, precision)
    this.#taken = kernels.allocate(span.dim, precision)
    this.#rivals = kernels.allocate(rivals * span.dim, precision)
    this.#choose = choose
    this.gradient = kernels.allocate(dim, precision)
    this.#buffer = kernels.allocate(dim, precision)
    this.#whole = new Float64Array(dim)
    this.#add = span.add?.bind(span) ?? adding(span, dim)
    const vectors = { slopes: this.#slopes, taken: this.#taken, gradient: this.gradient }
    this.memory = { vectors: rivals === 0 ? vectors : { ...vectors, rivals: this.#rivals }, state: this.#state }
  }

  get round(): number {
    return Math.floor(this.#state.now / this.#count)
  }

  write({ x, length, count }: Around, place: number, into: Vector, offset: number): void {
    this.#probe(x, length, this.#next(count)[place] as number)
    into.set(this.#buffer, offset)
  }

  learn({ values, failed }: Pick<Answers, 'values' | 'failed'>, around: Around, rivals?: RivalValues): void {
    const { x, length, count } = around
    let steepestBefore = 0
    this.#next(count).forEach((vector, i) => {
      // One that failed has had its turn, too.
      this.#taken[vector] = this.#state.now + i + 1
      if (failed[0] === 1 || failed[i + 1] === 1) return
      const along = this.#intoSet === undefined ? length : this.#probe(x, length, vector)
      // Along a vector for which the set has no room there is no slope.
      const slope = along === 0 ? 0 : ((values[i + 1] as number) - (values[0] as number)) / along
      if (rivals !== undefined) this.#learnRivals(rivals, vector, i + 1, along)
      steepestBefore = Math.max(steepestBefore, Math.abs(this.#replace(vector, slope)))
    })
    this.#state.now += count
    // What is left of a slope much steeper than all others when it is taken back would be taken for a slope itself.
    const { kernels } = this.#at
    if (steepestBefore > outlying * Math.sqrt(kernels.dot(this.gradient, this.gradient))) this.#rebuild()
  }

  #learnRivals({ count, values }: RivalValues, vector: number, row: number, along: number): void {
    const limit = steepest[this.#at.precision]
    for (let rival = 0; rival < count; rival++) {
      const difference = (values[row * count + rival] as number) - (values[rival] as number)
      const slope = along === 0 ? 0 : difference / along
      if (Number.isNaN(slope)) continue
      this.#rivals[rival * this.#count + vector] = Math.min(Math.max(slope, -limit), limit)
    }
  }

  turnTo(rival: number): void {
    this.#slopes.set(this.#rivals.subarray(rival * this.#count, (rival + 1) * this.#count))
    this.#rebuild()
  }

  gradientOf(rival: number, into: Vector): void {
    this.#span.expand(
      Float64Array.from(this.#rivals.subarray(rival * this.#count, (rival + 1) * this.#count)),
      this.#whole,
    )
    into.set(this.#whole)
  }

  /** Puts the probe along a vector into the buffer: ahead, or behind x where that leaves the set; returns its length. */
  #probe(x: Vector, length: number, vector: number): number {
    for (const side of [length, -length]) {
      this.#buffer.set(x)
      this.#add(vector, side, this.#buffer, 0)
      if (this.#intoSet === undefined || this.#at.set.contains(this.#buffer)) return side
    }
    // At a corner, or in a narrow set: the longer of what is left of the two.
    const behind = this.#shortened(x, -length, vector)
    const ahead = this.#shortened(x, length, vector)
    return Math.abs(ahead) >= Math.abs(behind) ? ahead : this.#shortened(x, -length, vector)
  }

  /** Puts a probe that is brought into the set into the buffer; returns how far it is along its vector. */
  #shortened(x: Vector, length: number, vector: number): number {
    this.#buffer.set(x)
    this.#add(vector, length, this.#buffer, 0)
    this.#intoSet?.(this.#buffer)
    this.#vector.fill(0)
    this.#add(vector, 1, this.#vector, 0)
    let along = 0
    for (let i = 0; i < x.length; i++) {
      along += ((this.#buffer[i] as number) - (x[i] as number)) * (this.#vector[i] as number)
    }
    return along / this.#at.kernels.dot(this.#vector, this.#vector)
  }

  /** Puts a slope in the place of the one that its vector had, which it returns. */
  #replace(vector: number, slope: number): number {
    const before = this.#slopes[vector] as number
    const limit = steepest[this.#at.precision]
    this.#slopes[vector] = Math.min(Math.max(slope, -limit), limit)
    this.#add(vector, (this.#slopes[vector] as number) - before, this.gradient, 0)
    return before
  }

  /** The vectors that come next. */
  #next(count: number): Uint32Array {
    const { now } = this.#state
    if (this.#chosen.now !== now || this.#chosen.vectors.length !== count) {
      const known = { slopes: this.#slopes, taken: this.#taken }
      this.#chosen = { now, vectors: this.#choose(known, now, count) }
    }
    return this.#chosen.vectors
  }

  /** All slopes once more, without the rounding errors of those that came and went. */
  #rebuild(): void {
    this.#span.expand(Float64Array.from(this.#slopes), this.#whole)
    this.gradient.set(this.#whole)
  }
}

/** Single vectors of a basis that only knows how to write sums. */
function adding(span: Span, dim: number): NonNullable<Span['add']> {
  const coefficients = new Float64Array(span.dim)
  const vector = new Float64Array(dim)
  return (index, weight, into, offset) => {
    coefficients[index] = 1
    span.expand(coefficients, vector)
    coefficients[index] = 0
    for (let i = 0; i < dim; i++) into[offset + i] = (into[offset + i] as number) + weight * (vector[i] as number)
  }
}

/** The coordinates themselves as a basis, where there is nothing better. */
export function coordinateSpan(dim: number): Span {
  return {
    dim,
    expand: (coefficients, into) => into.set(coefficients),
    project: (vector, into) => into.set(vector),
    add(index, weight, into, offset) {
      into[offset + index] = (into[offset + index] as number) + weight
    },
  }
}
