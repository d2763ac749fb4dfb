import { describe, expect, it } from 'vitest'
import { type Cell, cellOf, cells, nameOnNetwork } from './cells.ts'
import type { Ending } from './contender.ts'
import { chosenImages, givenNetworks, networkSpec, networksByName, openNetwork } from './network.ts'
import { ownMethod } from './own-methods.ts'
import { testNetwork } from './test-network.ts'
import { openTracker } from './tracker.ts'
import { labelsOnly, watched } from './watched-model.ts'

describe('methods of this library', () => {
  it('attack each image within the budget, watched from the network', async () => {
    const cell: Cell = { ...(cells['digits-linf'] as Cell), budget: 300 }
    const network = await openNetwork({ model: 'digits', images: 'digits' })
    const images = await chosenImages(network, cell, 2)
    const found: [number, Ending][] = []
    const done = (image: number, ending: Ending) => void found.push([image, ending])
    await ownMethod('nearest-boundary')?.run({ cell, network, images, seed: 1, timeLimit: 1, done })
    await network.model.close()
    expect(found.map(([image]) => image)).toEqual([0, 1])
    for (const [, { queries, first, note, best }] of found) {
      expect(queries).toBeGreaterThan(10)
      // The pictures that are saved are checked after the attack.
      expect(queries).toBeLessThanOrEqual(310)
      if (note.startsWith('fooled')) expect(first).toBeLessThanOrEqual(300)
      expect(best).toHaveLength(7)
    }
  })

  it('are those of the library and ours, which names none', () => {
    expect(['ours', 'nearest-boundary', 'square', 'nothing'].map((name) => ownMethod(name)?.name)).toEqual([
      'ours',
      'nearest-boundary',
      'square',
      undefined,
    ])
  })
})

describe('a model that is watched', () => {
  it('shows every row to the tracker of the moment, and answers as before', async () => {
    const { model } = await testNetwork()
    const tracker = openTracker({ pixels: Float32Array.of(0.5, 0.5), label: 0 }, 10)
    let current: typeof tracker | undefined = tracker
    const rows = [0.6, 1]
    const images = {
      rows: 2,
      write: (row: number, into: Float32Array | Float64Array, offset = 0) =>
        into.set([0.5, rows[row] as number], offset),
    }
    const scores = new Float32Array(4)
    await watched(model, () => current).predict(images, scores)
    current = undefined
    await watched(model, () => current).predict(images, scores)
    expect(tracker.account()).toMatchObject({ queries: 2, first: 2 })
    expect([...scores]).toEqual([0.75, Math.fround(0.6), 0.75, 1])
  })

  it('by labels only says which class is highest and nothing else', async () => {
    const { model } = await testNetwork()
    const scores = new Float64Array(4)
    const rows = [0.6, 1]
    await labelsOnly(model).predict(
      { rows: 2, write: (row, into, offset = 0) => into.set([0.5, rows[row] as number], offset) },
      scores,
    )
    expect([...scores]).toEqual([1, 0, 0, 1])
  })
})

describe('networks that do not ship with the package', () => {
  it('are skipped with a word where they are not given or not there', () => {
    const resnet8 = cells['resnet8-linf'] as Cell
    const imagenet = cells['imagenet-l2'] as Cell
    expect(networkSpec(resnet8, {})).toEqual({ missing: 'no network given: --resnet8 or ZEROTH_BENCH_RESNET8' })
    expect(networkSpec(resnet8, { resnet8: '/no/such.onnx' })).toEqual({ missing: 'there is no file /no/such.onnx' })
    const here = import.meta.filename
    expect(networkSpec(resnet8, { resnet8: here })).toEqual({ model: here, images: 'cifar10' })
    expect(networkSpec(imagenet, { imagenet: here })).toEqual({
      missing: 'no images given: --images or ZEROTH_BENCH_IMAGES',
    })
    expect(networkSpec(imagenet, { imagenet: here, images: 'folder' })).toEqual({ model: here, images: 'folder' })
    expect(givenNetworks({ resnet8: 'a' }).resnet8).toBe('a')
  })

  it('have cells of their own, by the name of their file', () => {
    const here = import.meta.filename
    const given = { network: `${here},nets/other.onnx`, images: 'folder' }
    expect([...networksByName(given).keys()]).toEqual(['own-methods.test', 'other'])
    expect(nameOnNetwork('other', 'labels', 'tuning')).toBe('other/labels/tuning')
    const cell = cellOf('own-methods.test/labels/tuning') as Cell
    expect(cell).toMatchObject({ kind: 'labels', split: 'tuning', peersOf: 'own-methods.test/nearest/tuning' })
    expect(networkSpec(cell, given)).toEqual({ model: here, images: 'folder' })
    expect([cellOf('other/nothing'), cellOf('other/labels/some'), cellOf('nothing')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('are judged on every other image, and tuned on the others', async () => {
    const network = await openNetwork({ model: 'digits', images: 'digits' })
    const chosen = async (split?: 'judging' | 'tuning') => {
      const cell = { ...(cells['digits-linf'] as Cell), ...(split === undefined ? {} : { split }) }
      return (await chosenImages(network, cell, 4)).map(({ index }) => index)
    }
    expect([await chosen(), await chosen('judging'), await chosen('tuning')]).toEqual([
      [0, 1, 2, 3],
      [0, 2, 4, 6],
      [1, 3, 5, 7],
    ])
    await network.model.close()
  })
})
