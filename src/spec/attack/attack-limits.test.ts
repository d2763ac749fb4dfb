import { expect, test } from 'vitest'
import { limitsOf } from './attack-limits.ts'
import { compileAttack } from './compile-attack.ts'
import { robustnessOf } from './open-attack.ts'

const resolved = (spec: object) => compileAttack({ model: 'digits', ...spec }).resolved

test('fractions are numbers in the resolved spec, also within the problem', () => {
  expect(resolved({ linf: '8/255', failUnder: '1/2' })).toMatchObject({
    problem: { name: 'constrained', linf: 8 / 255 },
    failUnder: 0.5,
  })
  expect(resolved({ problem: { name: 'constrained', l2: '3/2' } }).problem).toEqual({ name: 'constrained', l2: 1.5 })
})

test('several limits are kept in order, demands with them, and the problem has the largest', () => {
  const spec = resolved({ linf: ['8/255', '2/255', 0.1], failUnder: [0.2, 0.9, 0.1] })
  expect(spec).toMatchObject({ linf: [2 / 255, 8 / 255, 0.1], failUnder: [0.9, 0.2, 0.1], problem: { linf: 0.1 } })
  expect(limitsOf(spec)).toEqual({ norm: 'linf', sizes: [2 / 255, 8 / 255, 0.1] })
  expect(resolved(spec)).toEqual(spec)
})

test('a list of one is that one', () => {
  expect(resolved({ l2: [2], failUnder: [0.5] })).toMatchObject({ problem: { l2: 2 }, failUnder: 0.5 })
  expect(resolved({ l2: [2] })).not.toHaveProperty('l2')
})

test('the evaluation is given the smaller limits, the largest of them first', () => {
  const { smaller = [] } = robustnessOf(resolved({ l2: [1, 0.25, 0.5], linf: 0.3 }))
  const limits = smaller.map((form) => form.begin([new Float32Array(1)]).limits)
  expect(limits).toEqual([
    { linf: 0.3, l2: 0.5 },
    { linf: 0.3, l2: 0.25 },
  ])
})

test.each([
  [{ linf: '8/0' }, 'spec.linf must not divide by 0, got "8/0"'],
  [{ linf: ['0.1', '1/2/3'] }, 'spec.linf.1 must be a number or a fraction, as in 8/255, got "1/2/3"'],
  [{ problem: { name: 'constrained', l2: 'x' } }, 'spec.problem.l2 must be a number or a fraction'],
  [{ linf: [] }, 'spec.linf'],
  [{ linf: [0.1, -0.1] }, 'spec.linf'],
  [{ linf: [0.1, 0.2], problem: 'unconstrained' }, 'spec.linf does nothing for unconstrained'],
])('refuses %j', (spec, message) => {
  expect(() => resolved(spec)).toThrow(message)
})
