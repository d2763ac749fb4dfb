import { expect, test } from 'vitest'
import { makeBegin } from '../core/begin.ts'
import { parseOptions } from '../core/parse-options.ts'
import { sessionOptions } from '../core/session-table.ts'
import { l2Ball } from '../sets/l2-ball.ts'
import { simba } from '../solvers/simba.ts'
import { withinSet } from '../solvers/within-set.ts'
import { onlyPoint, type Stage, type StagedMethod } from './staged-search.ts'
import { throughProjection } from './through-projection.ts'

test('a method asks about projections, keeps its own point, and shows that of the set', () => {
  const at = makeBegin(
    [0, 0],
    parseOptions('session', sessionOptions, { solver: simba(), set: l2Ball({ radius: 1 }) }),
    () => undefined,
  )
  const own = Float64Array.of(3, 4)
  const told: number[] = []
  const method: StagedMethod = {
    point: own,
    memory: { vectors: { own } },
    noisy: true,
    stages: {
      *start(): Stage {
        told.push((yield onlyPoint(own))[0] as number)
        own[0] = 0
        return 'converged'
      },
    },
  }
  const inside = throughProjection(at, method, withinSet(at))
  const stage = inside.stages.start?.({ seed: 0, iteration: 0 })
  const into = new Float64Array(3)
  const first = stage?.next()
  if (first?.done !== false) throw new Error('nothing was asked')
  first.value.write(0, into, 1)
  expect(into[1]).toBeCloseTo(0.6, 12)
  expect(into[2]).toBeCloseTo(0.8, 12)
  expect(stage?.next(Float64Array.of(7))).toEqual({ done: true, value: 'converged' })
  expect(told).toEqual([7])
  expect([...own]).toEqual([0, 4])
  expect(inside.point[1]).toBeCloseTo(1, 12)
  expect(inside.memory).toBe(method.memory)
  expect(inside.noisy).toBe(true)
})
