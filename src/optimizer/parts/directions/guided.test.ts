import { describe, expect, test } from 'vitest'
import { beginning } from '../../../../test/conformance/directions.ts'
import { points } from '../../core/answers.ts'
import { decodeCheckpoint, encodeCheckpoint } from '../../core/checkpoint.ts'
import { restoreMemory, saveMemory } from '../../core/part.ts'
import { createSession, type Session } from '../../core/session.ts'
import type { Directions, DirectionsState, Precision } from '../../core/types.ts'
import { descent } from '../../methods/descent.ts'
import { dct } from '../bases/dct.ts'
import { forward } from '../estimators/differences.ts'
import { plain } from '../steps/basic.ts'
import { gaussian, sphere } from './basic.ts'
import { guided, StepHistory } from './guided.ts'
import { orthogonal } from './orthogonal.ts'
import { subspace } from './subspace.ts'

describe('guided', () => {
  const dim = 6
  const at = beginning(dim)

  /** The direction of one row. */
  function direction(rows: DirectionsState, iteration: number, row: number): Float64Array {
    const u = new Float64Array(dim)
    rows.write(new Float64Array(dim), 1, { seed: 2, iteration }, row, u, 0)
    return u
  }

  /** Directions of a run that has moved along the first coordinate, then along the second. */
  function moved(directions: Directions): DirectionsState {
    const rows = directions.start(at, 3)
    for (const x of [
      [0, 0, 0, 0, 0, 0],
      [3, 0, 0, 0, 0, 0],
      [3, -2, 0, 0, 0, 0],
    ]) {
      rows.learn?.(Float64Array.from(x), 1)
    }
    return rows
  }

  test.each<[string, Directions, number]>([
    ['unit vectors', sphere(), dim],
    ['orthogonal unit vectors', orthogonal(), dim],
    ['normals', gaussian(), 1],
  ])('E[factor u u^T] is (1 - share) I + share d/k Q Q^T around %s', (_, within, factor) => {
    const share = 0.3
    const rows = moved(guided({ within, share }))
    expect(rows.factor).toBe(factor)
    const mean = new Float64Array(dim * dim)
    const iterations = 8000
    for (let iteration = 1; iteration <= iterations; iteration++) {
      const u = direction(rows, iteration, iteration % 3)
      mean.forEach((each, k) => {
        mean[k] = each + (factor * (u[Math.floor(k / dim)] as number) * (u[k % dim] as number)) / iterations
      })
    }
    mean.forEach((each, k) => {
      const [i, j] = [Math.floor(k / dim), k % dim]
      const inSpan = i === j && i < 2 ? (share * dim) / 2 : 0
      expect(Math.abs(each - (i === j ? 1 - share : 0) - inSpan)).toBeLessThan(0.12)
    })
  })

  test('leaves the directions as they are before the first step, and always where the share is 0', () => {
    const plainRows = sphere().start(at, 3)
    const fresh = guided().start(at, 3)
    fresh.learn?.(at.start, 1)
    const none = moved(guided({ share: 0 }))
    for (let row = 0; row < 3; row++) {
      expect(direction(fresh, 4, row)).toEqual(direction(plainRows, 4, row))
      expect(direction(none, 4, row)).toEqual(direction(plainRows, 4, row))
      expect(direction(moved(guided()), 4, row)).not.toEqual(direction(plainRows, 4, row))
    }
  })

  /** Normals, which have any length, with a way to add them up. */
  const summedNormals: Directions = {
    start(given, count) {
      const rows = gaussian().start(given, count)
      return {
        ...rows,
        combine(scale, key, weights, gradient) {
          weights.forEach((weight, row) => {
            rows.accumulate?.(new Float64Array(dim), 1, key, row, scale * weight, false, gradient)
          })
        },
      }
    },
  }

  test.each([
    ['of one length', orthogonal()],
    ['of any length', summedNormals],
  ])('adds up directions %s in one go where those inside can, leaning included', (_, within) => {
    const rows = moved(guided({ within, share: 0.8 }))
    const weights = Float64Array.of(2, 0, -1)
    const sum = new Float64Array(dim)
    for (const row of [0, 1, 2]) direction(rows, 6, row)
    rows.combine?.(0.5, { seed: 2, iteration: 7 }, weights, sum)
    const expected = new Float64Array(dim)
    weights.forEach((weight, row) => {
      direction(rows, 7, row).forEach((each, i) => {
        expected[i] = (expected[i] as number) + 0.5 * weight * each
      })
    })
    sum.forEach((each, i) => expect(Math.abs(each - (expected[i] as number))).toBeLessThan(1e-14))
    expect(moved(guided()).combine).toBeUndefined()
  })

  describe.each<Precision>(['float64', 'float32'])('in %s', (precision) => {
    const open = (along: Directions, resume?: ReturnType<Session['checkpoint']>): Session =>
      createSession(new Array(16).fill(1), {
        solver: descent({
          estimator: forward({ along, directions: 2, smoothing: 1e-2 }),
          step: plain(),
          learningRate: { value: 0.01, decay: 'none' },
        }),
        shape: { channels: 1, height: 4, width: 4 },
        precision,
        maxIterations: 25,
        ...(resume && { resume }),
      })
    const f = (x: ArrayLike<number>): number => Array.from(x).reduce((sum, each, i) => sum + (each - (i % 3)) ** 2, 0)
    const finish = (session: Session, told: () => void = () => undefined) => {
      while (session.outcome === undefined) {
        session.tell(points(session.ask()).map(f))
        told()
      }
      return session.outcome
    }

    test.each<[string, () => Directions]>([
      ['on the sphere', () => guided({ memory: 3 })],
      ['in a subspace that grows', () => guided({ within: subspace({ basis: dct({ size: 1 }), growAfter: 3 }) })],
    ])('a run goes on from a checkpoint of every iteration with the same bits %s', (_, along) => {
      const whole = open(along())
      const saved = [whole.checkpoint()]
      const outcome = finish(whole, () => saved.push(whole.checkpoint()))
      for (const checkpoint of saved.filter((_, i) => i % 5 < 2)) {
        expect(finish(open(along(), decodeCheckpoint(encodeCheckpoint(checkpoint))))).toEqual(outcome)
      }
      expect(outcome).not.toEqual(finish(open(sphere())))
    })
  })

  test('a share of 1 would never look elsewhere', () => {
    expect(() => guided({ share: 1 })).toThrow('guided.share must be below 1, got 1')
  })
})

