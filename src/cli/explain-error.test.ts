import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ZerothError } from '../index.ts'
import { explainError } from './explain-error.ts'

test('mistakes of whoever called and of specs exit with 2, failures of runs with 1', () => {
  const codeOf = (code: ConstructorParameters<typeof ZerothError>[0]) =>
    explainError(new ZerothError(code, 'why')).exitCode
  expect(codeOf('invalid-option')).toBe(2)
  expect(codeOf('unknown-option')).toBe(2)
  expect(codeOf('invalid-data')).toBe(2)
  expect(codeOf('invalid-start')).toBe(2)
  expect(codeOf('invalid-run')).toBe(1)
  expect(codeOf('run-in-use')).toBe(1)
  expect(codeOf('storage-failed')).toBe(1)
})

test('an error of the system is told as it is', () => {
  try {
    readFileSync('/nowhere/at/all')
    expect.unreachable()
  } catch (error) {
    const { message, code, exitCode } = explainError(error)
    expect(message).toBe("ENOENT: no such file or directory, open '/nowhere/at/all'")
    expect([code, exitCode]).toEqual(['system', 1])
  }
})

test('anything else is one line without a stack that says how to find the stack', () => {
  const { message, code } = explainError(new TypeError('x is\nnot a function'))
  expect(message).toMatch(/^x is not a function \(.*ZEROTH_DEBUG=1/)
  expect(message).not.toMatch(/\n|at /)
  expect(code).toBe('internal')
  expect(explainError('a thrown string').message).toMatch(/^a thrown string/)
})
