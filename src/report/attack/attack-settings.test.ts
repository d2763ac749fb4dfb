import { expect, test } from 'vitest'
import { attackRecord } from '../../../test/attacks/attack-record.ts'
import type { JsonObject } from '../../spec/index.ts'
import { checkComparable, comparedSettings, limitsText, rateLine, settingRows } from './attack-settings.ts'

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
  const decaying = { value: 0.1, decay: 'sqrt' }
  expect(rateLine({ name: 'zo-sgd', learningRate: decaying }, 'tuned for digits')).toBe(
    'learning rate 0.1 / sqrt(t) (tuned for digits)',
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

const attacks = (...specs: readonly JsonObject[]) =>
  specs.map((spec, i) => ({ name: 'abcdefgh'[i] as string, record: attackRecord(spec) }))

test('attacks on different models or images are not compared, and it says which', () => {
  expect(() => checkComparable(attacks({}, { model: { name: 'cifar10' } }))).toThrow(
    'attacks on different models cannot be compared: digits (a) and cifar10 (b)',
  )
  const net = (mean: number) => ({ model: { name: 'onnx', file: '/n.onnx', preprocessing: { mean: [mean] } } })
  expect(() => checkComparable(attacks(net(0), net(1)))).toThrow(/"mean":\[0\].* \(a\) and .*"mean":\[1\].* \(b\)/)
  const [one, two] = attacks({}, { images: 'digits:tuning' }).map((attack, i) => ({
    ...attack,
    record: { ...attack.record, images: { name: ['held out', 'tuning'][i] as string, available: 9 } },
  }))
  expect(() => checkComparable([one, two] as never)).toThrow(
    'attacks on different images cannot be compared: held out (a) and tuning (b)',
  )
})

test('images of different classes are different images', () => {
  expect(() => checkComparable(attacks({ class: 3 }, { class: 3 }))).not.toThrow()
  expect(() => checkComparable(attacks({ class: 3 }, {}))).toThrow('attacks on different images cannot be compared')
})

test('how many images a model is asked about at a time makes no difference', () => {
  expect(() => checkComparable(attacks({}, { model: { name: 'digits', batch: 1 } }, {}))).not.toThrow()
  expect(() => checkComparable([])).not.toThrow()
})

test('what differs is said of each attack, as are method, rate, budget and seed; the rest is said once', () => {
  const records = attacks({ lambda: 1 }, { lambda: 2, solver: { name: 'zo-sgd', learningRate: 1 } })
  const { common, own } = comparedSettings(records.map(({ record }) => record))
  expect(Object.fromEntries(own[1] as never)).toEqual({
    Solver: 'zo-sgd',
    'Learning rate': '1 (given)',
    lambda: '2',
    maxQueries: '331',
    seed: '0',
  })
  const names = common.map(([name]) => name)
  expect(names).toContain('Model')
  for (const name of ['Solver', 'Learning rate', 'lambda', 'maxQueries', 'seed']) expect(names).not.toContain(name)
})

test('a single attack has nothing of its own: all is said once, in order', () => {
  const record = attackRecord({})
  expect(comparedSettings([record])).toEqual({ common: settingRows(record), own: [[]] })
})
