import process from 'node:process'
import { describe, expect, test } from 'vitest'
import { checkEveryDeath, checkHistories, checkHistory } from './histories.ts'
import { faultKinds, playHistory } from './history.ts'

// Thousands of histories, and deaths in every setting: test/long/simulation.test.ts.

const { SIMULATION_SEED: seed, SIMULATION_SETTING: setting = '{}' } = process.env

test.runIf(seed !== undefined)(`the history of seed ${seed}`, async () => {
  const { log } = await playHistory(Number(seed), JSON.parse(setting))
  process.stdout.write(`${log.join('\n')}\n`)
  await checkHistory(Number(seed), JSON.parse(setting))
})

describe.skipIf(seed !== undefined)('a run, its store, its queue and its workers on simulated machines', () => {
  test('end as if nothing had gone wrong, whatever goes wrong: 100 histories', async () => {
    const { histories, faults, deaths, kinds } = await checkHistories(0, 100)
    expect(histories).toBe(100)
    expect(faults).toBeGreaterThan(200)
    expect(deaths).toBeGreaterThan(200)
    expect([...kinds].sort()).toEqual([...faultKinds].sort())
  })

  test('end as if nothing had gone wrong, whichever of its effects the run dies before', async () => {
    expect(await checkEveryDeath(1, { workers: 0, isLater: false, hasLinks: true, journalLimit: 1 })).toBeGreaterThan(
      100,
    )
  })

  test('go on where a process has died before it heard that its last checkpoint was written', async () => {
    expect((await checkHistory(468_513_996)).faults[0]).toBe('1632 ms: the power is cut')
  })

  test('have the same history each time', async () => {
    for (const each of [1, 2, 3, 4, 5]) {
      const [first, second] = [await playHistory(each), await playHistory(each)]
      expect(second).toEqual(first)
    }
  })
})
