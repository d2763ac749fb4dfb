import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { specDigest } from '../../src/app/jobs/job.ts'
import { readOverview } from '../../src/app/store/index.ts'
import { call } from './call.ts'
import { cliFolder } from './cli-folder.ts'

const finished = fileURLToPath(new URL('../fixtures/jobs/finished', import.meta.url))
const place = cliFolder()

function copyOfRun(...parts: string[]): string {
  cpSync(finished, place(...parts), { recursive: true })
  return place(...parts)
}

test.each(['csv', 'json', 'parquet'])('export says once how many lines of a trace it left out: %s', async (format) => {
  const run = copyOfRun('garbage', format)
  writeFileSync(`${run}/trace.jsonl`, 'this\nis\nno trace\n')
  const { code, stderr } = await call('export', run, '--format', format, '--out', place(`history.${format}`))
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: `zeroth: ${run}: 3 lines of trace.jsonl are damaged and left out\n`,
  })
})

test('export leaves out a single damaged line, and says nothing of sound ones', async () => {
  const run = copyOfRun('one-line')
  const sound = await call('export', run)
  expect(sound.stderr).toBe('')
  appendFileSync(`${run}/trace.jsonl`, 'garbage\n')
  const { stdout, stderr } = await call('export', run)
  expect(stdout).toBe(sound.stdout)
  expect(stderr).toBe(`zeroth: ${run}: 1 line of trace.jsonl is damaged and left out\n`)
})

test('report leaves out a run that cannot be read, and says which and why on stderr and in the page', async () => {
  for (const name of ['first', 'second', 'broken']) copyOfRun('several', name)
  writeFileSync(place('several/broken/meta.json'), '{')
  const { code, stdout, stderr } = await call('report', place('several'))
  expect(code).toBe(0)
  expect(stderr).toMatch(/^zeroth: broken is left out: .*meta\.json.*\n$/)
  const page = readFileSync(stdout.trim(), 'utf8')
  expect(page).toContain('A run that cannot be read is left out: broken.')
  expect(page).toMatch(/cannot be read: [^<]*meta\.json/)
  expect(page).toContain('2 runs')
  expect((await call('compare', place('several'), '--json')).stdout).toMatch(/"first".*"second"/)
  for (const args of [
    ['report', place('several/broken')],
    ['compare', place('several/first'), place('several/broken')],
  ]) {
    expect(await call(...args)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('meta.json') })
  }
})

test('resume performs nothing but the spec that was shown', async () => {
  const run = copyOfRun('shown')
  const { code, stdout, stderr } = await call('resume', run, '--shown', '0'.repeat(64))
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: `zeroth: ${run} has changed since it was shown: look at it again\n`,
  })
  const { spec } = (await readOverview(run)).meta
  expect((await call('resume', run, '--shown', specDigest(spec))).code).toBe(0)
})
