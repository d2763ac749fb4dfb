import { describe, expect, test } from 'vitest'
import { vectorsOf } from '../../../../test/conformance/basis.ts'
import { beginning } from '../../../../test/conformance/directions.ts'
import { points } from '../../core/answers.ts'
import { decodeCheckpoint, encodeCheckpoint } from '../../core/checkpoint.ts'
import { restoreMemory, saveMemory } from '../../core/part.ts'
import { createSession, type Session } from '../../core/session.ts'
import { unconstrained } from '../../core/session-options.ts'
import type { Basis, Directions, Precision, Vector } from '../../core/types.ts'
import { descent } from '../../methods/descent.ts'
import { dct } from '../bases/dct.ts'
import { blocks, tiles } from '../bases/tiles.ts'
import { central, forward } from '../estimators/differences.ts'
import { plain } from '../steps/basic.ts'
import { coordinate, gaussian, sphere } from './basic.ts'
import { guided } from './guided.ts'
import { stallMeter, subspace } from './subspace.ts'

const shape = { channels: 1, height: 4, width: 4 }
const at = beginning(16, { shape })
const key = { seed: 1, iteration: 1 }

test.each<[string, Directions | undefined]>([
  ['orthogonal ones', undefined],
  ['the sphere', sphere()],
  ['normals', gaussian()],
  ['coordinates', coordinate()],
])('E[factor u u^T] is the projection onto the subspace along %s', (_, within) => {
  const rows = subspace({ basis: dct({ size: 2 }), ...(within && { within }) }).start(at, 2)
  const [u, mean] = [new Float64Array(16), new Float64Array(256)]
  const iterations = 4000
  for (let iteration = 1; iteration <= iterations; iteration++) {
    for (let row = 0; row < 2; row++) {
      rows.write(new Float64Array(16), 1, { seed: 1, iteration }, row, u, 0)
      mean.forEach((each, k) => {
        const product = rows.factor * (u[Math.floor(k / 16)] as number) * (u[k % 16] as number)
        mean[k] = each + product / (2 * iterations)
      })
    }
  }
  const basis = vectorsOf(dct({ size: 2 }).start(at), at)
  mean.forEach((each, k) => {
    const projection = basis.reduce((sum, b) => sum + (b[Math.floor(k / 16)] as number) * (b[k % 16] as number), 0)
    // Five standard errors; entries of the basis are at most 0.5.
    expect(Math.abs(each - projection)).toBeLessThan((5 * Math.sqrt(3)) / Math.sqrt(2 * iterations) / 2)
  })
})

test('as many directions as the subspace has dimensions find the projected gradient of a linear function exactly', () => {
  const slope = Float64Array.from({ length: 16 }, (_, i) => Math.sin(i + 1))
  const estimator = forward({ along: subspace({ basis: tiles({ size: 2 }) }), directions: 4, smoothing: 1 })
  const estimation = estimator.start(at)
  const rows = points(estimation.queries(at.start, 3))
  const values = Float64Array.from(rows, (row) => row.reduce((sum, each, i) => sum + each * (slope[i] as number), 0))
  const gradient = new Float64Array(16)
  estimation.estimate(at.start, 3, { values, failed: new Uint8Array(5), reasons: [] }, gradient)
  gradient.forEach((each, i) => {
    const corner = 8 * Math.floor(i / 8) + 2 * Math.floor((i % 4) / 2)
    const mean = [0, 1, 4, 5].reduce((sum, j) => sum + (slope[corner + j] as number) / 4, 0)
    expect(Math.abs(each - mean)).toBeLessThan(1e-12)
  })
})

test('more directions than dimensions come in blocks', () => {
  const rows = subspace({ basis: dct({ size: 1 }) }).start(at, 5)
  expect([rows.count, rows.factor]).toEqual([5, 1])
  const u = new Float64Array(16)
  for (let row = 0; row < 5; row++) {
    rows.write(new Float64Array(16), 1, key, row, u, 0)
    expect(Math.abs(Math.abs(u[0] as number) - 0.25)).toBeLessThan(1e-15)
    expect(new Set(u).size).toBe(1)
  }
})

