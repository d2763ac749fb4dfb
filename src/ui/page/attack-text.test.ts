import { expect, test } from 'vitest'
import type { WorkDetail } from '../api.ts'
import { attackBudget, attackLimit, whyUnranked } from './attack-text.ts'

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
  expect([attackLimit(spec), attackBudget(spec)]).toEqual([limit, budget])
})

test('attacks that differ in their methods alone can be ranked; of others it says in what they differ', () => {
  const attack = (name: string, spec: object, images = [1, 2]) =>
    ({
      row: { name },
      spec: { model: { name: 'digits' }, images: 'digits', problem: { linf: 0.1 }, maxQueries: 300, ...spec },
      evaluation: { screened: 2, cleanAccuracy: 1, success: { images, first: [], most: 0 } },
    }) as unknown as WorkDetail
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
  const damaged = { row: { name: 'c' }, spec: {} } as unknown as WorkDetail
  expect(whyUnranked([one, damaged])).toEqual([])
})
