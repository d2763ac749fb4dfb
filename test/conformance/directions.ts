import { describe, expect, test } from 'vitest'
import { type Directions, type Memory, type Precision, type RunContext, type Vector, zoSGD } from '../../src/index.ts'
import { parseOptions } from '../../src/optimizer/core/options.ts'
import { makeRunContext } from '../../src/optimizer/core/session.ts'
import { type SessionOptions, sessionOptions } from '../../src/optimizer/core/session-options.ts'

const precisions: readonly Precision[] = ['float64', 'float32']

/** Other starts, seeds, sets ... than the suites' own. */
type Given = Partial<SessionOptions> & { readonly start?: readonly number[] }

/** What a run in `dim` dimensions is given when it begins. */
export function beginning(dim: number, { start, ...options }: Given = {}): RunContext {
  const point = start ?? Array.from({ length: dim }, (_, i) => 1.1 - 0.3 * (i % 7))
  return makeRunContext(
    point,
    parseOptions('conformance', sessionOptions, { solver: zoSGD(), ...options }),
    () => undefined,
  )
}

/**
 * What every kind of directions must do. Fixed directions, which the user or the coordinates determine, need not
 * depend on the seed and the iteration.
 */
export function directionsConform(make: (dim: number) => Directions, { fixed = false } = {}): void {
  /** The vectors u_row of one iteration. */
  const vectors = (dim: number, count: number, iteration: number, seed = 1): number[][] => {
    const at = beginning(dim)
    const rows = make(dim).start(at, count)
    return Array.from({ length: rows.count }, (_, row) => {
      const u = new Float64Array(dim)
      rows.write(new Float64Array(dim), 1, { seed, iteration }, row, u, 0)
      return Array.from(u)
    })
  }

  test('E[factor u u^T] is the identity', () => {
    const [dim, count, iterations] = [5, 4, 5000]
    const at = beginning(dim)
    const rows = make(dim).start(at, count)
    const origin = new Float64Array(dim)
    const u = new Float64Array(dim)
    const mean = new Float64Array(dim * dim)
    for (let iteration = 1; iteration <= iterations; iteration++) {
      for (let row = 0; row < rows.count; row++) {
        rows.write(origin, 1, { seed: 1, iteration }, row, u, 0)
        for (let k = 0; k < dim * dim; k++) {
          const product = rows.factor * (u[Math.floor(k / dim)] as number) * (u[k % dim] as number)
          mean[k] = (mean[k] as number) + product / (iterations * rows.count)
        }
      }
    }
    // Five standard errors. The variance of factor u_i^2 is d - 1 for coordinates, 2 for normals, less on the sphere.
    const tolerance = 5 * Math.sqrt(Math.max(dim - 1, 2) / (iterations * count))
    mean.forEach((entry, k) => {
      expect(Math.abs(entry - (k % (dim + 1) === 0 ? 1 : 0))).toBeLessThan(tolerance)
    })
  })

  test('a run has at least one direction, and as many as it says', () => {
    const rows = make(5).start(beginning(5), 3)
    expect(rows.count).toBeGreaterThanOrEqual(1)
    expect(vectors(5, 3, 1)).toHaveLength(rows.count)
  })

  test('the same address gives the same bits, in any order and in another run', () => {
    const [dim, count] = [7, 3]
    const expected = vectors(dim, count, 2)
    const rows = make(dim).start(beginning(dim), count)
    const u = new Float64Array(dim)
    const order = [2, 0, 1, 1, 2].filter((row) => row < rows.count)
    for (const row of order) {
      rows.write(new Float64Array(dim), 1, { seed: 1, iteration: 9 }, row, u, 0)
      rows.write(new Float64Array(dim), 1, { seed: 5, iteration: 2 }, row, u, 0)
      rows.write(new Float64Array(dim), 1, { seed: 1, iteration: 2 }, row, u, 0)
      expect(Array.from(u)).toEqual(expected[row])
    }
  })

  // Directions that do not depend on the key have nothing to vary.
  if (!fixed) {
    test('other rows, iterations and seeds give other directions', () => {
      const [dim, count] = [9, 12]
      const rows = vectors(dim, count, 1)
      expect(new Set(rows.map(String)).size).toBeGreaterThan(1)
      expect(vectors(dim, count, 2)).not.toEqual(rows)
      expect(vectors(dim, count, 1, 2)).not.toEqual(rows)
      expect(vectors(dim, count, 1, 1 + 2 ** 32)).not.toEqual(rows)
    })
  }

  test('works in one dimension', () => {
    const rows = vectors(1, 3, 1)
    expect(rows.flat().every(Number.isFinite)).toBe(true)
  })

  describe.each(precisions)('in %s', (precision) => {
    const make0 = (dim: number, count: number) => {
      const at = beginning(dim, { precision })
      return { at, x: at.start, rows: make(dim).start(at, count), key: { seed: 4, iteration: 3 } }
    }

    test('write fills its row and touches nothing else', () => {
      const { x, rows, key } = make0(6, 2)
      const alone = new Float64Array(6)
      rows.write(x, 1e-2, key, 1 % rows.count, alone, 0)
      const into = new Float64Array(13).fill(-7)
      rows.write(x, 1e-2, key, 1 % rows.count, into, 4)
      expect(Array.from(into)).toEqual([-7, -7, -7, -7, ...alone, -7, -7, -7])
    })

    test('rows are rounded to the precision of the run, whatever they are written into', () => {
      const { x, rows, key } = make0(11, 3)
      for (let row = 0; row < rows.count; row++) {
        const wide = new Float64Array(11)
        const narrow = new Float32Array(11)
        rows.write(x, 1e-2, key, row, wide, 0)
        rows.write(x, 1e-2, key, row, narrow, 0)
        if (precision === 'float32') expect(wide).toEqual(Float64Array.from(narrow))
        expect(Float32Array.from(wide)).toEqual(narrow)
      }
    })

    test('a step of scale -s is the mirror image of a step of scale s', () => {
      const { rows, key } = make0(5, 2)
      const origin = beginning(5, { precision, start: [0, 0, 0, 0, 0] }).start
      const ahead = new Float64Array(5)
      const behind = new Float64Array(5)
      rows.write(origin, 0.37, key, 0, ahead, 0)
      rows.write(origin, -0.37, key, 0, behind, 0)
      expect(Array.from(behind, (each) => 0 - each)).toEqual(Array.from(ahead, (each) => each + 0))
    })

    test.each([1, 5, 8, 4099])('accumulate gives the bits of write and accumulateRow in %i dimensions', (dim) => {
      const { at, x, rows, key } = make0(dim, 3)
      if (rows.accumulate === undefined) return
      const [ahead, behind] = [at.kernels.allocate(dim, precision), at.kernels.allocate(dim, precision)]
      for (let row = 0; row < Math.min(rows.count, 3); row++) {
        for (const antithetic of [false, true]) {
          const quick: Vector = x.slice()
          rows.accumulate(x, 1.7e-3, key, row, -23.1, antithetic, quick)
          const slow: Vector = x.slice()
          rows.write(x, 1.7e-3, key, row, ahead, 0)
          rows.write(x, -1.7e-3, key, row, behind, 0)
          at.kernels.accumulateRow(ahead, antithetic ? behind : x, -23.1, slow)
          expect(quick).toEqual(slow)
          expect(quick).not.toEqual(x)
        }
      }
    })

    test.each([1, 5, 8, 4099])('combine adds up what write writes in %i dimensions', (dim) => {
      const { x, rows, key } = make0(dim, 5)
      if (rows.combine === undefined) return
      const weights = Float64Array.from({ length: rows.count }, (_, row) => (row === 1 ? 0 : 3 - 1.7 * row))
      const quick = x.slice()
      const [u, before] = [new Float64Array(dim), new Float64Array(dim)]
      rows.write(new Float64Array(dim), 1, key, 0, before, 0)
      rows.combine(0.3, key, weights, quick)
      rows.write(new Float64Array(dim), 1, key, 0, u, 0)
      expect(u).toEqual(before)
      const slow = Float64Array.from(x)
      weights.forEach((weight, row) => {
        rows.write(new Float64Array(dim), 1, key, row, u, 0)
        u.forEach((each, i) => {
          slow[i] = (slow[i] as number) + 0.3 * weight * each
        })
      })
      const tolerance = precision === 'float32' ? 1e-5 : 1e-12
      quick.forEach((each, i) => expect(Math.abs(each - (slow[i] as number))).toBeLessThan(tolerance))
      expect(quick).not.toEqual(x)
    })

    test('its memory has the precision of the run, and two runs share none of it', () => {
      const at = beginning(4, { precision })
      const directions = make(4)
      const [memory, other] = [0, 1].map(() => memoriesOf(directions.start(at, 2).memory))
      memory?.forEach(({ vectors = {}, state }, part) => {
        for (const [name, vector] of Object.entries(vectors)) {
          expect(vector instanceof (precision === 'float32' ? Float32Array : Float64Array)).toBe(true)
          expect(other?.[part]?.vectors?.[name]).not.toBe(vector)
        }
        if (state !== undefined) expect(other?.[part]?.state).not.toBe(state)
      })
    })
  })
}

/** A memory and those of all its parts. */
function memoriesOf(memory: Memory = {}): Memory[] {
  return [memory, ...Object.values(memory.parts ?? {}).flatMap(memoriesOf)]
}
