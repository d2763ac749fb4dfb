import { expect, test } from 'vitest'
import { budgetText } from '../../report/attack/settings.ts'
import type { JobDetail, JobView } from '../api.ts'
import {
  amountText,
  attackLimit,
  countedText,
  doneShare,
  itemStatus,
  numberText,
  queriesText,
  rateText,
  resultNote,
  resultText,
  stopText,
  timeText,
  trueClass,
  valueText,
  whyUnranked,
} from './text.ts'

const row: JobView = { id: 'a-1', name: 'a', kind: 'run', state: 'running', about: '' }

test('only a picture whose saved file fools the model is called fooled, and none robust for not being fooled', () => {
  expect(itemStatus({ status: 'fooled', holdsInBytes: true })).toEqual({ word: 'fooled', look: 'bad' })
  expect(itemStatus({ status: 'fooled', holdsInBytes: false })).toEqual({
    word: 'fooled, not as 8-bit file',
    look: 'warn',
  })
  expect(itemStatus({ status: 'robust' })).toEqual({ word: 'robust', look: 'good' })
})

test('how much is done is told by queries or by items, and not at all where there is no limit', () => {
  expect(doneShare({ ...row, queries: 50, maxQueries: 200 })).toBe(0.25)
  expect(doneShare({ ...row, queries: 300, maxQueries: 200 })).toBe(1)
  expect(doneShare({ ...row, queries: 50 })).toBeUndefined()
  expect(doneShare({ ...row, kind: 'series', items: { done: 1, total: 4 }, queries: 9, maxQueries: 10 })).toBe(0.25)
  expect(doneShare({ ...row, state: 'finished', queries: 50, maxQueries: 200 })).toBe(1)
})

test('what is not known is a dash', () => {
  for (const value of [null, undefined, Number.NaN, Infinity]) {
    expect([valueText(value), timeText(value), rateText(value)]).toEqual(['–', '–', '–'])
  }
  expect(resultText({ ...row, kind: 'evaluation' })).toBe('–')
})

test('an image whose name is not its number in the attack says both', () => {
  expect(numberText({ title: '40', index: 0 })).toBe('It is number 0 of this attack, counted from 0.')
  expect(numberText({ title: '0', index: 0 })).toBe('')
  expect(numberText({ title: 'cat.png', index: 3 })).toBe('')
})

test('why a run ended is said in the words of the reports; a message of a failure as it is', () => {
  expect(stopText('aborted')).toBe('interrupted')
  expect(stopText('objective-failed')).toBe('the objective failed')
  expect(stopText('Error: the pump is dry')).toBe('Error: the pump is dry')
  expect(stopText(undefined)).toBe('–')
})

test('amounts are in the units of the kind of work', () => {
  expect(amountText({ ...row, queries: 1234, maxQueries: 5000 })).toBe('1,234 of 5,000')
  expect(amountText({ ...row, kind: 'evaluation', items: { done: 3, total: 12 } })).toBe('3 of 12 images')
  expect(resultText({ ...row, kind: 'evaluation', items: { done: 3, total: 12, fooled: 2 } })).toBe('2 fooled')
  expect(resultText({ ...row, kind: 'evaluation', robustAccuracy: 0.25 })).toBe('25\u00a0% robust')
  expect([countedText(1, 'image'), countedText(2, 'image')]).toEqual(['1 image', '2 images'])
  expect([queriesText(1), queriesText(292)]).toEqual(['1 query', '292 queries'])
  expect(rateText(1234.5)).toBe('1,235/s')
  expect(timeText(83_000)).toBe('1 min 23 s')
})

test('several runs show their median or the mean of the best setting, and say so; never the luckiest run alone', () => {
  const series: JobView = { ...row, kind: 'series', best: 7.09, value: 12.5, items: { done: 5, total: 5 } }
  expect([resultText(series), resultNote(series)]).toEqual(['12.5', 'median of 5 runs'])
  const tuning: JobView = { ...row, kind: 'tuning', best: 3.43, value: 3.96, setting: 'learningRate 0.3' }
  expect([resultText(tuning), resultNote(tuning)]).toEqual(['3.96', 'mean with learningRate 0.3'])
  const begun = { ...series, value: undefined }
  expect([resultText(begun), resultNote(begun)]).toEqual(['7.09', 'best so far'])
  expect([resultText({ ...row, best: 1 }), resultNote({ ...row, best: 1 })]).toEqual(['1', undefined])
})

test.each([
  [{ problem: { name: 'constrained' }, maxQueries: 300 }, 'any size', '300 queries per image'],
  [{ problem: { linf: 0.1 }, linf: 0.1, maxQueries: 1000 }, 'l∞ 0.1', '1,000 queries per image'],
  [
    { problem: { linf: 8 / 255, l2: 3 }, maxQueries: 10, maxIterations: 5, universal: true },
    'l∞ 8/255, l₂ 3',
    '10 queries or 5 iterations in all',
  ],
  [
    { problem: { linf: 0.2 }, linf: [0.05, 0.2], maxQueries: 600 },
    'l∞ 0.2 (largest of 2)',
    '600 queries per image and limit',
  ],
  [{}, '–', '–'],
])('the limit and the budget of an attack: %o', (spec, limit, budget) => {
  expect([attackLimit(spec), budgetText(spec)]).toEqual([limit, budget])
})

test('attacks that differ in their methods alone can be ranked; of others it says in what they differ', () => {
  const attack = (name: string, spec: object, images = [1, 2]) =>
    ({
      job: { name },
      spec: { model: { name: 'digits' }, images: 'digits', problem: { linf: 0.1 }, maxQueries: 300, ...spec },
      evaluation: { screened: 2, cleanAccuracy: 1, success: { images, first: [], most: 0 } },
    }) as unknown as JobDetail
  const one = attack('a', { solver: 'zo-sgd' })
  expect(whyUnranked([one, attack('b', { solver: 'zo-adamm', model: { name: 'digits', batch: 4 } })])).toEqual([])
  expect(whyUnranked([one, attack('b', { maxQueries: 600, problem: {} })])).toEqual([
    'maxQueries differs: 300 (a), 600 (b)',
    'linf differs: 0.1 (a), none (b)',
  ])
  expect(whyUnranked([one, attack('b', { model: { name: 'cifar10' } }, [1])])).toEqual([
    'not all of them attacked the same model',
    'not all of them attacked the same images',
  ])
  const damaged = { job: { name: 'c' }, spec: {} } as unknown as JobDetail
  expect(whyUnranked([one, damaged])).toEqual([])
})

test('an image is called what it is, not what the model sees in it', () => {
  expect(trueClass({ labelName: 'frog', label: 6, before: 'bird' })).toBe('frog')
  expect([trueClass({ label: 6, before: '2' }), trueClass({ before: 'bird' }), trueClass({})]).toEqual([
    '6',
    'bird',
    '–',
  ])
})
