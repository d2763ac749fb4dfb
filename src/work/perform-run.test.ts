import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cliFolder, smallSpec } from '../../test/cli/cli-folder.ts'
import { testStage } from '../../test/work/stage.ts'
import { explainError } from '../cli/explain-error.ts'
import { ZerothError } from '../index.ts'
import { compileSpec } from '../spec/index.ts'
import { performRun } from './perform-run.ts'
import { createStore } from './run.ts'

const path = cliFolder()
const begin = (id: string) => createStore(path(id), smallSpec())
const stage = () => ({ ...testStage(), resumed: false })

test('saves every query where the spec asks for that', async () => {
  const compiled = compileSpec(smallSpec({ log: true }))
  const { queries } = await performRun(compiled, await begin('logged'), stage())
  expect(readFileSync(path('logged/calls.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(queries)
})

test('an objective that hangs is left where it is, and what there was is saved', async () => {
  const compiled = compileSpec(smallSpec())
  const watching = stage()
  let batches = 0
  const objective = {
    dim: 3,
    evaluate(...[queries, into, signal]: Parameters<typeof compiled.objective.evaluate>) {
      if (++batches < 4) return compiled.objective.evaluate(queries, into, signal)
      queueMicrotask(watching.stop)
      return new Promise<void>(() => undefined)
    },
    close: () => new Promise<void>(() => undefined),
  }
  const began = performance.now()
  const result = await performRun({ ...compiled, objective }, await begin('hanging'), watching)
  expect(result).toMatchObject({ status: 'aborted', iterations: 3 })
  expect(performance.now() - began).toBeLessThan(5000)
  expect(existsSync(path('hanging/lock'))).toBe(false)
})

test('what cannot be closed is told, and the files are closed all the same', async () => {
  const compiled = compileSpec(smallSpec())
  const close = () => Promise.reject(new Error('it would not close'))
  const objective = { ...compiled.objective, close }
  await expect(performRun({ ...compiled, objective }, await begin('open'), stage())).rejects.toThrow('would not close')
  expect(existsSync(path('open/lock'))).toBe(false)
})

test('an error that ends a run says which run it was', async () => {
  const compiled = compileSpec(smallSpec())
  const failure = new ZerothError('storage-failed', 'the disk is full')
  const objective = { dim: 3, evaluate: () => Promise.reject(failure) }
  const ended = performRun({ ...compiled, objective }, await begin('broken'), stage())
  await expect(ended).rejects.toBe(failure)
  expect(explainError(failure).run).toBe(path('broken'))
})
