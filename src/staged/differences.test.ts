import { describe, expect, test } from 'vitest'
import type { Coordinates } from './coordinates.ts'
import { type Differences, differences } from './differences.ts'

const free = (dim: number): Coordinates => ({
  dim,
  bounds: undefined,
  typical: new Float64Array(dim).fill(1),
  round: (value) => value,
  unit: 2 ** -53,
})
const within = (lower: number[], upper: number[]): Coordinates => ({
  ...free(lower.length),
  bounds: { lower: Float64Array.from(lower), upper: Float64Array.from(upper) },
})

/** Runs differences; returns what they found and the points they asked. */
function measured(
  at: Coordinates,
  f: (x: Float64Array) => number,
  x: number[],
  how: { step: number; central: boolean; along?: number[] },
): Differences & { asked: number[][] } {
  const point = Float64Array.from(x)
  const running = differences(at, { x: point, value: f(point), step: () => how.step, ...pick(how) })
  const asked: number[][] = []
  let next = running.next()
  while (next.done !== true) {
    const { rows, write } = next.value
    const values = Float64Array.from({ length: rows }, (_, row) => {
      const into = new Float64Array(x.length)
      write(row, into, 0)
      asked.push([...into])
      return f(into)
    })
    next = running.next(values)
  }
  return { ...next.value, asked }
}

function pick({ central, along }: { central: boolean; along?: number[] }): { central: boolean; along?: number[] } {
  return along === undefined ? { central } : { central, along }
}

const parabola = ([a = 0, b = 0]: Float64Array): number => 3 * a * a + b

describe('differences', () => {
  test('on one side are one query per coordinate', () => {
    const { slopes, curvatures, asked, ahead, steps, reached } = measured(free(2), parabola, [1, 2], {
      step: 0.5,
      central: false,
    })
    expect(asked).toEqual([
      [1.5, 2],
      [1, 2.5],
    ])
    expect([...slopes, ...curvatures]).toEqual([7.5, 1, 0, 0])
    expect([...ahead, ...steps, ...reached]).toEqual([8.75, 5.5, 0.5, 0.5, 1.5, 2.5])
  })

  test('on both sides are exact for a parabola', () => {
    const { slopes, curvatures, asked } = measured(free(2), parabola, [1, 2], { step: 0.5, central: true })
    expect(asked).toHaveLength(4)
    expect([...slopes, ...curvatures]).toEqual([6, 1, 6, 0])
  })

  test('ask only about the coordinates that they are told', () => {
    const { slopes, asked } = measured(free(2), parabola, [1, 2], { step: 0.5, central: false, along: [1] })
    expect(asked).toEqual([[1, 2.5]])
    expect([...slopes]).toEqual([1])
  })

  test('turn inwards at a bound, with both points of a pair there, and are still exact for a parabola', () => {
    const { slopes, curvatures, asked } = measured(within([0, 0], [1, 9]), parabola, [1, 0], {
      step: 0.25,
      central: true,
    })
    expect(asked.map(([a]) => a)).toEqual([0.75, 0.875, 1, 1])
    expect(asked.map(([, b]) => b)).toEqual([0, 0, 0.25, 0.125])
    expect([...slopes, ...curvatures]).toEqual([6, 1, 6, 0])
  })

  test('are at most a quarter of the width of the box', () => {
    const { asked } = measured(within([0, 0], [1, 9]), parabola, [0.5, 1], { step: 4, central: false })
    expect(asked).toEqual([
      [0.75, 1],
      [0.5, 3.25],
    ])
  })

  test('do not ask about a coordinate that cannot move', () => {
    const { slopes, asked, reached } = measured(within([1, 0], [1, 9]), parabola, [1, 2], { step: 0.5, central: true })
    expect(asked.every(([a]) => a === 1)).toBe(true)
    expect([...slopes]).toEqual([0, 1])
    expect(reached[0]).toBe(1)
    expect(measured(within([1, 2], [1, 2]), parabola, [1, 2], { step: 0.5, central: true }).asked).toEqual([])
  })

  test('take the other side where one failed, and 0 where both did', () => {
    const cut = (x: Float64Array): number => ((x[0] as number) > 1 ? Number.NaN : parabola(x))
    expect([...measured(free(2), cut, [1, 2], { step: 0.5, central: true }).slopes]).toEqual([4.5, 1])
    const lost = (x: Float64Array): number => (x[0] === 1 ? parabola(x) : Number.NaN)
    expect([...measured(free(2), lost, [1, 2], { step: 0.5, central: true }).slopes]).toEqual([0, 1])
  })
})
