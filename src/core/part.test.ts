import { describe, expect, test } from 'vitest'
import { sphere } from '../directions/sphere.ts'
import { forward } from '../estimators/forward.ts'
import { parts } from '../parts.ts'
import { minimizeSync } from '../run/minimize.ts'
import { zoAdaMM } from '../solvers/zo-adamm.ts'
import { sentenceOf } from './options.ts'
import { originOf } from './part.ts'
import type { Directions } from './types.ts'

test('what a part makes knows which part made it and with which options, defaults filled in', () => {
  const made = forward({ along: sphere(), directions: 3 })
  expect(originOf(made)).toMatchObject({
    kind: 'estimator',
    name: 'forward',
    options: { directions: 3, samples: 1, smoothing: 1e-3, feasible: false },
  })
  expect(originOf(made)?.options.along).toMatchObject({ origin: { kind: 'directions', name: 'sphere' } })
})

test('a preset carries its own name, not that of the parts it is made of', () => {
  expect(originOf(zoAdaMM())?.name).toBe('zo-adamm')
})

test('an object of the right shape that a user wrote will do', () => {
  const axes: Directions = {
    begin: ({ dim }, count) => ({
      count,
      factor: dim,
      write(x, scale, _, row, into, offset) {
        into.set(x, offset)
        into[offset + (row % dim)] = (x[row % dim] as number) + scale
      },
    }),
  }
  const solver = zoAdaMM({ along: axes, directions: 2 })
  const result = minimizeSync((x) => x.reduce((sum, each) => sum + each * each, 0), [1, 1], {
    solver,
    maxIterations: 200,
  })
  expect(result.value).toBeLessThan(1e-3)
})

describe('the registry', () => {
  const all = Object.entries(parts).flatMap(([kind, list]) => list.map((part) => ({ kind, part })))

  test.each(all.map(({ kind, part }) => [part.definition.name, kind, part] as const))(
    '%s says its kind, its name, and one sentence about itself',
    (name, kind, part) => {
      expect(part.definition.kind).toBe(kind)
      expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      expect(part.definition.summary).toMatch(/^[A-Z].*\.$/)
    },
  )

  test('names are unique within a kind', () => {
    const names = all.map(({ kind, part }) => `${kind}/${part.definition.name}`)
    expect(new Set(names).size).toBe(names.length)
  })

  test('every option says what it is for', () => {
    const silent = all.flatMap(({ part }) =>
      Object.entries(part.definition.options.shape)
        .filter(([, schema]) => sentenceOf(schema) === undefined)
        .map(([option]) => `${part.definition.name}.${option}`),
    )
    expect(silent).toEqual([])
  })
})
