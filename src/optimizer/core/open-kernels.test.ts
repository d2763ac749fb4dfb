import { expect, test } from 'vitest'
import { scalarKernels } from '../kernels/scalar.ts'
import { openKernels } from './open-kernels.ts'

test('the fastest kernels are those in WebAssembly, wherever there is SIMD', () => {
  expect(openKernels('fastest', 10, 'float64').name).toBe('wasm')
})

test('plain TypeScript and kernels of one’s own can be asked for', () => {
  expect(openKernels('scalar', 10, 'float64')).toBe(scalarKernels)
  expect(openKernels(scalarKernels, 10, 'float32')).toBe(scalarKernels)
})

test('more variables than memory can address are refused before anything starts', () => {
  const message = (most: number, precision: string) => `${precision} runs take ${most} at most`
  expect(() => openKernels('fastest', 53_687_092, 'float64')).toThrow(message(53_687_091, 'float64'))
  expect(() => openKernels('scalar', 107_374_183, 'float32')).toThrow(message(107_374_182, 'float32'))
})

test('runs where there is no WebAssembly give the same bits by the scalar kernels', async () => {
  const { minimize } = await import('../minimize/minimize.ts')
  const bowl = (x: Float64Array) => x.reduce((sum, value, i) => sum + (value - i) * (value - i), 0)
  const run = (kernels: 'fastest' | 'scalar') =>
    minimize(bowl, new Float64Array(37), { maxQueries: 600, kernels, seed: 2 })
  expect(await run('scalar')).toEqual(await run('fastest'))
})
