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
