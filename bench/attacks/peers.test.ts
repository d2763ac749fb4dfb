import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type Cell, cells } from './cells.ts'
import type { Ending, Round } from './contender.ts'
import { openPeers } from './peers.ts'
import { testImage, testNetwork } from './test-network.ts'

const program = { command: process.execPath, args: [fileURLToPath(new URL('test-peer.mjs', import.meta.url))] }
const limited: Cell = { ...(cells['cifar10-l2'] as Cell), limit: 0.35, budget: 20 }
const nearest: Cell = { ...(cells['digits-nearest'] as Cell), budget: 20 }

/** What a peer of the test program made of some images. */
async function attacked(name: string, cell: Cell, given: Partial<Round> = {}): Promise<[number, Ending][]> {
  const network = await testNetwork()
  const { contenders } = await openPeers(program)
  const peer = contenders.find((each) => each.name === name)
  const found: [number, Ending][] = []
  const done = (image: number, ending: Ending) => void found.push([image, ending])
  await peer?.run({ cell, network, images: [testImage(0)], seed: 2, timeLimit: 20_000, done, ...given })
  peer?.close()
  await network.model.close()
  return found
}

describe('an attack of another package in a process of its own', () => {
  it('is offered with its version and what it is for, or named as missing', async () => {
    const { contenders, missing } = await openPeers(program)
    for (const each of contenders) each.close()
    expect(contenders.map(({ name, version, kinds }) => [name, version, kinds.join()])).toEqual([
      ['brightener', 'nowhere 1', 'l2,nearest'],
      ['crasher', 'nowhere 1', 'l2,nearest'],
      ['endless', 'nowhere 1', 'l2,nearest'],
    ])
    expect(missing).toEqual(['absent: nowhere is not installed'])
  })

  it('is stopped at its first success inside the limit, every row before it counted', async () => {
    const images = [testImage(0), testImage(1)]
    const found = await attacked('brightener', limited, { images })
    // Steps of 0.1 and 0.2 are too short; the sixth row, 0.3 away, succeeds.
    expect(found.map(([image, { first, queries }]) => [image, first, queries])).toEqual([
      [0, 6, 6],
      [1, 6, 6],
    ])
    expect(found.map(([, { note }]) => note)).toEqual([
      'stopped, seed 2000, limit 0.35',
      'stopped, seed 2001, limit 0.35',
    ])
  })

  it('runs to its end or to the budget where the nearest success is wanted', async () => {
    const [whole] = await attacked('brightener', nearest)
    expect(whole?.[1]).toMatchObject({
      first: 6,
      queries: 8,
      note: 'ended',
      best: [expect.closeTo(0.3, 6), expect.closeTo(0.3, 6)],
    })
    const [cut] = await attacked('endless', { ...nearest, budget: 11 })
    expect(cut?.[1]).toMatchObject({ first: 6, queries: 11, note: 'stopped, seed 2000, limit undefined' })
  })

  it('that crashes fails on that image, and is started anew for the next', async () => {
    const found = await attacked('crasher', nearest, { images: [testImage(0), testImage(1)] })
    expect(found.map(([, { note, queries }]) => [note, queries])).toEqual([
      ['failed: the process ended: crashed', 0],
      ['failed: the process ended: crashed', 0],
    ])
  })

  it('that takes too long is ended', async () => {
    const [late] = await attacked('endless', { ...nearest, budget: 1e9 }, { timeLimit: 50 })
    expect(late?.[1].note).toBe('failed: more than 0.05 s')
  })

  it('that cannot be started is missing', async () => {
    const { contenders, missing } = await openPeers({ command: 'no-such-program', args: [] })
    expect(contenders).toEqual([])
    expect(missing[0]).toContain('ENOENT')
  })
})
