import { describe, expect, test } from 'vitest'
import * as classic from 'zod'
import * as mini from 'zod/mini'
import { parts } from '../../registry.ts'
import { zoAdaMM } from '../methods/presets.ts'
import { minimizeSync } from '../minimize/minimize-sync.ts'
import { sphere } from '../parts/directions/basic.ts'
import { forward } from '../parts/estimators/differences.ts'
import { definePart, originOf } from './part.ts'
import type { Directions } from './types.ts'

test('what a part makes knows which part made it and with which options, defaults filled in', () => {
  const made = forward({ along: sphere(), directions: 3 })
  expect(originOf(made)).toMatchObject({
    kind: 'estimator',
    name: 'forward',
    options: { directions: 3, samples: 1, smoothing: 1e-3 },
  })
  expect(originOf(made)?.options.along).toMatchObject({ origin: { kind: 'directions', name: 'sphere' } })
})

test('a preset carries its own name, not that of the parts it is made of', () => {
  expect(originOf(zoAdaMM())?.name).toBe('zo-adamm')
})

test('an object of the right shape that a user wrote will do', () => {
  const axes: Directions = {
    start: ({ dim }, count) => ({
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
})

describe('the options of a part may be declared with zod', () => {
  const make = ({ size, mode }: { size: number; mode: 'a' | 'b' }) => ({ size, mode })
  const common = { kind: 'set', name: 'mine', summary: 'Mine.', examples: () => [], make } as const
  const mine = {
    zod: definePart({
      ...common,
      options: classic.object({ size: classic.number().positive(), mode: classic.enum(['a', 'b']).default('a') }),
    }),
    'zod/mini': definePart({
      ...common,
      options: mini.object({
        size: mini.number().check(mini.positive()),
        mode: mini._default(mini.enum(['a', 'b']), 'a'),
      }),
    }),
  }

  test.each(Object.entries(mine))('of %s', (_, part) => {
    expect(part({ size: 2 })).toMatchObject({
      size: 2,
      mode: 'a',
      origin: { name: 'mine', options: { size: 2, mode: 'a' } },
    })
    expect(() => part({ size: -1 })).toThrow(/^mine\.size is not valid \(.+\), got -1$/)
    expect(() => part({ size: 1, sise: 2 } as never)).toThrow(
      expect.objectContaining({
        code: 'unknown-option',
        message: 'mine has no option sise; did you mean size? (known: size, mode)',
      }),
    )
    // @ts-expect-error Sizes are numbers.
    expect(() => part({ size: 'large' })).toThrow('mine.size is not valid')
  })
})
