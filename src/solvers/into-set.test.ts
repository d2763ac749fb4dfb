import { expect, test } from 'vitest'
import type { Kernels } from '../kernels/kernels.ts'
import { scalarKernels } from '../kernels/scalar.ts'
import { wasmKernels } from '../kernels/wasm.ts'
import { box } from '../sets/box.ts'
import { intoSet } from './into-set.ts'

const begin = (set: object, precision: 'float64' | 'float32' = 'float64') =>
  ({ set, dim: 3, precision, kernels: scalarKernels }) as unknown as Parameters<typeof intoSet>[0]

test('looks at nothing but what was changed, where it is told that', () => {
  const x = Float64Array.of(-2, 0.25, 2)
  const enter = intoSet(begin(box({ lower: -0.5, upper: 0.75 })))
  enter(x, [])
  enter(x, [[1, 3]])
  expect(Array.from(x)).toEqual([-2, 0.25, 0.75])
})

test('where bounds cross when they are rounded, the one that is broken first counts', () => {
  const x = Float32Array.of(-2, 0.1, 2)
  intoSet(begin(box({ lower: 0.1, upper: [0.1, 0.1, 0.1] }), 'float32'))(x)
  expect(x[0]).toBe(Math.fround(0.1))
  expect(x[1]).toBeLessThan(0.1)
  expect(x[2]).toBe(x[1])
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
        intoSet({ ...begin(set, precision), dim: given.length, kernels: own })(x)
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
  intoSet(at)
  intoSet({ ...at })
  expect(made).toBe(1)
  const x = Float64Array.of(1, 1, 1)
  intoSet({ ...at, precision: 'float64' })(x)
  expect(Array.from(x)).toEqual([0.1, 0.3, 0.7])
  intoSet({ ...at, kernels: { ...scalarKernels } })
  expect(made).toBe(3)
})
