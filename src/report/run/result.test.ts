import { expect, test } from 'vitest'
import { sampleRun } from '../../../test/report/sample-run.ts'
import { textOf } from '../markup.ts'
import { statusBadge, statusNotice, stopText } from './result.ts'

test('reasons are words, unknown ones stand for themselves, and names of built-in fields are unknown', () => {
  const reasons = ['target', 'max-time', 'new-reason', 'constructor', '__proto__']
  expect(reasons.map((stopReason) => stopText(sampleRun({ result: { stopReason } })))).toEqual([
    'target reached',
    'time was up',
    'new-reason',
    'constructor',
    '__proto__',
  ])
  expect(stopText(sampleRun({ result: undefined }))).toBe('not ended')
})

test('a finished run needs no notice, an odd status gets one', () => {
  expect(statusNotice(sampleRun())).toBeUndefined()
  for (const status of ['constructor', 'toString']) {
    const run = sampleRun({ status })
    expect(textOf(statusNotice(run) ?? statusBadge(run))).toContain(`its status is ${status}`)
    expect(textOf(statusBadge(run))).toBe(`<span class="badge plain">${status}</span>`)
  }
})

test('how to resume is said for names that are one word to a shell', () => {
  const notice = (name: string): string =>
    textOf(statusNotice(sampleRun({ name, status: 'interrupted' })) ?? statusBadge(sampleRun()))
  expect(notice('zeroth-runs/a_1.b')).toContain('<code>zeroth resume zeroth-runs/a_1.b</code>')
  for (const name of ['a b', '$(x)', '-rf', 'a;b', '`x`', '']) expect(notice(name)).not.toContain('resume')
})
