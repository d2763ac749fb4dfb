import { describe, expect, test } from 'vitest'
import { decaysWritten, migrateSearch, migrateSpec } from './migrate-spec.ts'

const decaying = (value: number) => ({ value, decay: 'sqrt' })
const free = { feasible: false }

describe('a spec of version 1', () => {
  test.each(['zo-adamm', 'zo-normalized'])('says that the bare rate of %s decays', (name) => {
    const spec = { dim: 2, solver: { name, learningRate: 0.1, beta1: 0.9 } }
    expect(migrateSpec(spec)).toEqual({ dim: 2, solver: { ...free, name, learningRate: decaying(0.1), beta1: 0.9 } })
  })

  test('says so of solvers inside others', () => {
    const second = { name: 'zo-adamm', learningRate: 0.1 }
    expect(migrateSpec({ solver: { name: 'two-phase', second } })).toEqual({
      solver: { name: 'two-phase', second: { ...free, name: 'zo-adamm', learningRate: decaying(0.1) } },
    })
  })

  test.each(['zo-sgd', 'zeroth', 'forward', 'aligned'])('says that the probes of %s may leave a box', (name) => {
    const spec = { solver: { name: 'any', inside: { name } } }
    expect(migrateSpec(spec)).toEqual({ solver: { name: 'any', inside: { name, feasible: false } } })
  })

  test('is otherwise as it was: bare rates that decay today, schedules, rates left out, other names', () => {
    const spec = {
      objective: { name: 'http', learningRate: 1, list: [1, 'a', null] },
      solver: [
        { ...free, name: 'zo-sgd', learningRate: 0.1 },
        { ...free, name: 'zo-adamm', learningRate: { value: 1, decay: 'linear' } },
        { feasible: true, name: 'zo-adamm', directions: 3 },
        { name: 'simba', step: 1 },
      ],
    }
    expect(migrateSpec(spec)).toEqual(spec)
    expect([undefined, null, 3, 'a'].map(migrateSpec)).toEqual([undefined, null, 3, 'a'])
  })

  test('of an attack, or of the run of an image, writes out the decay of every rate', () => {
    const attack = { model: { name: 'digits' }, solver: { name: 'zo-sgd', learningRate: 0.1 } }
    const migrated = { model: { name: 'digits' }, solver: { ...free, name: 'zo-sgd', learningRate: decaying(0.1) } }
    expect(migrateSpec(attack)).toEqual(migrated)
    expect(migrateSpec({ attack, image: { index: 0 } })).toEqual({ attack: migrated, image: { index: 0 } })
  })
})

describe('the spec of a search', () => {
  test('tries rates that decay where bare ones no longer do', () => {
    expect(migrateSearch({ solver: { name: 'zo-adamm' } }, 0.001)).toEqual({
      solver: { ...free, name: 'zo-adamm', learningRate: decaying(0.001) },
    })
    const linear = { solver: { ...free, name: 'zo-adamm', learningRate: { value: 1, decay: 'linear' } } }
    expect(migrateSearch(linear, 0.001)).toEqual(linear)
  })

  test.each([{ solver: { ...free, name: 'zo-radazo' } }, { solver: 'zo-adamm' }, {}, null])('of %j stays', (spec) => {
    expect(migrateSearch(spec, 0.001)).toEqual(spec)
  })
})

test('the decay of a rate is written out once', () => {
  const solver = { name: 'zo-adamm', learningRate: 0.1 }
  expect(decaysWritten(decaysWritten(solver))).toEqual({ name: 'zo-adamm', learningRate: decaying(0.1) })
})
