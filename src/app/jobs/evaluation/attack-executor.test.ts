import { describe, expect, test } from 'vitest'
import { isFatal } from '../../../optimizer/core/errors.ts'
import type { Briefing, ScreenedImage } from '../../../robustness/index.ts'
import type { Model } from '../../../robustness/models/index.ts'
import { completePreprocessing } from '../../../robustness/models/preprocessing.ts'
import type { JsonObject } from '../../spec/index.ts'
import { type ThreadContext, threadExecutor, threadsFor } from './attack-executor.ts'

function network(side: number): Model {
  const shape = { channels: 3, height: side, width: side }
  const preprocessing = completePreprocessing({}, { shape, layout: 'NCHW', type: 'float32' }, 'a')
  const facts = {
    shape,
    classes: 2,
    scores: 'logits',
    bounds: { lower: 0, upper: 1 },
    batch: 4,
    runtime: 'none',
  } as const
  return { ...facts, warnings: [], preprocessing, tensor: 'float32', predict: () => undefined, close: () => undefined }
}

const served: JsonObject = { model: { name: 'open-inference' } }

describe('threads of an evaluation', () => {
  test('are the cores but one for large images of a service, as many as there are images at once, and 8 at most', () => {
    expect(threadsFor(served, network(224), 4)).toBe(3)
    expect(threadsFor(served, network(224), 64)).toBe(8)
    expect(threadsFor({ ...served, parallel: 2 }, network(224), 64)).toBe(2)
    expect(threadsFor({ model: { name: 'onnx', providers: ['cuda'] } }, network(224), 4)).toBe(3)
  })

  test('are none where that does not pay: small images, two cores, a network that the cores compute', () => {
    expect(threadsFor(served, network(32), 16)).toBe(0)
    expect(threadsFor(served, network(224), 2)).toBe(0)
    expect(threadsFor({ model: { name: 'onnx' } }, network(224), 16)).toBe(0)
  })

  test('are as many as the spec says, of which one is this thread alone', () => {
    expect(threadsFor({ ...served, threads: 5 }, network(32), 2)).toBe(5)
    expect(threadsFor({ ...served, threads: 1 }, network(224), 16)).toBe(0)
  })

  test('are none for one perturbation of all images, and for a model that is no network', () => {
    expect(threadsFor({ ...served, universal: true }, network(224), 16)).toBe(0)
    const { preprocessing: _, ...other } = network(224)
    expect(threadsFor({ ...served, threads: 4 }, other, 16)).toBe(0)
  })
})

describe('a thread that ends by itself', () => {
  const work = {
    folder: '.',
    record: {},
    model: network(2),
    signal: new AbortController().signal,
    asked: () => undefined,
    note: () => undefined,
    onIteration: () => undefined,
    addUnanswered: (_: number, queries: number) => queries,
  } as unknown as ThreadContext
  const image = (index: number): ScreenedImage =>
    ({ index, title: `${index}`, label: 0, predicted: 0 }) as ScreenedImage
  const program = (code: string): URL => {
    const listening = `import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => { ${code} })`
    return new URL(`data:text/javascript,${encodeURIComponent(listening)}`)
  }

  test.each([
    ['process.exit(7)', 'a thread of the evaluation ended: exit code 7; what it has saved is safe'],
    ['throw new Error("no room")', 'a thread of the evaluation ended: no room; what it has saved is safe'],
  ])('ends the evaluation with the reason: %s', async (code, message) => {
    const threads = threadExecutor(1, work, {} as Briefing, program(code))
    const ends = await Promise.allSettled([threads.attack(image(0)), threads.attack(image(1))])
    for (const end of [...ends, ...(await Promise.allSettled([threads.attack(image(2))]))]) {
      expect(end).toMatchObject({ status: 'rejected', reason: { message } })
      expect(isFatal((end as PromiseRejectedResult).reason)).toBe(true)
    }
    await threads.close()
  })
})
