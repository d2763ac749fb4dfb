import { expect, test } from 'vitest'
import { settingTitle } from '../../src/app/jobs/tuning.ts'
import { shortNumber } from '../../src/app/report/table.ts'
import { call } from './call.ts'
import { cliFolder } from './cli-folder.ts'

const place = cliFolder()
const small = ['--function', 'rosenbrock', '--dim', '3', '--max-queries', '60']

const listed = async (name: string) => {
  const { runs } = JSON.parse((await call('list', place('all'), '--json')).stdout)
  return runs.find(({ run }: { run: string }) => run.endsWith(name))
}

test('list and show give the median over the runs of a series, not its luckiest run', async () => {
  await call('minimize', ...small, '--solver', 'zo-adamm', '--repeat', '3', '--out', place('all/series'))
  const { value, best, kind, runs } = await listed('series')
  const values = runs.map((each: { best: number }) => each.best).sort((a: number, b: number) => a - b)
  expect({ kind, value, best }).toEqual({ kind: 'series', value: values[1], best: values[0] })
  const short = shortNumber(value)
  expect((await call('list', place('all'))).stdout).toMatch(
    new RegExp(`value[^]*series +3 of 3 finished +\\S+ +${short}`),
  )
  expect((await call('show', place('all/series'))).stdout).toContain(`median ${short} over the runs that have finished`)
})

test('list and show give the best setting of a tuning with its mean over the seeds', async () => {
  const tuned = await call(
    'minimize',
    ...small,
    '--tune-solver',
    '--solver',
    'zo-adamm',
    '--seeds',
    '2',
    '--out',
    place('all/tuned'),
    '--json',
  )
  const { best } = JSON.parse(tuned.stdout.trim().split('\n').at(-1) ?? '')
  expect(await listed('tuned')).toMatchObject({ kind: 'tuning', value: best.value, setting: settingTitle(best) })
  const said = `best setting: ${settingTitle(best)}, mean ${shortNumber(best.value)} over the seeds`
  const { stdout } = await call('show', place('all/tuned'))
  expect(stdout).toContain(said)
  expect(stdout).toMatch(/^tuning of /)
})
