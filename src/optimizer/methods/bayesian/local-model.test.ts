import { describe, expect, test } from 'vitest'
import { randomUniform } from '../../kernels/random.ts'
import { LocalModel } from './local-model.ts'

const key = { seed: 3, iteration: 1, row: 0 }

function dataOf(count: number, d: number, f: (z: Float64Array) => number, isNoisy = false) {
  const places = Array.from({ length: count }, (_, row) =>
    Float64Array.from({ length: d }, (_, i) => 2 * randomUniform({ ...key, row }, 'data', i) - 1),
  )
  return { places, values: Float64Array.from(places, f), variances: new Float64Array(count), isNoisy }
}

/** 3 + g'z + z'Hz / 2, with its minimum at (0.25, -0.5). */
const bowl = (z: Float64Array): number => {
  const [a, b] = [(z[0] as number) - 0.25, (z[1] as number) + 0.5]
  return 3 + 2 * a * a + b * b + a * b
}

describe('a model around a point', () => {
  const model = LocalModel.fit(dataOf(12, 2, bowl)) as LocalModel

  test('of a quadratic, from more points than it has numbers, is that quadratic', () => {
    for (const z of [Float64Array.of(0.1, 0.2), Float64Array.of(-0.9, 0.7)])
      expect(model.mean(z)).toBeCloseTo(bowl(z), 3)
    const expected = [4, 1, 1, 2]
    model.hessian().forEach((each, i) => {
      expect(each).toBeCloseTo(expected[i] as number, 1)
    })
  })

  test('has its lowest place where the quadratic has it, or on the side of the region next to it', () => {
    const all = { lower: Float64Array.of(-1, -1), upper: Float64Array.of(1, 1) }
    const [a, b] = model.lowest(all, 0, key)
    expect(a).toBeCloseTo(0.25, 2)
    expect(b).toBeCloseTo(-0.5, 2)
    const cut = { lower: Float64Array.of(-1, -0.2), upper: Float64Array.of(0, 1) }
    const [c, e] = model.lowest(cut, 0, key)
    expect(c).toBe(0)
    expect(e).toBe(-0.2)
  })

  test('has slopes that are those of differences', () => {
    const rough = LocalModel.fit(dataOf(9, 2, (z) => bowl(z) + Math.sin(5 * (z[0] as number)))) as LocalModel
    for (const deviations of [0, 0.7]) {
      const z = Float64Array.of(0.3, -0.4)
      const slopes = new Float64Array(2)
      rough.bound(z, deviations, slopes)
      for (const i of [0, 1]) {
        const h = 1e-5
        const at = (step: number): number =>
          rough.bound(
            z.map((each, j) => (j === i ? each + step : each)),
            deviations,
          )
        expect(slopes[i]).toBeCloseTo((at(h) - at(-h)) / (2 * h), 5)
      }
    }
  })

  test('goes between values that vary, where it is told that they do', () => {
    const noise = (row: number): number => 2 * randomUniform({ ...key, row }, 'noise', 0) - 1
    let row = 0
    const noisy = dataOf(40, 2, (z) => bowl(z) + 0.5 * noise(row++), true)
    const found = LocalModel.fit(noisy) as LocalModel
    const errors = noisy.places.map((z) => Math.abs(found.mean(z) - bowl(z)))
    expect(errors.reduce((a, b) => a + b) / 40).toBeLessThan(0.2)
  })

  test('takes values of any size', () => {
    for (const unit of [1e-200, 1e200]) {
      const large = LocalModel.fit(dataOf(12, 2, (z) => unit * bowl(z))) as LocalModel
      expect(large.mean(Float64Array.of(0.1, 0.2)) / unit).toBeCloseTo(bowl(Float64Array.of(0.1, 0.2)), 3)
    }
  })
})
