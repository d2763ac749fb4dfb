import { describe, expect, test } from 'vitest'
import { originOf } from '../../optimizer/core/part.ts'
import { knowAllParts } from './all-parts.ts'
import { compilePart, fillPart, knownParts } from './compile-part.ts'
import { wholeSpec } from './place.ts'
import type { Json } from './plain-data.ts'

knowAllParts()

const options = (kind: Parameters<typeof compilePart>[0], given: Json) =>
  originOf(compilePart(kind, given, wholeSpec()))?.options

test('a part is made from its name, or from its name and its options', () => {
  expect(options('step', 'momentum')).toEqual({ beta: 0.9 })
  expect(options('step', { name: 'momentum', beta: { value: 0.5 } })).toEqual({ beta: { value: 0.5, decay: 'none' } })
  expect(options('set', { name: 'box', lower: [1, 'Infinity'], upper: 'Infinity' })).toEqual({
    lower: Float64Array.of(1, Infinity),
    upper: Infinity,
  })
})

test('so are the parts among its options, also in lists and at any depth', () => {
  const made = options('solver', {
    name: 'descent',
    estimator: { name: 'forward', along: 'sphere' },
    step: { name: 'chain', steps: ['sign', { name: 'chain', steps: [{ name: 'momentum', beta: 0 }] }] },
  }) as { estimator: object; step: object; mirror: object }
  expect(originOf(made.estimator)?.name).toBe('forward')
  expect(originOf(made.mirror)?.name).toBe('euclidean')
  const stepsOf = (step: object | undefined) => originOf(step ?? {})?.options.steps as object[] | undefined
  expect(originOf(stepsOf(stepsOf(made.step)?.[1])?.[0] ?? {})?.options).toEqual({ beta: 0 })
})

describe('what is wrong is said with its place', () => {
  test.each([
    [
      'solver',
      'zo-adam',
      'spec must be a solver, got "zo-adam"; did you mean zo-adamm? (known: adaptive-square, auto,',
    ],
    ['solver', 3, 'spec must be a solver: its name, or { name, ...options }, got 3'],
    ['set', { radius: 1 }, 'spec must be a set: its name, or { name, ...options }, got an object without a name'],
    ['directions', 'given', 'spec: given takes a function, which no spec can hold (known: coordinate, gaussian,'],
    [
      'solver',
      { name: 'zo-sgd', smothing: 1 },
      'spec has no option smothing; did you mean smoothing? (known: learning',
    ],
    ['solver', { name: 'zo-sgd', along: { name: 'sphere', x: 1 } }, 'spec.along has no option x (known: none)'],
    ['solver', { name: 'zo-sgd', along: 'box' }, 'spec.along must be directions, got "box" (known: coordinate,'],
    ['step', { name: 'momentum', beta: 2 }, 'spec.beta must be at most 1, got 2'],
    ['step', { name: 'momentum', beta: { value: 2 } }, 'spec.beta.value must be at most 1, got 2'],
    [
      'step',
      { name: 'momentum', beta: { valu: 2 } },
      'spec.beta.valu is not an option of spec.beta; did you mean value?',
    ],
    ['step', { name: 'momentum', beta: '(t) => t' }, 'spec.beta must be a number, or must be an object, or must be a'],
    ['step', { name: 'chain', steps: ['plain', { name: 'sing' }] }, 'spec.steps.1 must be a step, got "sing"; did you'],
    ['step', { name: 'chain', steps: [] }, 'spec.steps must hold at least 1'],
    ['set', { name: 'box', lower: 'low' }, 'spec.lower must be a number, or must be one of Infinity, -Infinity'],
    ['set', { name: 'l2-ball' }, 'spec.radius is required (a number)'],
    ['set', 'toString', 'spec must be a set, got "toString"'],
    ['set', { name: '__proto__' }, 'spec must be a set, got "__proto__"'],
  ] as const)('%s %j', (kind, given, message) => {
    expect(() => compilePart(kind, given as Json, wholeSpec())).toThrow(message)
  })
})

test('every part that can be written is one with its own examples filled in', () => {
  for (const kind of ['directions', 'step', 'mirror', 'set', 'solver'] as const) {
    for (const part of knownParts(kind)) {
      const { name } = part.definition
      if (['chain', 'descent'].includes(name)) continue
      for (const example of part.definition.examples(3)) {
        const filled = fillPart(kind, { ...(example as Record<string, Json>), name }, '/')
        if (name === 'intersection') continue
        expect(originOf(compilePart(kind, filled, wholeSpec()))?.name).toBe(name)
        expect(fillPart(kind, filled, '/')).toEqual(filled)
      }
    }
  }
})

test('no part has an option called name: that is the part itself', () => {
  const kinds = ['objective', 'solver', 'estimator', 'directions', 'basis', 'step', 'mirror', 'set'] as const
  for (const part of kinds.flatMap(knownParts)) expect(part.definition.options.shape).not.toHaveProperty('name')
})
