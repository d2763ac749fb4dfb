import { type History, playHistory, type Setting } from './history.ts'

/** Lines of the end of a history that a failure shows. */
const shown = 40

/** Plays a history; throws with all that is needed to play it once more where something that must hold does not. */
export async function checkHistory(seed: number, setting: Partial<Setting> = {}): Promise<History> {
  const history = await playHistory(seed, setting)
  if (history.wrong === undefined) return history
  const given = JSON.stringify({ ...setting, ...(setting.journalLimit === Infinity ? { journalLimit: 1e9 } : {}) })
  throw new Error(
    [
      `seed ${seed}: ${history.wrong.slice(0, 2000)}`,
      `once more, with all that happens: SIMULATION_SEED=${seed} SIMULATION_SETTING='${given}' npx vitest run --project unit test/simulation`,
      `in the setting ${JSON.stringify(history.setting)}`,
      ...history.faults.map((fault) => `fault at ${fault}`),
      `the last ${shown} things that happened:`,
      ...history.log.slice(-shown),
    ].join('\n'),
  )
}

/** What many histories came to, all of them without a mistake. */
export interface Account {
  readonly histories: number
  readonly faults: number
  readonly deaths: number
  /** Hours of the simulated clock. */
  readonly hours: number
  /** The kinds of what went wrong. */
  readonly kinds: ReadonlySet<string>
}

/** Plays the histories of so many seeds, one after the other. */
export async function checkHistories(from: number, count: number): Promise<Account> {
  const all: History[] = []
  for (let seed = from; seed < from + count; seed++) all.push({ ...(await checkHistory(seed)), log: [] })
  const faults = all.flatMap((history) => history.faults)
  return {
    histories: all.length,
    faults: faults.length,
    deaths: all.reduce((sum, { deaths }) => sum + deaths, 0),
    hours: all.reduce((sum, { time }) => sum + time, 0) / 3_600_000,
    kinds: new Set(faults.map((fault) => fault.replace(/^.*?: /, ''))),
  }
}

/** Lets the first process of a run die instead of each of its effects in turn; returns how many there are. */
export async function checkEveryDeath(seed: number, setting: Partial<Setting>, every = 1): Promise<number> {
  const { effects } = await checkHistory(seed, { ...setting, faults: 0 })
  for (let diesAt = 0; diesAt < effects; diesAt += every) await checkHistory(seed, { ...setting, faults: 0, diesAt })
  return effects
}
