import { describe, expect, test } from 'vitest'
import { delayed, threshold } from '../../test/attacks/fake-model.ts'
import { zoAdaMM, zoSMD } from '../optimizer/methods/presets.ts'
import { minimize } from '../optimizer/minimize/minimize.ts'
import { entropy } from '../optimizer/parts/mirrors/mirrors.ts'
import { attackProblem } from './attack-problem.ts'
import { type AttackControl, driveAttack, screenedRecord } from './attack-task.ts'
import type { Model } from './models/model.ts'
import type { ScreenedImage } from './screening.ts'

const image = { pixels: Float32Array.from([0.25, 0.5]), label: 0 }
const place = { index: 3, title: 'three' }
const problemOf = (model: Model = threshold([1, 1], 1)) => attackProblem(model, [image])

async function drive(
  problem: ReturnType<typeof problemOf>,
  options: object = {},
  control: Partial<AttackControl> = {},
) {
  const session = { solver: zoAdaMM(), set: problem.set, seed: 2, maxIterations: 12, ...options }
  return driveAttack(problem, session, place, { onIteration: () => undefined, ...control })
}

describe('an attack in memory', () => {
  test('goes the way minimize goes', async () => {
    const [driven, plain] = [problemOf(), problemOf()]
    expect(await drive(driven)).toEqual({ status: 'finished', stopReason: 'max-iterations', error: undefined })
    await minimize(plain.objective, plain.start, { solver: zoAdaMM(), set: plain.set, seed: 2, maxIterations: 12 })
    expect(driven.account.curve()).toEqual(plain.account.curve())
    expect(driven.account.queries).toBe(133)
  })

  test('says after each iteration that it is complete, also where the model is slow', async () => {
    for (const model of [threshold([1, 1], 1), delayed(threshold([1, 1], 1))]) {
      const problem = problemOf(model)
      const seen: number[] = []
      const onIteration = () => void seen.push(problem.account.queries)
      await drive(problem, {}, { onIteration })
      expect(seen).toEqual(Array.from({ length: 12 }, (_, i) => 11 * (i + 1)))
    }
  })

  test('ends where it is told to, without another query', async () => {
    const problem = problemOf()
    let iterations = 0
    const end = await drive(problem, {}, { onIteration: () => (++iterations === 5 ? 'stop' : undefined) })
    expect(end).toMatchObject({ status: 'finished', stopReason: 'callback' })
    expect(problem.account.queries).toBe(55)
  })

  test('that is stopped says so', async () => {
    const controller = new AbortController()
    const problem = problemOf()
    const onIteration = () => void (problem.account.queries === 33 && controller.abort())
    const end = await drive(problem, {}, { signal: controller.signal, onIteration })
    expect(end).toMatchObject({ status: 'aborted', stopReason: 'aborted' })
    expect(problem.account.queries).toBe(33)
  })

  test('that is not to go on with failed queries says which one failed', async () => {
    const model = threshold([1, 1], 1, {
      predict() {
        throw new Error('out of order')
      },
    })
    const end = await drive(problemOf(model), { failures: 'stop' })
    expect(end).toMatchObject({ status: 'failed', stopReason: 'objective-failed' })
    expect((end.error as Error).message).toContain('iteration 1, row 0 of 11): Error: out of order')
  })

  test('whose solver does not fit its problem rejects', async () => {
    await expect(drive(problemOf(), { solver: zoSMD({ mirror: entropy() }) })).rejects.toThrow('entropy')
  })
})

const skipped: ScreenedImage = {
  ...{ index: 4, title: 'four', label: 2, predicted: 7, target: null, status: 'skipped' },
  ...{ reason: 'already misclassified as class 7', modelCalls: 1 },
}

test('an image that was left out has no queries, no points and no pictures', () => {
  expect(screenedRecord(skipped)).toEqual({
    ...{ index: 4, title: 'four', label: 2, predicted: 7, target: null, status: 'skipped' },
    ...{
      reason: 'already misclassified as class 7',
      queries: 0,
      modelCalls: 1,
      failedQueries: 0,
      retries: 0,
    },
    ...{ first: null, best: null, final: null, success8bit: null, saved: null, files: null },
    ...{ stopReason: null, curve: null },
  })
})

test.each(['failed', 'attacked'] as const)(
  'an image that is %s counts as failed as long as nothing else is known',
  (status) => {
    expect(screenedRecord({ ...skipped, status }).status).toBe('failed')
  },
)
