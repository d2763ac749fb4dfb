import { expect, test } from 'vitest'
import { attackRecord } from '../../../test/attacks/attack-record.ts'
import type { JsonObject } from '../../spec/index.ts'
import { differences } from './attack-differences.ts'

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
