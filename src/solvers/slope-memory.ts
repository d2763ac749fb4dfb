import type { Answers, Begin, Memory, Span, Vector } from '../core/types.ts'
import { keptNumbers } from './kept-numbers.ts'
import { promisingOrder } from './promising-order.ts'

/** Steeper is not told apart: squares of it would overflow. */
const steepest = { float64: 1e140, float32: 1e17 }

/** How many times the whole gradient a slope must have been to leave its mark in float32. */
const outlying = 100

/**
 * A gradient that is put together from slopes along the vectors of a basis, one group of them after the other, and
 * remembered: a slope stands until its vector comes round again. With an objective that does not change, and points that
 * move little, it becomes the whole gradient, where an average of random directions stays as noisy as it was.
 */
export interface SlopeMemory {
  readonly memory: Memory
  readonly gradient: Vector
  /** How often every vector was used. */
  readonly round: number
  /** Writes x + length b for the vector that comes `ahead` after the last one used. */
  write(x: Vector, length: number, ahead: number, into: Vector, offset: number): void
  /** Takes the slopes along the next `count` vectors off answers whose first row is x itself. */
  learn(answers: Answers, length: number, count: number): void
}

/** Remembers slopes along the vectors of a span. */
export function slopeMemory(at: Begin, span: Span): SlopeMemory {
  const { kernels, precision, dim, seed } = at
  const count = span.dim
  const slopes = kernels.allocate(count, precision)
  const gradient = kernels.allocate(dim, precision)
  const buffer = kernels.allocate(dim, precision)
  const whole = new Float64Array(dim)
  const place = keptNumbers(at, { round: 0, next: 0 })
  const prospect = (index: number): number => span.prospect?.(index) ?? 1
  const add = span.add?.bind(span) ?? adding(span, dim)
  let order: { readonly round: number; readonly vectors: Uint32Array } = { round: -1, vectors: new Uint32Array(0) }

  /** The vector that comes `ahead` after the last one used; all come once in a round. */
  const vectorAt = (ahead: number): number => {
    const far = place.get('next') + ahead
    const round = place.get('round') + Math.floor(far / count)
    if (order.round !== round) order = { round, vectors: promisingOrder(seed, round, count, prospect) }
    return order.vectors[far % count] as number
  }

  /** All slopes once more, without the rounding errors of those that came and went. */
  const rebuild = (): void => {
    span.expand(Float64Array.from(slopes), whole)
    gradient.set(whole)
  }

  return {
    memory: { slopes, gradient, place: place.words },
    gradient,
    get round() {
      return place.get('round')
    },
    write(x, length, ahead, into, offset) {
      buffer.set(x)
      add(vectorAt(ahead), length, buffer, 0)
      into.set(buffer, offset)
    },
    learn({ values, failed }, length, asked) {
      let steepestBefore = 0
      for (let i = 0; i < asked; i++) {
        if (failed[0] === 1 || failed[i + 1] === 1) continue
        const vector = vectorAt(i)
        const before = slopes[vector] as number
        steepestBefore = Math.max(steepestBefore, Math.abs(before))
        const limit = steepest[precision]
        const slope = ((values[i + 1] as number) - (values[0] as number)) / length
        slopes[vector] = Math.min(Math.max(slope, -limit), limit)
        add(vector, (slopes[vector] as number) - before, gradient, 0)
      }
      // What is left of a slope much steeper than all others when it is taken back would be taken for a slope itself.
      if (steepestBefore > outlying * Math.sqrt(kernels.dot(gradient, gradient))) rebuild()
      const next = place.get('next') + asked
      place.set('round', place.get('round') + Math.floor(next / count))
      place.set('next', next % count)
    },
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
    add(index, weight, into, offset) {
      into[offset + index] = (into[offset + index] as number) + weight
    },
  }
}
