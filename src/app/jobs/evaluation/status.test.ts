import { expect, test } from 'vitest'
import { imageRecord } from '../../../../test/attacks/image-record.ts'
import { type ImageRecord, summarizeAttack } from '../../../robustness/index.ts'
import { judgementsOf, verdictOf } from './status.ts'

const nothing = { first: null, best: null, success8bit: null, saved: null }
const robust = imageRecord({ ...nothing, status: 'robust' })
const untried = imageRecord({ ...nothing, status: 'robust', final: { ...robust.final, iteration: 0 } as never })
const skipped = imageRecord({ ...nothing, status: 'skipped', predicted: 5, final: null })
const unread = imageRecord({ ...nothing, status: 'failed', predicted: null, final: null })
const silent = imageRecord({ ...nothing, status: 'failed', final: null })
const fooled = imageRecord()

const verdict = (failUnder: number | undefined, images: readonly ImageRecord[]) => {
  const summary = summarizeAttack(images, { lambda: 10, kappa: 0 })
  return verdictOf(failUnder === undefined ? {} : { failUnder }, { summary, images, universal: null, warnings: [] })
}

test.each<[string, number, ImageRecord[], object]>([
  ['all is measured, and enough', 0.5, [robust, fooled], { kind: 'met' }],
  ['all is measured, and too little', 0.6, [robust, fooled], { kind: 'below' }],
  [
    'one could not be read',
    0.5,
    [robust, fooled, unread],
    { kind: 'unjudged', why: '1 of 3 images could not be measured' },
  ],
  [
    'attacks broke down',
    0.3,
    [robust, fooled, silent, silent],
    { kind: 'unjudged', why: '2 of 4 images could not be measured' },
  ],
  ['enough, whatever the failed one is', 0.3, [robust, fooled, unread], { kind: 'met' }],
  ['too little, whatever the failed one is', 0.7, [robust, fooled, unread], { kind: 'below' }],
  ['too little, whatever the silent one is', 0.7, [robust, fooled, silent], { kind: 'below' }],
  ['nothing was attacked', 0, [skipped], { kind: 'unjudged', why: 'no image was attacked' }],
  ['nothing was attacked, and the model is never right', 0.1, [skipped], { kind: 'below' }],
  ['nothing was tried', 0.5, [untried, untried], { kind: 'unjudged', why: 'no attack made a single iteration' }],
  ['everything failed', 0.5, [unread, unread], { kind: 'unjudged', why: '2 of 2 images could not be measured' }],
  ['there is nothing', 0.5, [], { kind: 'unjudged', why: 'no image was attacked' }],
])('%s', (_, failUnder, images, expected) => {
  expect(verdict(failUnder, images)).toEqual({ failUnder, ...expected })
})

test('where nothing is demanded there is no verdict', () => {
  expect(verdict(undefined, [unread])).toBeUndefined()
})

const within = (small: ImageRecord['status'], large: ImageRecord['status']): ImageRecord => ({
  ...(large === 'robust' ? robust : fooled),
  status: large,
  limits: [
    { linf: 0.2, status: large, from: 'attack', queries: 9, success: null },
    { linf: 0.1, status: small, from: 'attack', queries: 9, success: null },
  ],
})

test('of several limits each is judged by its own demand, and the worst counts', () => {
  const images = [within('robust', 'fooled'), within('robust', 'robust')]
  const summary = summarizeAttack(images, { lambda: 10, kappa: 0, limits: [{ linf: 0.2 }, { linf: 0.1 }] })
  const report = { summary, images, universal: null, warnings: [] }
  const judged = (failUnder: number | number[]) =>
    judgementsOf({ failUnder }, report).map(({ limit, robustAccuracy, verdict }) => [
      limit?.linf,
      robustAccuracy,
      verdict.kind,
    ])
  expect(judged([1, 0.6])).toEqual([
    [0.1, 1, 'met'],
    [0.2, 0.5, 'below'],
  ])
  expect(judged(0.5)).toEqual([[0.2, 0.5, 'met']])
  expect(verdictOf({ failUnder: [1, 0.6] }, report)).toEqual({ kind: 'below', failUnder: 0.6 })
  expect(verdictOf({ failUnder: [1, 0.5] }, report)?.kind).toBe('met')
})
