import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { about, countedBowl, newFolder, settings, start } from '../../test/run-store/stored-run.ts'
import { driveRun } from './drive-run.ts'
import { listRuns } from './list-runs.ts'
import { createRun } from './open-run.ts'

test('runs are listed oldest first, with how they stand; everything else is passed over', async () => {
  const root = newFolder()
  const second = await createRun(join(root, 'b'), { ...about, id: 'second', created: '2026-01-02' })
  await driveRun(second, countedBowl(), start, settings)
  await second.close()
  const third = await createRun(join(root, 'a'), { ...about, id: 'third', created: '2026-01-03' })
  const stopped = new AbortController()
  const onIteration = ({ iteration }: { iteration: number }) => {
    if (iteration === 4) throw new Error('killed')
  }
  const killed = driveRun(third, countedBowl(), start, settings, { onIteration, signal: stopped.signal })
  await expect(killed).rejects.toThrow('killed')
  await third.close()
  const first = await createRun(join(root, 'c'), { ...about, id: 'first', created: '2026-01-01' })
  mkdirSync(join(root, 'no-run'))
  mkdirSync(join(root, 'damaged'))
  writeFileSync(join(root, 'damaged', 'meta.json'), 'x')
  writeFileSync(join(root, 'file'), 'x')
  symlinkSync(join(root, 'a'), join(root, 'link'))
  const runs = await listRuns(root)
  await first.close()
  expect(runs).toEqual([
    { folder: join(root, 'damaged'), status: 'damaged', problem: expect.stringMatching('meta.json is not JSON') },
    expect.objectContaining({ id: 'first', status: 'running', iterations: 0, queries: 0, best: Number.NaN }),
    expect.objectContaining({
      id: 'second',
      status: 'finished',
      iterations: 23,
      queries: 116,
      folder: join(root, 'b'),
    }),
    expect.objectContaining({ id: 'third', status: 'interrupted', iterations: 4, queries: 20, spec: about.spec }),
  ])
})

test('a root that does not exist holds no runs; one that is a file is an error', async () => {
  const root = newFolder()
  expect(await listRuns(root)).toEqual([])
  writeFileSync(root, 'x')
  await expect(listRuns(root)).rejects.toThrow(`cannot list ${root}: ENOTDIR`)
})
