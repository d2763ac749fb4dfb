import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSameEnd } from '../end-to-end/kill-points.ts'
import { makeSubjects, objectiveKinds, type Subjects } from '../end-to-end/kill-subjects.ts'

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
