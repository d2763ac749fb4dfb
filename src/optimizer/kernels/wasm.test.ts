import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { printable } from '../../../scripts/generate/printable.mjs'
import type { Kernels, Precision, Update, Vector } from './kernels.ts'
import { scalarKernels } from './scalar.ts'
import { printedBytes, wasmKernels } from './wasm.ts'

describe('wasm', () => {
  const wasm = wasmKernels(2 ** 26) as Kernels

  test('WebAssembly SIMD is available where the tests run', () => {
    expect(wasmKernels(1000)?.name).toBe('wasm')
  })

  /** Lengths around every edge: lanes, steps of eight, blocks of 64 steps, tiles. */
  const lengths = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 511, 512, 513, 520, 4095, 4096, 4097, 4104, 8191, 12_289]
  const precisions: Precision[] = ['float32', 'float64']

  const odd = [0, -0, Infinity, -Infinity, Number.NaN, 5e-324, 1e-40, -1e-31, 1e-300, 3e38, -1e308, 1, -1, 0.1]

  /** The same numbers in both kernels' memory; every few entries an odd one when asked for. */
  function twins(length: number, precision: Precision, seed: number, strange = false): [Vector, Vector] {
    const ours = wasm.allocate(length, precision)
    const theirs = scalarKernels.allocate(length, precision)
    for (let i = 0; i < length; i++) {
      const value = Math.fround(((((i + 1) * (seed + 3) * 2654435761) >>> 0) / 4294967296 - 0.5) * 4)
      theirs[i] = strange && (i + seed) % 5 === 0 ? (odd[(i + seed) % odd.length] as number) : value
      ours[i] = theirs[i] as number
    }
    return [ours, theirs]
  }

  function bits(vector: Vector): string {
    // NaN payloads are the one thing the standard leaves open.
    return Array.from(vector, (value) => (Object.is(value, -0) ? '-0' : String(value))).join(' ')
  }

  type Pair = [Vector, Vector]

  const at = { seed: 12_345_678_901_234, iteration: 77, row: 3 }

  describe.each(precisions)('%s', (precision) => {
    test.each(lengths)('makes the same rows of %i elements', (length) => {
      const [x, y] = twins(length, precision, 1)
      const [into, other] = twins(length + 3, precision, 2)
      expect(wasm.normalsSquared(at, length)).toBe(scalarKernels.normalsSquared(at, length))
      wasm.perturb(x, 0.3, at, into, 2)
      scalarKernels.perturb(y, 0.3, at, other, 2)
      expect(bits(into)).toBe(bits(other))
      expect(wasm.perturbUnit(x, 0.005, at, into, 1)).toBe(scalarKernels.perturbUnit(y, 0.005, at, other, 1))
      expect(bits(into)).toBe(bits(other))
      const elsewhere = new Float64Array(length)
      wasm.perturbUnit(x, 0.005, at, elsewhere, 0)
      expect(bits(elsewhere)).toBe(bits(Float64Array.from(other.subarray(1, length + 1))))
    })

    test.each(lengths)('accumulates %i elements alike', (length) => {
      for (const antithetic of [false, true]) {
        const [x, y] = twins(length, precision, 3)
        const [g, h] = twins(length, precision, 4)
        wasm.accumulateNormals(x, 0.01, at, -7.3, antithetic, g)
        scalarKernels.accumulateNormals(y, 0.01, at, -7.3, antithetic, h)
        expect(bits(g)).toBe(bits(h))
      }
      const [row, base, g] = [
        twins(length, precision, 5, true),
        twins(length, precision, 6),
        twins(length, precision, 7),
      ]
      wasm.accumulateRow(row[0], base[0], 1.7, g[0])
      scalarKernels.accumulateRow(row[1], base[1], 1.7, g[1])
      expect(bits(g[0])).toBe(bits(g[1]))
    })

    test.each(lengths)('steps %i elements alike, zeros, infinities, NaN and denormals included', (length) => {
      const pair = (seed: number) => twins(length, precision, seed, true)
      const [g, m, v, h, x, d, lower, upper] = [8, 9, 10, 11, 12, 13, 14, 15].map(pair) as [
        Vector,
        Vector,
      ][] as never as [
        [Vector, Vector],
        [Vector, Vector],
        [Vector, Vector],
        [Vector, Vector],
        [Vector, Vector],
        [Vector, Vector],
        [Vector, Vector],
        [Vector, Vector],
      ]
      for (const k of [0, 1] as const) {
        const kernels = k === 0 ? wasm : scalarKernels
        kernels.average(m[k], g[k], 0.9)
        kernels.moments({ first: m[k], second: v[k], maximum: h[k] }, g[k], 0.9, 0.3)
        kernels.advance(x[k], 0.1, m[k], h[k], lower[k], upper[k])
        kernels.advance(x[k], 0.1, g[k], null, null, null)
        kernels.advance(x[k], 0.3, d[k], v[k], lower[k].subarray(0, 1), upper[k].subarray(0, 1))
        kernels.sign(d[k])
      }
      for (const [ours, theirs] of [m, v, h, x, d]) expect(bits(ours)).toBe(bits(theirs))
      const [a, b] = [twins(length, precision, 16), twins(length, precision, 17)]
      expect(wasm.dot(a[0], b[0])).toBe(scalarKernels.dot(a[1], b[1]))
    })

    test.each([true, false])('keeps rows between the same bounds, strange ones included (turned: %j)', (turn) => {
      for (const length of lengths) {
        for (const size of [1, length]) {
          const [x, rows, lower, upper] = [1, 2, 3, 4].map((seed) =>
            twins(seed < 3 ? length : size, precision, seed, seed > 1),
          ) as [Pair, Pair, Pair, Pair]
          wasm.confine(x[0], lower[0], upper[0], turn, rows[0], 0)
          scalarKernels.confine(x[1], lower[1], upper[1], turn, rows[1], 0)
          expect(bits(rows[0])).toBe(bits(rows[1]))
        }
      }
    })

    test.each(['plain', 'sign', 'maximum', 'second'] as const)('updates alike in one pass: %s', (kind) => {
      for (const length of lengths) {
        for (const [antithetic, keep, inside] of [
          [false, false, false],
          [true, false, false],
          [false, true, false],
          [false, false, true],
          [true, false, true],
        ] as const) {
          const vectors = Array.from({ length: 6 }, (_, i) => twins(length, precision, 20 + i))
          const kept = twins(length * 4, precision, 30)
          const results = ([0, 1] as const).map((k) => {
            const kernels = k === 0 ? wasm : scalarKernels
            const [x, first, second, maximum, lower, upper] = vectors.map((pair) => pair[k]) as Vector[] as [
              Vector,
              Vector,
              Vector,
              Vector,
              Vector,
              Vector,
            ]
            const terms = kernels.allocate(9, 'float64')
            terms.set([1, 0.01, 3, 2, 0.02, -5, 3, 0.005, 0.7])
            const step: Update = {
              kind,
              moments: kind === 'maximum' || kind === 'second' ? { first, second, maximum } : null,
              beta1: 0.9,
              beta2: 0.3,
              rate: 0.05,
              lower,
              upper,
            }
            const sum = { key: at, antithetic, inside, terms, count: 3, kept: keep ? kept[k] : null }
            kernels.update(x, sum, step)
            return [x, first, second, maximum].map(bits).join('|')
          })
          expect(results[0]).toBe(results[1])
        }
      }
    })
  })

  test('any seed, iteration, row, length and scale give the same row', () => {
    fc.assert(
      fc.property(
        fc.nat(Number.MAX_SAFE_INTEGER),
        fc.nat(4_294_967_295),
        fc.nat(4_294_967_295),
        fc.integer({ min: 1, max: 600 }),
        fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
        (seed, iteration, row, length, scale) => {
          const [x, y] = [wasm.allocate(0, 'float64'), new Float64Array(length)]
          expect(x.length).toBe(0)
          const kernels = wasmKernels(100_000) as Kernels
          const start = kernels.allocate(length, 'float64')
          const [into, other] = [kernels.allocate(length, 'float64'), new Float64Array(length)]
          kernels.perturbUnit(start, scale, { seed, iteration, row }, into, 0)
          scalarKernels.perturbUnit(y, scale, { seed, iteration, row }, other, 0)
          expect(bits(into)).toBe(bits(other))
        },
      ),
      { numRuns: 60 },
    )
  })

  test('a full memory changes nothing: scratch that does not fit is done without', () => {
    for (const precision of precisions) {
      for (const room of [0, 100, 3000, 40_000, 60_000]) {
        const full = wasmKernels(200_000) as Kernels
        const length = 5000
        const x = full.allocate(length, precision)
        const kept = full.allocate(2 * length, precision).fill(0.25)
        const terms = full.allocate(6, 'float64')
        while (full.allocate(100, 'float32').buffer === x.buffer) if (freeBytes(full, x) < room) break
        const into = new Float64Array(length)
        const expected = new Float64Array(length)
        full.perturbUnit(x, 0.1, at, into, 0)
        scalarKernels.perturbUnit(scalarKernels.allocate(length, precision), 0.1, at, expected, 0)
        expect(bits(into)).toBe(bits(expected))
        full.perturb(x, 0.1, at, into, 0)
        scalarKernels.perturb(scalarKernels.allocate(length, precision), 0.1, at, expected, 0)
        expect(bits(into)).toBe(bits(expected))
        terms.set([0, 0, 2, 1, 0, -3])
        const step: Update = { kind: 'plain', moments: null, beta1: 0, beta2: 0, rate: 1, lower: null, upper: null }
        full.update(x, { key: at, antithetic: false, inside: false, terms, count: 2, kept }, step)
        expect(Array.from(x).every((value) => value === 0.25)).toBe(true)
      }
    }
  })

  /** How much memory is left behind the vectors made so far, found by making one more. */
  function freeBytes(kernels: Kernels, x: Vector): number {
    const probe = kernels.allocate(1, 'float32')
    return probe.buffer === x.buffer ? x.buffer.byteLength - probe.byteOffset : 0
  }

  test('vectors that do not fit into the memory work all the same', () => {
    const small = wasmKernels(1000) as Kernels
    const length = 200_000
    const x = small.allocate(length, 'float64')
    const g = small.allocate(length, 'float64')
    const expected = new Float64Array(length)
    small.accumulateNormals(x, 0.1, at, 2, false, g)
    scalarKernels.accumulateNormals(new Float64Array(length), 0.1, at, 2, false, expected)
    expect(bits(g)).toBe(bits(expected))
  })
})

describe('wasm instance', () => {
  test('reads one character, or a mark and one character, for a byte', () => {
    expect(printedBytes('(#|}#~k')).toEqual(Uint8Array.of(0, 251, 84, 85, 247))
  })

  test('reads any bytes that were printed, which are ASCII without a double quote', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(printable(bytes)).toMatch(/^[#-~]*$/)
        expect(printedBytes(printable(bytes))).toEqual(bytes)
      }),
    )
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    expect(printedBytes(printable(all))).toEqual(all)
  })
})
