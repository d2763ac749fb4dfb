import { expect, test } from 'vitest'
import { parsed } from '../../../../test/report/page-check.ts'
import { sampleRun } from '../../../../test/report/sample-run.ts'
import { textOf } from '../markup.ts'
import { statusBadge, statusNotice, stopText, summaryOf } from './result.ts'
import { type RunData, runGroups } from './runs.ts'

const said = (...runs: readonly RunData[]): string | null | undefined =>
  parsed(`<p>${textOf(summaryOf(runGroups(runs)))}</p>`).querySelector('p')?.textContent

test('one run: what was found, from where, at what cost, and why it stopped', () => {
  expect(said(sampleRun({ best: [8, 2, 0.25] }))).toBe(
    'zo-adamm brought rosenbrock to 0.25, down from 8 at the start, with 34 queries in 3.5 s. It stopped because it had used all its queries.',
  )
})

test('an objective of your own is called by its command', () => {
  const objective = { name: 'exec', command: ['python3', 'cost.py'] }
  expect(said(sampleRun({ spec: { objective } }))).toContain('zo-adamm brought python3 cost.py to 1, down from 4')
})

test('what is unfinished, failed or warned of is not left out', () => {
  expect(said(sampleRun({ status: 'interrupted', result: undefined, best: [] }))).toBe(
    'zo-adamm has found no value of rosenbrock yet, after 0 queries in –. It has not finished.',
  )
  expect(said(sampleRun({ result: { failures: { count: 1 }, warnings: ['odd'] } }))).toMatch(
    / 1 query failed\. There are warnings below\.$/,
  )
})

test('runs that differ in their seeds: middle, best and worst', () => {
  const runs = [3, 1, 2].map((end, seed) => sampleRun({ spec: { seed }, best: [9, end] }))
  expect(said(...runs)).toBe(
    '3 runs of zo-adamm on rosenbrock, which differ in their seeds: half of them ended at 2 or below, the best at 1, the worst at 3.',
  )
})

test('groups of runs: which is best, and which is next', () => {
  const runs = ['zo-sgd', 'zo-scd', 'zo-adamm'].flatMap((name, i) =>
    [0, 1, 2].map((seed) => sampleRun({ spec: { solver: { name }, seed }, best: [9, 3 - i + seed / 8] })),
  )
  expect(said(...runs)).toBe(
    '9 runs in 3 groups. zo-adamm has the lowest values, with a median of 1.125; next is zo-scd, with 2.125.',
  )
})

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

test('a run that was interrupted has the same badge and notice whether it could save its end or not', () => {
  const [saved, killed] = ['aborted', 'interrupted'].map((status) => {
    const run = sampleRun({ status })
    return textOf(statusBadge(run)) + textOf(statusNotice(run) ?? statusBadge(sampleRun()))
  })
  expect(saved).toBe(killed)
  expect(saved).toContain('<span class="badge warn">interrupted</span>')
})

test('how to resume is said for names that are one word to a shell', () => {
  const notice = (name: string): string =>
    textOf(statusNotice(sampleRun({ name, status: 'interrupted' })) ?? statusBadge(sampleRun()))
  expect(notice('zeroth-runs/a_1.b')).toContain('<code>zeroth resume zeroth-runs/a_1.b</code>')
  for (const name of ['a b', '$(x)', '-rf', 'a;b', '`x`', '']) expect(notice(name)).not.toContain('resume')
})
