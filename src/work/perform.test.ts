import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cliFolder, smallSpec } from '../../test/cli/cli-folder.ts'
import { silentWatcher } from '../../test/cli/silent-watcher.ts'
import { explainError } from '../cli/explain-error.ts'
import { ZerothError } from '../index.ts'
import { compileSpec } from '../spec/index.ts'
import { perform } from './perform.ts'
import { beginRun } from './run.ts'

const path = cliFolder()
const begin = (id: string) => beginRun({ folder: path(id), id }, smallSpec())

test('saves every query where the spec asks for that', async () => {
  const compiled = compileSpec(smallSpec({ log: true }))
  const { queries } = await perform(compiled, await begin('logged'), silentWatcher())
  expect(readFileSync(path('logged/calls.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(queries)
})

test('an objective that hangs is left where it is, and what there was is saved', async () => {
  const compiled = compileSpec(smallSpec())
  const watching = silentWatcher()
  let batches = 0
  const objective = {
    dim: 3,
    evaluate(...[queries, into, signal]: Parameters<typeof compiled.objective.evaluate>) {
      if (++batches < 4) return compiled.objective.evaluate(queries, into, signal)
      queueMicrotask(watching.interrupt)
      return new Promise<void>(() => undefined)
    },
    close: () => new Promise<void>(() => undefined),
  }
  const began = performance.now()
  const result = await perform({ ...compiled, objective }, await begin('hanging'), watching)
  expect(result).toMatchObject({ status: 'aborted', iterations: 3 })
  expect(performance.now() - began).toBeLessThan(5000)
  expect(existsSync(path('hanging/lock'))).toBe(false)
})

test('what cannot be closed is told, and the files are let go all the same', async () => {
  const compiled = compileSpec(smallSpec())
  const close = () => Promise.reject(new Error('it would not close'))
  const objective = { ...compiled.objective, close }
  await expect(perform({ ...compiled, objective }, await begin('open'), silentWatcher())).rejects.toThrow(
    'would not close',
  )
  expect(existsSync(path('open/lock'))).toBe(false)
})

test('an error that ends a run says which run it was', async () => {
  const compiled = compileSpec(smallSpec())
  const failure = new ZerothError('storage-failed', 'the disk is full')
  const objective = { dim: 3, evaluate: () => Promise.reject(failure) }
  const ended = perform({ ...compiled, objective }, await begin('broken'), silentWatcher())
  await expect(ended).rejects.toBe(failure)
  expect(explainError(failure).run).toBe(path('broken'))
})
