import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cliFolder, smallSpec } from '../../../test/cli/cli-folder.ts'
import { listJobs, openJob, viewJob } from './any-job.ts'
import type { Job } from './job.ts'
import { readLabel, removeJob, renameJob, writeLabel } from './label.ts'
import { openRun } from './run.ts'

const path = cliFolder()

async function performed(job: Pick<Job<unknown>, 'perform'>, last = Infinity): Promise<void> {
  const stop = new AbortController()
  for await (const event of job.perform({ signal: stop.signal })) {
    if (event.type === 'progress' && event.iterations >= last) stop.abort()
  }
}

test('a note and tags are kept with a job, trimmed and each tag once', async () => {
  await performed(await openRun(path('noted'), smallSpec()))
  expect(readLabel(path('noted'))).toEqual({})
  writeLabel(path('noted'), { note: ' the first one\n', tags: [' night ', '', 'night', 'release 2', 7], more: 1 })
  expect(readLabel(path('noted'))).toEqual({ note: 'the first one', tags: ['night', 'release 2'] })
  expect(await viewJob(path('noted'))).toMatchObject({ state: 'finished', tags: ['night', 'release 2'] })
  writeLabel(path('noted'), { note: '', tags: [] })
  expect(readLabel(path('noted'))).toEqual({})
})

test.each(['garbage', '[]', '{"note":7,"tags":"x"}', 'null'])('a label that holds %j counts as none', (text) => {
  mkdirSync(path('strange'), { recursive: true })
  writeFileSync(path('strange', 'label.json'), text)
  expect(readLabel(path('strange'))).toEqual({})
})

test('a run that was renamed is resumed under its new name, to the same bits', async () => {
  await performed(await openRun(path('whole'), smallSpec({ maxQueries: 400 })))
  await performed(await openRun(path('before'), smallSpec({ maxQueries: 400 })), 3)
  expect(renameJob(path('before'), 'after')).toBe(path('after'))
  const job = await openJob(path('after'))
  await performed(job)
  const whole = await openJob(path('whole'))
  expect(job.result()).toMatchObject({ hash: (whole.result() as { hash: string }).hash })
  await whole.close()
})

test.each(['', '..', '.hidden', 'a/b', 'a\\b', 'x'.repeat(65)])('a job cannot be called %j', (name) => {
  expect(() => renameJob(path('whole'), name)).toThrow('a name has 1 to 64 letters, digits, dots')
})

test('a name that is taken is refused', () => {
  expect(() => renameJob(path('whole'), 'after')).toThrow('there is a folder after already')
})

test('what is removed is in the trash beside it, no longer in lists, and back when its folder is', async () => {
  for (const _ of [1, 2]) {
    await performed(await openRun(path('old'), smallSpec()))
    removeJob(path('old'))
  }
  expect(readdirSync(path('.trash')).sort()).toEqual(['old', 'old-2'])
  expect((await listJobs(path())).map(({ folder }) => folder)).not.toContain(path('old'))
  expect(existsSync(path('old'))).toBe(false)
})

test('a trash that leads elsewhere is not used', () => {
  mkdirSync(path('group/job'), { recursive: true })
  mkdirSync(path('elsewhere'))
  symlinkSync(path('elsewhere'), path('group/.trash'))
  expect(() => removeJob(path('group/job'))).toThrow('leads elsewhere')
  expect(readdirSync(path('elsewhere'))).toEqual([])
})