test.each([
  ['one-sided', forward, 1],
  ['two-sided', central, 2],
] as const)('expands each direction once and the %s estimate once', (_, estimator, sides) => {
  let expansions = 0
  const counted: Basis = {
    start: () => ({
      dim: 2,
      expand(coefficients, into) {
        expansions++
        into.fill(0)
        into.set(coefficients)
      },
    }),
  }
  const estimation = estimator({ along: subspace({ basis: counted }), directions: 3 }).start(at)
  const rows = points(estimation.queries(at.start, 1))
  expect(expansions).toBe(3)
  const values = Float64Array.from(rows, (row) => row[0] ?? 0)
  const answers = { values, failed: new Uint8Array(rows.length), reasons: [] }
  expect(estimation.estimate(at.start, 1, answers, new Float64Array(16))).toBe(3)
  expect(expansions).toBe(4)
  expect(rows).toHaveLength(1 + 3 * sides)
})

test.each(['float64', 'float32'] as const)('has the same bits with all kernels in %s', (precision) => {
  const rowsOf = (kernels: 'scalar' | 'fastest') => {
    const given = beginning(16, { shape, precision, kernels })
    const rows = guided({ within: subspace({ basis: dct({ size: 3 }) }) }).start(given, 4)
    rows.learn?.(given.start, 1)
    rows.learn?.(
      given.start.map((each, i) => each + Math.sin(i)),
      1,
    )
    const into = new Float64Array(80)
    for (let row = 0; row < 4; row++) rows.write(given.start, 0.1, key, row, into, 16 * row)
    rows.combine?.(0.1, key, Float64Array.of(1, 2, 3, 4), into.subarray(64))
    return into
  }
  expect(rowsOf('fastest')).toEqual(rowsOf('scalar'))
})

test('a basis that changes with the iteration changes the subspace', () => {
  const rows = subspace({ basis: blocks({ count: 4 }) }).start(at, 1)
  const touched = (iteration: number): number[] => {
    const u = new Float64Array(16)
    rows.write(new Float64Array(16), 1, { seed: 1, iteration }, 0, u, 0)
    return Array.from(u.keys()).filter((i) => u[i] !== 0)
  }
  expect([touched(1), touched(2), touched(5)]).toEqual([
    [0, 1, 2, 3],
    [4, 5, 6, 7],
    [0, 1, 2, 3],
  ])
})

describe('growing', () => {
  const along = subspace({ basis: dct({ size: 1 }), growAfter: 3 })

  test('follows when values stop falling, and the factor with it', () => {
    const rows = along.start(at, 2)
    const factors = [9, 8, 8, 8, 8, 7, 7, 7, 7, 7, 7, 7, 7, 7].map((value) => {
      rows.learn?.(at.start, value)
      return rows.factor
    })
    expect(factors).toEqual([1, 1, 1, 1, 4, 4, 4, 4, 9, 9, 9, 16, 16, 16])
  })

  test('the estimate uses the factor of the day', () => {
    const estimation = forward({ along, directions: 1, smoothing: 1 }).start(at)
    const slopes = Array.from({ length: 12 }, (_, t) => {
      const rows = points(estimation.queries(at.start, t + 1))
      const step = (rows[1] as Vector).map((each, i) => each - (at.start[i] as number))
      const gradient = new Float64Array(16)
      estimation.estimate(
        at.start,
        t + 1,
        { values: Float64Array.of(1, 2), failed: new Uint8Array(2), reasons: [] },
        gradient,
      )
      return Math.round((gradient[0] as number) / (step[0] as number))
    })
    expect(slopes).toEqual([1, 1, 1, 1, 4, 4, 4, 9, 9, 9, 16, 16])
  })

  describe.each<Precision>(['float64', 'float32'])('in %s', (precision) => {
    const open = (resume?: ReturnType<Session['checkpoint']>): Session =>
      createSession(new Array(16).fill(0.3), {
        solver: descent({
          estimator: forward({ along, directions: 2, smoothing: 1e-2 }),
          step: plain(),
          learningRate: { value: 0.05, decay: 'none' },
        }),
        shape,
        precision,
        maxIterations: 60,
        ...(resume && { resume }),
      })
    // Nothing of this is in the first subspace but the mean, so that it must grow.
    const f = (x: ArrayLike<number>): number => Array.from(x).reduce((sum, each, i) => sum + (each - (i % 3)) ** 2, 0)
    const finish = (session: Session, told: () => void = () => undefined) => {
      while (session.outcome === undefined) {
        session.tell(points(session.ask()).map(f))
        told()
      }
      return session.outcome
    }

    test('a run goes on from a checkpoint of every iteration with the same bits', () => {
      const whole = open()
      const saved = [whole.checkpoint()]
      const outcome = finish(whole, () => saved.push(whole.checkpoint()))
      const sizes = saved.map(({ memory }) => memory.state['estimator.basis.size'])
      expect([...new Set(sizes)]).toEqual([1, 2, 3])
      for (const checkpoint of saved.filter((_, i) => i % 7 === 0)) {
        expect(finish(open(decodeCheckpoint(encodeCheckpoint(checkpoint))))).toEqual(outcome)
      }
    })
  })
})

