import { expect, test } from 'vitest'
import { runTheory } from './command.ts'
import { atMost, type Check, remarked } from './verdict.ts'

const sound: Check = { id: 'sound', statement: 'One is small.', run: () => [atMost('one', 2, 1)] }
const broken: Check = {
  id: 'broken',
  statement: 'Three is small.',
  run: () => [remarked(atMost('three', 2, 3), 'It is not.')],
}
const throwing: Check = {
  id: 'throwing',
  statement: 'Four is small.',
  run() {
    throw new Error('no four')
  },
}

test('prints what was predicted and measured, and succeeds when all claims hold', () => {
  const { status, result } = run([], [sound])
  expect(status).toBe(0)
  expect(result).toContain('[sound] One is small.\n        claim  predicted  measured\n  PASS  one    <= 2       1\n')
  expect(result).toContain('ZO-ProxSGD / ZO-PSGD')
  expect(result.trimEnd().endsWith('All 1 claims hold.')).toBe(true)
})

test('fails when a claim fails, with its remark, and continues after an error', () => {
  const { status, result } = run(['--quick'], [throwing, broken, sound])
  expect(status).toBe(1)
  expect(result).toContain('  FAIL  three  <= 2       3\n          It is not.\n')
  expect(result).toContain('Error: no four')
  expect(result.trimEnd().endsWith('2 of 3 claims FAILED.')).toBe(true)
})

test('speaks JSON on one line', () => {
  const { status, result } = run(['--json', '--quick'], [sound, broken])
  expect(status).toBe(1)
  expect(result.trimEnd()).not.toContain('\n')
  expect(JSON.parse(result)).toMatchObject({
    scale: 'quick',
    passed: false,
    statements: [
      { id: 'sound', verdicts: [{ passed: true }] },
      { id: 'broken', verdicts: [{ claim: 'three', predicted: '<= 2', measured: '3', passed: false }] },
    ],
  })
})

test('refuses arguments it does not know', () => {
  const { status, result, complaint } = run(['--quik'], [sound])
  expect({ status, result }).toEqual({ status: 2, result: '' })
  expect(complaint).toContain('unknown argument "--quik" (known: --quick, --json, --help)')
})

test('explains itself', () => {
  const { status, result } = run(['--help'], [broken])
  expect(status).toBe(0)
  expect(result).toContain('--quick')
})

function run(args: readonly string[], checks: readonly Check[]) {
  const written = { result: '', complaint: '' }
  const status = runTheory(
    args,
    {
      result: (line) => {
        written.result += `${line}\n`
      },
      complaint: (line) => {
        written.complaint += `${line}\n`
      },
    },
    checks,
  )
  return { status, ...written }
}
