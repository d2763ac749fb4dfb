import { expect, test } from 'vitest'
import { lookedRecord } from './looked-record.ts'
import type { Looked } from './survey.ts'

const skipped: Looked = {
  ...{ index: 4, title: 'four', label: 2, predicted: 7, target: null, standing: 'skipped' },
  ...{ reason: 'misclassified before any attack, as class 7', modelCalls: 1 },
}

test('an image that was left out has no queries, no points and no pictures', () => {
  expect(lookedRecord(skipped)).toEqual({
    ...{ index: 4, title: 'four', label: 2, predicted: 7, target: null, status: 'skipped' },
    ...{ reason: 'misclassified before any attack, as class 7', queries: 0, modelCalls: 1 },
    ...{ first: null, best: null, final: null, success8bit: null, saved: null, files: null },
    ...{ stopReason: null, curve: null },
  })
})

test.each(['failed', 'attacked'] as const)(
  'an image that is %s counts as failed as long as nothing else is known',
  (standing) => {
    expect(lookedRecord({ ...skipped, standing }).status).toBe('failed')
  },
)