describe('refuses', () => {
  test('to grow a basis that cannot', () => {
    expect(() => subspace({ basis: blocks(), growAfter: 5 }).start(at, 2)).toThrow(
      'subspace.growAfter needs a basis that can grow, such as dct() or tiles()',
    )
  })

  test('to grow where the number of directions would grow, too', () => {
    const along = subspace({ basis: dct({ size: 2 }), within: coordinate({ all: true }), growAfter: 5 })
    expect(() => along.start(at, 2)).toThrow(
      'subspace.growAfter needs directions whose number does not depend on the dimension; subspace.within makes 4 instead of 2',
    )
  })

  test('directions that learn where the run is, which they would not understand', () => {
    expect(() => subspace({ basis: dct(), within: guided() }).start(at, 2)).toThrow(
      'subspace.within must be directions that learn nothing; put them around it instead, as in guided({ within: subspace(...) })',
    )
  })

  test('to do without a basis', () => {
    expect(() => subspace({} as never)).toThrow('subspace.basis must be a basis, got undefined')
    expect(() => subspace({ basis: sphere() as never })).toThrow('subspace.basis must be a basis')
    expect(() => subspace({ basis: unconstrained as never })).toThrow('subspace.basis must be a basis')
  })
})

describe.each<Precision>(['float64', 'float32'])('in %s', (precision) => {
  const meter = (patience: number) => stallMeter(beginning(1, { precision }), patience)
  const stalls = (patience: number, values: readonly number[]): boolean[] => {
    const { hasStalled } = meter(patience)
    return values.map(hasStalled)
  }

  test('notices that nothing got better, again and again', () => {
    expect(stalls(2, [5, 5, 6, 5, 5, 4, 4, 4])).toEqual([false, false, true, false, true, false, false, true])
  })

  test('gains of less than a part in 1000 are none, until together they are more', () => {
    expect(stalls(3, [1, 0.9995, 0.9993, 0.998, 0.9975, 0.9974])).toEqual(new Array(6).fill(false))
    expect(stalls(3, [1, 0.9995, 0.9993, 0.9991])).toEqual([false, false, false, true])
    expect(stalls(1, [-1, -1.0005, -1.002])).toEqual([false, true, false])
  })

  test('unknown values do not count', () => {
    expect(stalls(1, [Number.NaN, 3, Number.NaN, 3])).toEqual([false, false, false, true])
  })

  test('its memory is all there is', () => {
    const values = [3.3, 3.1, 3.2, 3.0999, 2, 2, 2, 2.1, 1e-9, 1e-9, 1e-9]
    const expected = stalls(3, values)
    let current = meter(3)
    const found = values.map((value) => {
      const next = meter(3)
      restoreMemory(next.memory, saveMemory(current.memory))
      current = next
      return current.hasStalled(value)
    })
    expect(found).toEqual(expected)
    expect(found).toContain(true)
  })
})
