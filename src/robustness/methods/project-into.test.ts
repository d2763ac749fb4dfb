import { describe, expect, test } from 'vitest'
import { beginning } from '../../../test/conformance/directions.ts'
import type { ConvexSet } from '../../optimizer/core/types.ts'
import type { Kernels } from '../../optimizer/kernels/kernels.ts'
import { scalarKernels } from '../../optimizer/kernels/scalar.ts'
import { wasmKernels } from '../../optimizer/kernels/wasm.ts'
import { boxAndL2Ball } from '../../optimizer/parts/sets/balls.ts'
import { box, wholeSpace } from '../../optimizer/parts/sets/boxes.ts'
import { projectInto, projectToPlane } from './project-into.ts'

describe('into the set', () => {
  const begin = (set: object, precision: 'float64' | 'float32' = 'float64') =>
    ({ set, dim: 3, precision, kernels: scalarKernels }) as unknown as Parameters<typeof projectInto>[0]

  test('looks at nothing but what was changed, where it is told that', () => {
    const x = Float64Array.of(-2, 0.25, 2)
    const enter = projectInto(begin(box({ lower: -0.5, upper: 0.75 })))
    enter(x, [])
    enter(x, [[1, 3]])
    expect(Array.from(x)).toEqual([-2, 0.25, 0.75])
  })

  test('where bounds cross when they are rounded, the one that is broken first counts', () => {
    const x = Float32Array.of(-2, 0.1, 2)
    projectInto(begin(box({ lower: 0.1, upper: [0.1, 0.1, 0.1] }), 'float32'))(x)
    expect(x[0]).toBe(Math.fround(0.1))
    expect(x[1]).toBeLessThan(0.1)
    expect(x[2]).toBe(x[1])
  })

  test('into a ball, points that clipping is enough for keep what was not changed, and all become what the set makes of them', () => {
    const set = boxAndL2Ball({ lower: -0.3, upper: 0.7, radius: 0.75 })
    for (const precision of ['float64', 'float32'] as const) {
      const start = scalarKernels.allocate(3, precision)
      const enter = projectInto({ ...begin(set, precision), start })
      for (const given of [
        [-2, 0.25, 0.1],
        [-2, 0.25, 2],
      ]) {
        const [x, same] = [start.slice(), start.slice()]
        for (const each of [x, same]) each.set(given)
        expect(enter(x, [[0, 1]])).toEqual(given[2] === 2 ? undefined : [[0, 1]])
        set.project(same, null, new Float64Array(6))
        expect(x).toEqual(same)
        expect(x[0]).not.toBe(-2)
      }
    }
  })

  const fastKernels = wasmKernels(1 << 16)

  test.skipIf(fastKernels === undefined)(
    'the kernels of a run clip to the same bits, numbers that are none included',
    () => {
      const set = box({ lower: [-0.1, 0, -0.3, 0, -1, -1, -1], upper: 0.2 })
      const given = [-0, -0, 0.25, Number.NaN, Infinity, -Infinity, 0.2]
      for (const precision of ['float64', 'float32'] as const) {
        const [plain, fast] = [scalarKernels, fastKernels as Kernels].map((own) => {
          const x = own.allocate(given.length, precision)
          x.set(given)
          projectInto({ ...begin(set, precision), dim: given.length, kernels: own })(x)
          return x
        })
        expect(fast).toEqual(plain)
      }
    },
  )

  test('methods of a run share the bounds of its set, and runs of other kinds have their own', () => {
    const set = box({ lower: -0.1, upper: [0.1, 0.3, 0.7] })
    let made = 0
    const counting = { ...set, bounds: (dim: number) => (made++, set.bounds?.(dim)) }
    const at = begin(counting, 'float32')
    projectInto(at)
    projectInto({ ...at })
    expect(made).toBe(1)
    const x = Float64Array.of(1, 1, 1)
    projectInto({ ...at, precision: 'float64' })(x)
    expect(Array.from(x)).toEqual([0.1, 0.3, 0.7])
    projectInto({ ...at, kernels: { ...scalarKernels } })
    expect(made).toBe(3)
  })
})

describe('to a plane', () => {
  function found(set: ConvexSet, from: number[], gradient: number[], level: number): number[] {
    const point = Float64Array.from(from)
    projectToPlane(beginning(from.length, { set }))(point, Float64Array.from(gradient), level)
    return Array.from(point)
  }

  test('goes straight down to a plane where nothing is in the way', () => {
    expect(found(wholeSpace(), [1, 1], [3, 4], -18)).toEqual([-2, -3])
  })

  test('stays where it is beyond the plane already, and where there is no slope', () => {
    expect(found(wholeSpace(), [1, 1], [3, 4], 7)).toEqual([1, 1])
    expect(found(wholeSpace(), [1, 1], [0, 0], -1)).toEqual([1, 1])
  })

  test('in a box, the coordinates that have room go further: a black pixel cannot get darker', () => {
    const [x = 0, y = 0, z = 0] = found(box({ lower: [0, -9, -9], upper: 9 }), [0, 0, 0], [5, 3, 4], -25)
    expect(x).toBe(0)
    expect(y).toBeCloseTo(-3, 2)
    expect(z).toBeCloseTo(-4, 2)
    // Beyond the plane, but hardly.
    expect(3 * y + 4 * z).toBeLessThanOrEqual(-25 + 0.025)
  })

  test('where the box ends before the plane it goes to the furthest corner', () => {
    expect(found(box({ lower: -1, upper: 1 }), [0, 0], [1, -2], -100)).toEqual([-1, 1])
  })

  test('keeps to a ball in a box, too', () => {
    const set = boxAndL2Ball({ lower: -0.1, upper: 0.5, radius: 0.4 })
    const point = found(set, [0, 0, 0], [1, -1, 0.2], -0.3)
    expect(set.contains(Float64Array.from(point))).toBe(true)
    expect(point[0]).toBeCloseTo(-0.1, 6)
    expect((point[0] as number) - (point[1] as number) + 0.2 * (point[2] as number)).toBeCloseTo(-0.3, 3)
  })
})
