import { describe, expect, test } from 'vitest'
import { CurveRecorder } from './curve.ts'
import type { AttackCurve, AttackPoint } from './records.ts'

const point = (iteration: number, changes: Partial<AttackPoint> = {}): AttackPoint => ({
  ...{
    iteration,
    queries: 11 * iteration + 1,
    margin: 100 - iteration,
    l2sq: iteration / 8,
    l2: 0,
    linf: iteration / 16,
  },
  ...{ predicted: 3, fooled: iteration >= 100 },
  ...changes,
})

function recorded(iterations: Iterable<number>): AttackCurve {
  const recorder = new CurveRecorder()
  for (const iteration of iterations) recorder.add([point(iteration)], 2)
  return recorder.columns()
}

const upTo = (last: number) => Array.from({ length: last + 1 }, (_, i) => i)

describe('a curve', () => {
  test('of nothing has empty columns', () => {
    expect(new CurveRecorder().columns()).toEqual({
      iteration: [],
      queries: [],
      loss: [],
      l2sq: [],
      linf: [],
      fooled: [],
    })
  })

  test('of a short attack has every point, the loss cut off at -kappa', () => {
    const curve = recorded([98, 99, 100, 101, 102, 103])
    expect(curve).toEqual({
      iteration: [98, 99, 100, 101, 102, 103],
      queries: [1079, 1090, 1101, 1112, 1123, 1134],
      loss: [2, 1, 0, -1, -2, -2],
      l2sq: [12.25, 12.375, 12.5, 12.625, 12.75, 12.875],
      linf: [6.125, 6.1875, 6.25, 6.3125, 6.375, 6.4375],
      fooled: [0, 0, 1, 1, 1, 1],
    })
  })

  test('keeps all of 512 points and every second of 513', () => {
    expect(recorded(upTo(511)).iteration).toEqual(upTo(511))
    expect(recorded(upTo(512)).iteration).toEqual(upTo(256).map((i) => 2 * i))
  })

  test('has its last point, whether its turn it is or not', () => {
    expect(recorded(upTo(513)).iteration.slice(-3)).toEqual([510, 512, 513])
    expect(recorded(upTo(514)).iteration.slice(-3)).toEqual([510, 512, 514])
  })

  test.each([1000, 12_345, 40_000])('of %i iterations is evenly spaced, with 257 to 513 points', (last) => {
    const { iteration, queries } = recorded(upTo(last))
    const spacing = iteration[1] as number
    expect(iteration.length).toBeGreaterThan(256)
    expect(iteration.length).toBeLessThanOrEqual(513)
    expect(iteration.slice(0, -1)).toEqual(iteration.slice(0, -1).map((_, i) => i * spacing))
    expect(iteration.at(-1)).toBe(last)
    expect(last - (iteration.at(-2) as number)).toBeLessThanOrEqual(spacing)
    expect(queries).toEqual(iteration.map((each) => 11 * each + 1))
  })

  test('of 40,000 iterations has a point every 128', () => {
    expect(recorded(upTo(40_000)).iteration).toEqual([...upTo(312).map((i) => 128 * i), 40_000])
  })

  test('has a gap where points could not be evaluated', () => {
    expect(recorded([0, 1, 5, 6]).iteration).toEqual([0, 1, 5, 6])
  })

  test('can be read on the way and goes on as if it had not been', () => {
    const recorder = new CurveRecorder()
    for (const i of upTo(600)) {
      recorder.add([point(i)], 0)
      recorder.columns()
    }
    expect(recorder.columns().iteration).toEqual(recorded(upTo(600)).iteration)
  })
})

test('a point of several images is their mean, the largest change, and the share that is fooled', () => {
  const recorder = new CurveRecorder()
  const images = [
    point(7, { margin: 3, l2sq: 1, linf: 0.1, fooled: false }),
    point(7, { margin: -5, l2sq: 2, linf: 0.3, fooled: true }),
    point(7, { margin: -0.5, l2sq: 6, linf: 0.2, fooled: true }),
    point(7, { margin: 1, l2sq: 3, linf: 0.25, fooled: false }),
  ]
  recorder.add(images, 1)
  // The losses are 3, -1, -0.5 and 1.
  expect(recorder.columns()).toEqual({
    ...{ iteration: [7], queries: [78], loss: [0.625], l2sq: [3], linf: [0.3], fooled: [0.5] },
  })
})
