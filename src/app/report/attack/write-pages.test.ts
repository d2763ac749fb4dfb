import { expect, test } from 'vitest'
import { attackRecord } from '../../../../test/attacks/attack-record.ts'
import type { JsonObject } from '../../spec/index.ts'
import { checkComparable } from './write-pages.ts'

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
