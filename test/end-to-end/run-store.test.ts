import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { killedRun, startProgram, until } from './kill-runs.ts'

// dist is built before these tests start: see scripts/build-if-stale.ts.

/** Queries of an iteration: as many may have been under way when a process was killed. */
const rows = 5

test.each(['synchronous', 'asynchronous', 'failing'])(
  'a run of a %s objective that is killed at 25 random moments ends with the bits of one that is not',
  async (kind) => {
    const whole = await killedRun(kind, 0, 0)
    expect(whole.asked).toBe(whole.queries)
    const killed = await killedRun(kind, 25, 1)
    expect(killed).toMatchObject({ hash: whole.hash, queries: whole.queries })
    expect(killed.kills).toBeGreaterThanOrEqual(15)
    expect(killed.asked - whole.asked).toBeLessThanOrEqual(killed.kills * rows)
  },
)

test('of eight processes that open a run at once whose own process was killed, exactly one gets it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-race-'))
  const run = join(folder, 'run')
  try {
    const first = startProgram(run, 'synchronous', join(folder, 'count'))
    await until(() => existsSync(join(folder, 'count')))
    first.child.kill('SIGKILL')
    await first.ended
    for (let round = 0; round < 4; round++) {
      expect(existsSync(join(run, 'lock'))).toBe(true)
      const racers = Array.from({ length: 8 }, () => startProgram(run, 'hold'))
      await until(() => racers.every(({ output }) => output().includes('ready')))
      for (const { child } of racers) child.stdin?.write('go\n')
      await until(() => racers.every(({ output }) => /won|lost/.test(output())))
      const said = racers.map(({ output }) => output().replace('ready\n', '').trim())
      const winner = /won: (\d+)/.exec(said.join('\n'))?.[1]
      expect(said.filter((each) => each.startsWith('won'))).toHaveLength(1)
      const lost = said.filter((each) => each.startsWith('lost'))
      expect(lost.every((each) => each.includes('in use by process'))).toBe(true)
      // Most losers saw the winner; some may have met another one on its way to lose.
      expect(lost.some((each) => each.includes(`in use by process ${winner} `))).toBe(true)
      for (const { child } of racers) child.kill('SIGKILL')
      await Promise.all(racers.map(({ ended }) => ended))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
