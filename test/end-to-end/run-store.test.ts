import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { killRuns, rows, startProgram, until } from './kill-runs.ts'

// dist is built before these tests start: see scripts/build-if-stale.ts.

test.each(['synchronous', 'asynchronous', 'failing'])(
  'runs of a %s objective, killed at 3 random moments, end with the same bits',
  async (kind) => {
    const account = await killRuns(kind, 3)
    expect(account.kills).toBeGreaterThanOrEqual(3)
    expect(account.hashes).toHaveLength(1)
    expect(account.repeated).toBeLessThanOrEqual(account.kills * rows)
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
    for (let round = 0; round < 2; round++) {
      expect(existsSync(join(run, 'lock'))).toBe(true)
      const racers = Array.from({ length: 8 }, () => startProgram(run, 'hold'))
      await until(() => racers.every(({ output }) => output().includes('ready')))
      for (const { child } of racers) child.stdin?.write('go\n')
      await until(() => racers.every(({ output }) => /won|lost/.test(output())))
      const said = racers.map(({ output }) => output().replace('ready\n', '').trim())
      const winner = /won: (\d+)/.exec(said.join('\n'))?.[1]
      expect(said.filter((each) => each.startsWith('won'))).toHaveLength(1)
      const lost = said.filter((each) => each.startsWith('lost'))
      expect(lost.filter((each) => !each.includes('in use by process'))).toEqual([])
      // Most losers saw the winner; some may have met another one on its way to lose.
      expect(lost.some((each) => each.includes(`in use by process ${winner} `))).toBe(true)
      for (const { child } of racers) child.kill('SIGKILL')
      await Promise.all(racers.map(({ ended }) => ended))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
