import { expect, test } from 'vitest'
import { call } from './call.ts'
import { cliFolder } from './cli-folder.ts'

const place = cliFolder()

async function minimized(name: string, dim: number, seed: number): Promise<string> {
  const asked = ['--function', 'rosenbrock', '--dim', String(dim), '--max-queries', '50', '--seed', String(seed)]
  await call('minimize', ...asked, '--out', place(name))
  return place(name)
}

test('compare says where runs are about different problems, and nothing where they are not', async () => {
  const [two, other, three] = [
    await minimized('two', 2, 1),
    await minimized('other', 2, 2),
    await minimized('three', 3, 1),
  ]
  const unlike = 'These runs do not all minimise the same objective: compare values only where it is the same.'
  expect((await call('compare', two, three)).stderr).toBe(`notice: ${unlike}\n`)
  expect((await call('compare', two, other)).stderr).toBe('')
  const notices = async (...runs: string[]) => JSON.parse((await call('compare', ...runs, '--json')).stdout).notices
  expect([await notices(two, three), await notices(two, other)]).toEqual([[unlike], []])
})

test('compare groups runs by all but the seed, and says which group is better', async () => {
  const runs: string[] = []
  for (const solver of ['random', 'quasi-newton']) {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const name = `${solver}-${seed}`
      const asked = ['--function', 'rosenbrock', '--dim', '2', '--max-queries', '200', '--seed', String(seed)]
      const bounds = ['-O', 'set={"name":"box","lower":-2,"upper":2}', '--start=-1.2,1']
      const { code } = await call('minimize', ...asked, ...bounds, '--solver', solver, '--out', place(name))
      expect(code).toBe(0)
      runs.push(place(name))
    }
  }
  const { groups, verdicts } = JSON.parse((await call('compare', ...runs, '--json')).stdout)
  expect(groups).toMatchObject([
    { group: 'quasi-newton', runs: 6 },
    { group: 'random', runs: 6, p: expect.closeTo(0.0021645, 6) },
  ])
  expect(groups[1].interval).toEqual([groups[1].best, groups[1].worst])
  expect(verdicts).toEqual([
    expect.stringMatching(/^quasi-newton is better than random \(.*6 and 6 runs, p = 0\.0022\)/),
  ])
  const { stdout } = await call('compare', ...runs)
  expect(stdout).toMatch(/^solver +runs +median +95 % interval +best +worst +against the best\n/)
  expect(stdout).toContain(verdicts[0])
})
