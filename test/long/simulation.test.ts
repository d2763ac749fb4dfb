import process from 'node:process'
import { expect, test } from 'vitest'
import { checkEveryDeath, checkHistories } from '../simulation/histories.ts'

/** Other histories each time; a failure names the seed of its own. */
const first = process.env.PROPERTIES === 'random' ? Math.floor(Math.random() * 1e9) : 1000

test('5000 histories of a run, its store, its queue and its workers end as if nothing had gone wrong', async () => {
  const { histories, faults, deaths, hours } = await checkHistories(first, 5000)
  const what = `${faults} faults, ${deaths} processes dead, ${Math.round(hours)} simulated hours`
  process.stdout.write(`${histories} histories from seed ${first}: ${what}\n`)
  expect(histories).toBe(5000)
})

test.each([
  ['alone', { workers: 0, isLater: false }],
  ['that writes beside its loop', { workers: 0, isLater: true }],
  ['with workers', { workers: 2, isLater: true }],
  ['without hard links', { workers: 0, isLater: false, hasLinks: false }],
])('a run %s ends as if nothing had gone wrong, whichever of its effects it dies before', async (kind, setting) => {
  for (const journalLimit of [1, Infinity]) {
    const deaths = await checkEveryDeath(1, { hasLinks: true, ...setting, journalLimit })
    process.stdout.write(`a run ${kind}, journals of ${journalLimit} bytes: ${deaths} deaths\n`)
    expect(deaths).toBeGreaterThan(100)
  }
})
