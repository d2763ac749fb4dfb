import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSameEnd } from '../end-to-end/kill-points.ts'
import { makeSubjects, objectiveKinds, type Subjects } from '../end-to-end/kill-subjects.ts'
import { killedTuning } from '../end-to-end/killed-tuning.ts'

let subjects: Subjects
beforeAll(async () => {
  subjects = await makeSubjects()
})
afterAll(() => subjects.close())

describe.concurrent('runs that are killed at 200 random moments end with the bits of one that is not', () => {
  test.each(objectiveKinds)('%s', async (kind) => {
    expect(await expectSameEnd(subjects.kinds[kind], 200, 11)).toBe(200)
  })
})

test('tunings with several settings under way, killed 50 times, measure nothing twice, lose nothing, and are replayed', async () => {
  let all = 0
  for (let seed = 1; all < 50; seed++) {
    const { kills, hash, ...rest } = await killedTuning(Math.min(8, 50 - all), seed)
    expect(kills).toBeGreaterThan(0)
    expect(rest).toEqual({ repeated: 0, lost: 0, tried: 24, replayed: hash, measuredAgain: 0 })
    all += kills
  }
  expect(all).toBe(50)
})
