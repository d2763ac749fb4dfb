import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSameEnd } from './kill-points.ts'
import { makeSubjects, objectiveKinds, type Subjects } from './kill-subjects.ts'
import { killedTuning } from './killed-tuning.ts'

// dist is built before these tests start: see scripts/build-if-stale.ts. More kills: test/long/kill.test.ts.

let subjects: Subjects
beforeAll(async () => {
  subjects = await makeSubjects()
})
afterAll(() => subjects.close())

describe.concurrent('runs that are killed at 3 random moments end with the bits of one that is not', () => {
  test.each(objectiveKinds)('%s', async (kind) => {
    expect(await expectSameEnd(subjects.kinds[kind], 3, 7)).toBe(3)
  })
})

test('a tuning with several settings under way, killed 4 times, measures nothing twice, loses nothing, and is replayed', async () => {
  const { kills, hash, ...rest } = await killedTuning(4, 1)
  expect(kills).toBeGreaterThan(0)
  expect(rest).toEqual({ repeated: 0, lost: 0, tried: 24, replayed: hash, measuredAgain: 0 })
})
