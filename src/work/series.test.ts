import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cliFolder, smallSpec } from '../../test/cli/cli-folder.ts'
import { printed } from '../../test/cli/printed.ts'
import { silentWatcher } from '../../test/cli/silent-watcher.ts'
import { readRun } from '../trace/index.ts'
import { runSeries } from './series.ts'

const path = cliFolder()
const plan = { kind: 'repeat', created: '', zeroth: '0', spec: smallSpec(), seeds: [5, 6, 7] } as const
const json = { json: true }

test('runs every seed in a folder of its own and prints their statistics', async () => {
  const watching = silentWatcher()
  const { text, value: code } = await printed(() => runSeries(path('s'), plan, json, watching))
  expect(code).toBe(0)
  const { status, value, runs, planned, run, best } = JSON.parse(text)
  expect({ status, planned, run }).toEqual({ status: 'finished', planned: 3, run: path('s') })
  expect(runs.map(({ seed }: { seed: number }) => seed)).toEqual([5, 6, 7])
  expect(value.count).toBe(3)
  expect(best.value).toBe(value.smallest)
  expect(best.hash).toBe((await readRun(best.run)).result?.hash)
  expect(watching.labels).toEqual(['seed 5 (1 of 3)', 'seed 6 (2 of 3)', 'seed 7 (3 of 3)'])
})

test('one that was interrupted goes on with all its runs and prints what it would have printed', async () => {
  const whole = await printed(() => runSeries(path('s'), plan, json, silentWatcher()))
  const watching = silentWatcher(30)
  const cut = await printed(() => runSeries(path('cut'), plan, json, watching))
  expect(cut.value).toBe(130)
  expect(JSON.parse(cut.text)).toMatchObject({ status: 'aborted', planned: 3 })
  expect(JSON.parse(cut.text).runs).toHaveLength(2)
  expect(watching.said).toEqual([`interrupted and saved: zeroth resume ${path('cut')} goes on`])
  const rest = await printed(() => runSeries(path('cut'), plan, json, silentWatcher()))
  const hashes = ({ text }: { text: string }) => JSON.parse(text).runs.map(({ hash }: { hash: string }) => hash)
  expect(hashes(rest)).toEqual(hashes(whole))
})

test('a run that fails does not keep the others from running', async () => {
  writeFileSync(path('off.mjs'), 'export default () => { throw new Error("the machine is off") }')
  const failing = smallSpec({ objective: { name: 'module', module: path('off.mjs') } })
  const watching = silentWatcher()
  const { text, value: code } = await printed(() => runSeries(path('f'), { ...plan, spec: failing }, {}, watching))
  expect(code).toBe(1)
  expect(text.match(/objective-failed/g)).toHaveLength(3)
  expect(watching.said[0]).toMatch(/^zeroth: a query failed .*the machine is off.*zeroth resume .*seed-5 asks again$/)
})

test('other limits in the plan reach runs that have finished', async () => {
  const longer = { ...plan, spec: { ...plan.spec, maxQueries: 200 } }
  const { text } = await printed(() => runSeries(path('s'), longer, json, silentWatcher()))
  expect(JSON.parse(text).queries.smallest).toBeGreaterThan(190)
})
