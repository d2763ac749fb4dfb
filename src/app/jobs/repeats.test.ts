import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cliFolder, smallSpec } from '../../../test/cli/cli-folder.ts'
import { testStage } from '../../../test/jobs/stage.ts'
import type { JobEvent } from './events.ts'
import type { Job } from './job.ts'
import { openRepeats, performRepeats, type RepeatsResult, resumeRepeats } from './repeats.ts'

const path = cliFolder()
const seeds = [5, 6, 7]
const plan = { kind: 'repeat', created: '', zeroth: '0', spec: smallSpec(), seeds } as const
const hashes = ({ members }: RepeatsResult) => members.map(({ result }) => result.hash)

async function performed(opening: Promise<Job<RepeatsResult>>): Promise<{ result: RepeatsResult; events: JobEvent[] }> {
  const series = await opening
  const events: JobEvent[] = []
  for await (const event of series.perform()) events.push(event)
  return { result: series.result() as RepeatsResult, events }
}

test('runs every seed in a folder of its own, and each tells of itself', async () => {
  const { result, events } = await performed(openRepeats(path('s'), smallSpec(), { seeds }))
  expect(result).toMatchObject({ status: 'finished', planned: 3 })
  expect(result.members.map(({ folder }) => folder)).toEqual([5, 6, 7].map((seed) => path(`s/seed-${seed}`)))
  expect(result.members.map(({ result: each }) => each.seed)).toEqual([5, 6, 7])
  const begun = events.filter(({ type }) => type === 'started')
  expect(begun).toMatchObject([
    { work: 's', kind: 'series', resumed: false },
    { work: 's/seed-5', parent: 's', kind: 'run', title: 'seed 5 (1 of 3)' },
    { work: 's/seed-6', parent: 's', kind: 'run', title: 'seed 6 (2 of 3)' },
    { work: 's/seed-7', parent: 's', kind: 'run', title: 'seed 7 (3 of 3)' },
  ])
  expect(events.at(-2)).toMatchObject({ work: 's', type: 'progress', items: { done: 3, total: 3, failed: 0 } })
  expect(events.at(-1)).toMatchObject({ work: 's', status: 'finished', reason: '3 of 3 runs finished' })
})

test('one that was interrupted is resumed with all its runs and finds what it would have found', async () => {
  const stage = testStage((happening, work, stop) => {
    if (happening.type === 'progress' && work === 'w/seed-6') stop()
  })
  const cut = await performRepeats(path('cut'), plan, stage)
  expect(cut).toMatchObject({ status: 'aborted', planned: 3 })
  expect(cut.members.map(({ result }) => result.status)).toEqual(['finished', 'aborted'])
  const whole = await performRepeats(path('whole'), plan, testStage())
  expect(hashes(await performRepeats(path('cut'), plan, testStage()))).toEqual(hashes(whole))
})

test('a run that fails does not keep the others from running', async () => {
  writeFileSync(path('off.mjs'), 'export default () => { throw new Error("the machine is off") }')
  const failing = smallSpec({ objective: { name: 'module', module: path('off.mjs') } })
  const { result, events } = await performed(openRepeats(path('f'), failing, { seeds }))
  expect(result.status).toBe('failed')
  expect(result.members.map((each) => each.result.stopReason)).toEqual(Array(3).fill('objective-failed'))
  expect(events.at(-1)).toMatchObject({ status: 'failed', reason: '0 of 3 runs finished' })
  const ended = events.filter(({ type, work }) => type === 'finished' && work !== 'f')
  expect(ended).toHaveLength(3)
  for (const each of ended) expect(each).toHaveProperty('reason', expect.stringContaining('the machine is off'))
})

test('other limits reach runs that have finished', async () => {
  const { result } = await performed(resumeRepeats(path('s'), { maxQueries: 200 }))
  for (const { result: each } of result.members) expect(each.queries).toBeGreaterThan(190)
})
