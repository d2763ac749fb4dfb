import { describe, expect, test } from 'vitest'
import {
  logarithmOfOnePlus,
  logExpectedGain,
  logProbabilityBelow,
  probabilityBelow,
  scaledComplement,
  slopeOfGain,
  slopeOfProbability,
} from './normal.ts'

const close = (found: number, expected: number): void => {
  expect(Math.abs(found - expected)).toBeLessThan(2e-10 * Math.max(Math.abs(expected), 1e-9))
}

// z, ln Phi(z), ln(phi(z) + z Phi(z)) and phi(z) / Phi(z), by arithmetic of 40 digits.
const known = [
  [-200, -20006.21728089819, -20011.515648259738, 200.00499975003123],
  [-38, -726.5572160188201, -730.1961834021138, 38.02627946657587],
  [-12, -75.4106730015688, -77.90910054500735, 12.082214175254284],
  [-5, -15.064998393988725, -16.74430116266099, 5.186503967125842],
  [-1.5, -2.7059444008238898, -3.52993592080571, 1.9386771666225433],
  [-1, -1.8410216450092636, -2.4851210257126413, 1.525135276160981],
  [-0.3, -0.9621028181688507, -1.3214012449190435, 0.9981659688584833],
  [0, -0.6931471805599453, -0.9189385332046728, 0.7978845608028654],
  [0.7, -0.2770239422771313, -0.17093141922474073, 0.41192475041929066],
  [2.5, -0.006229025485860002, 0.9170920655921645, 0.017637825486916735],
] as const

describe('the normal distribution', () => {
  test.each(known)('at %d has its known logarithms', (z, logBelow, logGain, slope) => {
    close(logProbabilityBelow(z), logBelow)
    close(logExpectedGain(z), logGain)
    close(slopeOfProbability(z), slope)
  })

  test.each([
    [0, 1],
    [0.1, 0.8964569799691267],
    [1, 0.427583576155807],
    [1.999, 0.25550251459057793],
    [2, 0.25539567631050575],
    [3.5, 0.1552936556088943],
    [30, 0.01879588886141675],
    [1000, 0.0005641893014533876],
  ])('has the scaled complement of the error function at %d', (x, expected) => {
    close(scaledComplement(x), expected)
  })

  test('is symmetric', () => {
    for (const z of [0, 0.1, 1, 2, 5]) expect(probabilityBelow(z) + probabilityBelow(-z)).toBe(1)
  })

  test('has slopes that are those of its logarithms', () => {
    for (const z of [-50, -20, -3, -1.2, -0.8, 0, 1, 3]) {
      const h = 1e-5
      const slopeOf = (f: (z: number) => number): number => (f(z + h) - f(z - h)) / (2 * h)
      expect(slopeOfGain(z, logExpectedGain(z))).toBeCloseTo(slopeOf(logExpectedGain), 4)
      expect(slopeOfProbability(z)).toBeCloseTo(slopeOf(logProbabilityBelow), 4)
    }
  })

  test('falls all the way down the tail, where the plain formula is 0', () => {
    const values = [-40, -100, -1e3, -9.9e3, -1.1e4, -1e6].map(logExpectedGain)
    values.forEach((each, i) => {
      expect(each).toBeGreaterThan(-Infinity)
      if (i > 0) expect(each).toBeLessThan(values[i - 1] as number)
    })
  })

  test('ln(1 + x) loses nothing for small x', () => {
    for (const x of [1e-300, 1e-17, 3e-9, 0.5, 1e5]) expect(logarithmOfOnePlus(x) / Math.log1p(x)).toBeCloseTo(1, 14)
    expect(logarithmOfOnePlus(0)).toBe(0)
  })
})
