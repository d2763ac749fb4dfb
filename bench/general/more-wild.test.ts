import { describe, expect, it } from 'vitest'
import { moreWild } from './more-wild.ts'

/** f(x0) and the lowest value known of the 53 problems, as published and computed again independently. */
const published: readonly (readonly [initial: number, best: number])[] = [
  [72, 36],
  [1125, 36],
  [11654195, 8.38028169],
  [1168591235, 8.38028169],
  [4989195, 9.880597015],
  [500935635, 9.880597015],
  [24.2, 0],
  [1795769, 0],
  [2500, 0],
  [10600, 0],
  [215, 0],
  [1615400, 0],
  [400.5, 48.98425367924],
  [154575360, 48.98425367924],
  [41.68169586, 0.008214877307],
  [1306.23355, 0.008214877307],
  [0.005313172272, 0.0003075056038],
  [1693607809, 87.94585517],
  [16.43083118, 0.002287670054],
  [2323367.372, 0.002287670054],
  [26.90416602, 1.399760138e-6],
  [8158876.625, 1.399760138e-6],
  [73.67820525, 4.72238110589e-10],
  [20593837.27, 4.72238110589e-10],
  [1031.153811, 0],
  [4171.306162, 124.3621824],
  [7926693.337, 85822.20163],
  [3.081064285e11, 85822.20163],
  [0.0464281723, 0],
  [0.03377063846, 0],
  [0.03861769829, 0.003516873726],
  [0.02888298029, 0],
  [0.03376326546, 0.0065039548],
  [0.02674060326, 0.002799761552],
  [273.2480478, 0],
  [16.17411254, 5.464894697e-5],
  [2.093419514, 0.04013773629],
  [199.684679, 0.617],
  [904, 10.23897342],
  [1356, 18.28116175],
  [1582, 22.26059173],
  [1808, 26.2727664],
  [56.5, 0],
  [70.5625, 0],
  [98.6875, 0],
  [2539084359, 0],
  [6.87379526e12, 0],
  [3367961146, 0],
  [3735127013, 0],
  [3991072354, 0],
  [1.130014998e13, 0],
  [9.385672311, 0],
  [3.365815072e10, 0],
]

describe('the problems of Moré and Wild', () => {
  const problems = moreWild()

  it.each(problems.map((each, i) => [each.name, each, published[i] as readonly [number, number]] as const))(
    '%s has the published value at its start',
    (_, { initial, best }, [start, lowest]) => {
      expect(Math.abs(initial / start - 1)).toBeLessThan(1e-9)
      expect(Math.abs(best - lowest)).toBeLessThanOrEqual(2e-9 * Math.abs(lowest))
    },
  )

  it('are 53 of 2 to 12 variables, with budgets of 500 (d + 1) queries', () => {
    expect(problems).toHaveLength(53)
    expect(new Set(problems.map(({ start }) => start.length))).toEqual(new Set([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]))
    expect(problems.every(({ budget, start }) => budget === 500 * (start.length + 1))).toBe(true)
  })

  it('reach the lowest value where the minimiser is known', () => {
    const value = (name: string, x: readonly number[]): number | undefined =>
      problems.find((each) => each.name.endsWith(name))?.value(Float64Array.from(x))
    expect(value('rosenbrock-2', [1, 1])).toBe(0)
    expect(value('helical-3', [1, 0, 0])).toBe(0)
    expect(value('freudroth-2', [5, 4])).toBe(0)
    expect(value('freudroth-2', [11.412778986902, -0.896805253274])).toBeCloseTo(48.98425367924, 8)
    expect(value('box3d-3', [1, 10, 1])).toBeCloseTo(0, 25)
    expect(value('cube-8', Array(8).fill(1))).toBe(0)
    expect(value('brownal-10', Array(10).fill(1))).toBe(0)
    expect(value('jennrich-2', [0.25782521367, 0.25782521367])).toBeCloseTo(124.36218235561, 8)
  })

  it('answers overflow with a large finite number', () => {
    expect(problems[25]?.value(Float64Array.of(1e3, 1e3))).toBe(1e100)
    expect(problems[14]?.value(Float64Array.of(1, 0, 0))).toBe(1e100)
  })

  it('carries noise of a thousandth of the value, or of the way from the start to the best', () => {
    expect(moreWild('multiplicative')[0]?.noise).toEqual({ kind: 'multiplicative', level: 1e-3 })
    expect(moreWild('additive')[0]?.noise?.level).toBeCloseTo(1e-3 * (72 - 36), 12)
  })
})