describe('step history', () => {
  /** The basis of a history, vector by vector. */
  function basisOf(history: StepHistory, dim: number): number[][] {
    return Array.from({ length: history.size }, (_, j) => {
      const into = new Float64Array(dim)
      history.add(
        Float64Array.from({ length: 9 }, (_, i) => (i === j ? 1 : 0)),
        into,
      )
      return Array.from(into)
    })
  }

  describe.each<Precision>(['float64', 'float32'])('in %s', (precision) => {
    const open = (most: number) => {
      const at = beginning(3, { precision })
      const history = new StepHistory(at, most)
      return { history, tell: (...x: number[]) => history.learn(Float64Array.from(x)) }
    }

    test('one point is no step', () => {
      const { history, tell } = open(2)
      expect(history.size).toBe(0)
      tell(1, 2, 3)
      expect(history.size).toBe(0)
    })

    test('has the latest steps, the latest first, and forgets the oldest', () => {
      const { history, tell } = open(2)
      tell(0, 0, 0)
      tell(2, 0, 0)
      expect(basisOf(history, 3)).toEqual([[1, 0, 0]])
      tell(2, 0, -4)
      expect(basisOf(history, 3)).toEqual([
        [0, 0, -1],
        [1, 0, 0],
      ])
      tell(2, 0.5, -4)
      expect(basisOf(history, 3)).toEqual([
        [0, 1, 0],
        [0, 0, -1],
      ])
    })

    test('staying put is no step, and a step along later ones adds nothing', () => {
      const { history, tell } = open(4)
      for (const x of [0, 1, 1, 2, 2]) tell(x, 0, 0)
      expect(basisOf(history, 3)).toEqual([[1, 0, 0]])
      expect(history.memory.state?.kept).toBe(2)
    })

    test('its memory is all there is', () => {
      const whole = open(2)
      let current = open(2)
      for (let t = 0; t < 8; t++) {
        const next = open(2)
        restoreMemory(next.history.memory, saveMemory(current.history.memory))
        current = next
        expect(basisOf(current.history, 3)).toEqual(basisOf(whole.history, 3))
        for (const { tell } of [whole, current]) tell(Math.sin(t), Math.cos(2 * t), t * t)
      }
      expect(whole.history.size).toBe(2)
    })
  })
})
