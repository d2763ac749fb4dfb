import { describe, expect, test } from 'vitest'
import { attackRecord } from '../../../../test/attacks/attack-record.ts'
import type { JsonObject } from '../../spec/index.ts'
import { comparedSettings, differences, limitsText, rateLine, settingRows } from './settings.ts'

describe('attack settings', () => {
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
})

describe('attack differences', () => {
  const attacks = (...specs: readonly JsonObject[]) =>
    specs.map((spec, i) => ({ name: 'abcdefgh'[i] as string, record: attackRecord(spec) }))

  test('says in what attacks differ beside their methods, and with which of them', () => {
    const other = { maxQueries: 500, earlyStop: true, problem: { name: 'constrained', linf: 0.1 } }
    expect(differences(attacks({}, { solver: { name: 'zo-sgd' } }))).toEqual([])
    expect(differences(attacks({}, other, {}, {}, {}))).toEqual([
      'maxQueries differs: 331 (a, c, d and 1 more), 500 (b)',
      'earlyStop differs: none (a, c, d and 1 more), true (b)',
      'linf differs: none (a, c, d and 1 more), 0.1 (b)',
    ])
  })
})
