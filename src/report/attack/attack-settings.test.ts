import { expect, test } from 'vitest'
import { attackRecord } from '../../../test/attacks/attack-record.ts'
import { limitsText, rateLine, settingRows } from './attack-settings.ts'

test.each([
  [{}, '11,001 queries per image, changes of any size (--linf, --l2 limit them)'],
  [{ problem: { name: 'unconstrained' } }, '11,001 queries per image, changes of any size'],
  [{ problem: { name: 'constrained', linf: 0.1 } }, '11,001 queries per image, changes of at most 0.1 (linf)'],
  [
    { problem: { name: 'constrained', linf: 0.1, l2: 2 }, universal: true, maxIterations: 1000 },
    '11,001 queries or 1,000 iterations in all, changes of at most 0.1 (linf) and 2 (l2)',
  ],
])('the limits of %o', (spec, text) => {
  const { record, rows } = { record: attackRecord({ maxQueries: 11001, ...spec }), rows: settingRows }
  expect(limitsText(record.spec)).toBe(text)
  expect(rows(record)).toContainEqual(['Within', text])
})

test('a learning rate that nobody gave is said, also the default of a method', () => {
  expect(rateLine({ name: 'zo-sgd', learningRate: 0.1 }, 'tuned for digits')).toBe(
    'learning rate 0.1 (tuned for digits)',
  )
  const source = 'left to zo-sgd itself'
  expect(rateLine({ name: 'zo-sgd' }, source)).toBe(`learning rate: ${source}`)
  expect(rateLine({ name: 'zo-sgd', learningRate: 0.1 }, 'given')).toBeUndefined()
  expect(rateLine({ name: 'none' }, 'none')).toBeUndefined()
  expect(settingRows({ ...attackRecord({ solver: { name: 'zo-sgd' } }), rateSource: source })).toContainEqual([
    'Learning rate',
    source,
  ])
})
