import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startMlflow } from '../servers/mlflow-server.ts'
import { call } from './call.ts'
import { cliFolder } from './cli-folder.ts'

const finished = fileURLToPath(new URL('../fixtures/jobs/finished', import.meta.url))
const attacked = fileURLToPath(new URL('../fixtures/jobs/attack-finished', import.meta.url))
const place = cliFolder()

test('export --tensorboard prints the files that it writes, and on stderr the command that shows them', async () => {
  const { code, stdout, stderr } = await call('export', finished, '--tensorboard', place('logs'))
  expect(code).toBe(0)
  expect(stderr).toContain(`tensorboard --logdir ${place('logs')} shows them, with --load_fast=false also`)
  const [name = ''] = readdirSync(place('logs/finished'))
  expect(stdout).toBe(`${place('logs/finished', name)}\n`)
})

test('export --mlflow prints each run, and says on stderr what was left out', async () => {
  const server = await startMlflow()
  try {
    const first = await call('export', attacked, '--mlflow', server.url, '--experiment', 'nightly')
    expect(first.stdout).toMatch(/^created {4}run1 {2}attack-finished {2}\d+ values\n$/)
    const left = 'the course of the attack on each image is left out: --tensorboard has it'
    expect(first.stderr).toBe(`zeroth: attack-finished: ${left}\n`)
    const again = await call('export', attacked, '--mlflow', server.url, '--experiment', 'nightly')
    expect(again).toMatchObject({ code: 0, stdout: 'unchanged  run1  attack-finished  0 values\n', stderr: '' })
  } finally {
    await server.close()
  }
  const gone = await call('export', finished, '--mlflow', server.url)
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('ECONNREFUSED') })
})
