import { expect, test } from 'vitest'
import { screenedRecord } from './screened-record.ts'
import type { Screened } from './screening.ts'

const skipped: Screened = {
  ...{ index: 4, title: 'four', label: 2, predicted: 7, target: null, status: 'skipped' },
  ...{ reason: 'misclassified before any attack, as class 7', modelCalls: 1 },
}

test('an image that was left out has no queries, no points and no pictures', () => {
  expect(screenedRecord(skipped)).toEqual({
    ...{ index: 4, title: 'four', label: 2, predicted: 7, target: null, status: 'skipped' },
    ...{ reason: 'misclassified before any attack, as class 7', queries: 0, modelCalls: 1 },
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
