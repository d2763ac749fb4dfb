import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { restoreMemory, saveMemory } from '../../src/optimizer/core/part.ts'
import type { Basis, BasisState, Key, Precision, RunContext } from '../../src/optimizer/core/types.ts'
import { beginning } from './directions.ts'

/** Keys of iterations whose subspaces may differ. */
const keys: readonly Key[] = [1, 2, 7, 1000].map((iteration) => ({ seed: 3, iteration }))

/** What every basis must do. `make` gives a basis that fits runs in `dim` dimensions. */
export function basisConforms(make: (dim: number) => Basis): void {
  const open = (dim: number, given: Parameters<typeof beginning>[1] = {}): { at: RunContext; span: BasisState } => {
    const at = beginning(dim, { seed: 3, ...given })
    return { at, span: make(dim).start(at) }
  }

  describe.each([1, 2, 5, 12, 30])('in %i dimensions', (dim) => {
    test('has from 1 to as many vectors as there are dimensions', () => {
      const { span } = open(dim)
      expect(Number.isInteger(span.dim) && span.dim >= 1 && span.dim <= dim).toBe(true)
    })

    test('its vectors are orthonormal in every iteration', () => {
      const { at, span } = open(dim)
      for (const key of keys) expect(deviation(vectorsOf(span, at, key))).toBeLessThan(1e-12)
    })

    test('and stay so while it grows to its full size, each subspace within the next', () => {
      const { at, span } = open(dim)
      for (let before = vectorsOf(span, at), size = span.dim; span.grow?.() === true; size = span.dim) {
        const after = vectorsOf(span, at)
        expect(span.dim).toBeGreaterThan(size)
        expect(deviation(after)).toBeLessThan(1e-12)
        for (const vector of before) expect(distance(vector, after)).toBeLessThan(1e-12)
        before = after
      }
      if (span.grow !== undefined) expect(span.grow()).toBe(false)
      expect(span.dim).toBeLessThanOrEqual(dim)
    })
  })

  test('expands sums to sums', () => {
    const { at, span } = open(12)
    const numbers = fc.array(fc.double({ min: -9, max: 9, noNaN: true }), { minLength: span.dim, maxLength: span.dim })
    const property = fc.property(numbers, numbers, fc.constantFrom(...keys), (a, b, key) => {
      const [x, y, sum] = [a, b, a.map((each, i) => 2 * each - (b[i] as number))].map((each) =>
        expand(span, at, each, key),
      )
      sum?.forEach((each, i) => {
        expect(Math.abs(each - (2 * (x?.[i] as number) - (y?.[i] as number)))).toBeLessThan(1e-12)
      })
    })
    fc.assert(property, { numRuns: 50, seed: 20196 })
  })

  test('gives the same bits again, whatever was expanded before, and in another run', () => {
    const { at, span } = open(12)
    const coefficients = Array.from({ length: span.dim }, (_, j) => 1 / (j + 3))
    const first = keys.map((key) => expand(span, at, coefficients, key))
    expand(
      span,
      at,
      coefficients.map((each) => -each),
    )
    expect(keys.map((key) => expand(span, at, coefficients, key))).toEqual(first)
    expect(keys.map((key) => expand(open(12).span, at, coefficients, key))).toEqual(first)
  })

  test('single vectors, where it writes them, are those of its sums, and each promises something', () => {
    for (let { at, span } = open(12), more = true; more; more = span.grow?.() === true) {
      vectorsOf(span, at).forEach((vector, index) => {
        if (span.prospect !== undefined) expect(span.prospect(index)).toBeGreaterThan(0)
        if (span.add === undefined) return
        const into = new Float64Array(15).fill(0.5)
        span.add(index, -2, into, 3)
        expect(Array.from(into.subarray(0, 3))).toEqual([0.5, 0.5, 0.5])
        vector.forEach((each, i) => {
          expect(Math.abs((into[3 + i] as number) - (0.5 - 2 * each))).toBeLessThan(1e-12)
        })
      })
    }
  })

  test('fills all of what it writes into and only reads the coefficients', () => {
    const { at, span } = open(12)
    const coefficients = Float64Array.from({ length: span.dim }, (_, j) => j - 0.5)
    const into = new Float64Array(12).fill(Number.NaN)
    span.expand(coefficients, into)
    expect(into.every(Number.isFinite)).toBe(true)
    expect(Array.from(into)).toEqual(expand(span, at, coefficients))
    expect(coefficients).toEqual(Float64Array.from({ length: span.dim }, (_, j) => j - 0.5))
  })

  describe.each<Precision>(['float64', 'float32'])('in a run of %s', (precision) => {
    test('its memory is all there is: copied into another run, that run has the same vectors', () => {
      const { at, span } = open(30, { precision })
      let left = true
      for (let stage = 0; stage < 20 && left; stage++) {
        const { span: resumed } = open(30, { precision })
        restoreMemory(resumed.memory ?? {}, saveMemory(span.memory ?? {}))
        expect(resumed.dim).toBe(span.dim)
        expect(vectorsOf(resumed, at)).toEqual(vectorsOf(span, at))
        left = span.grow?.() ?? false
      }
    })

    test('its memory has the precision of the run', () => {
      for (const vector of Object.values(saveMemory(open(5, { precision }).span.memory ?? {}).vectors)) {
        expect(vector instanceof (precision === 'float32' ? Float32Array : Float64Array)).toBe(true)
      }
    })
  })

  test('two runs of one basis share nothing', () => {
    const basis = make(30)
    const [first, second] = [basis.start(beginning(30)), basis.start(beginning(30))]
    const size = second.dim
    first.grow?.()
    expect(second.dim).toBe(size)
  })
}

/** The vectors of a basis, one by one. */
export function vectorsOf(span: BasisState, at: RunContext, key?: Key): number[][] {
  return Array.from({ length: span.dim }, (_, j) =>
    expand(
      span,
      at,
      Array.from({ length: span.dim }, (_, i) => (i === j ? 1 : 0)),
      key,
    ),
  )
}

function expand(span: BasisState, { dim }: RunContext, coefficients: ArrayLike<number>, key?: Key): number[] {
  const into = new Float64Array(dim)
  span.expand(Float64Array.from(coefficients), into, key)
  return Array.from(into)
}

/** How far a family of vectors is from orthonormal, in its worst inner product. */
/** How far vectors are from orthonormal. */
export function deviation(vectors: readonly number[][]): number {
  return Math.max(...vectors.flatMap((u, i) => vectors.map((v, j) => Math.abs(dot(u, v) - (i === j ? 1 : 0)))))
}

/** The distance of a vector from the span of an orthonormal family. */
function distance(vector: readonly number[], family: readonly number[][]): number {
  const rest = family.reduce<readonly number[]>((left, u) => {
    const share = dot(left, u)
    return left.map((each, i) => each - share * (u[i] as number))
  }, vector)
  return Math.sqrt(dot(rest, rest))
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, each, i) => sum + each * (b[i] as number), 0)
}
