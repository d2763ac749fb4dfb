import { appendFileSync, cpSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { call } from './call.ts'
import { cliFolder } from './cli-folder.ts'

const finished = fileURLToPath(new URL('../fixtures/version-1/finished', import.meta.url))
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
