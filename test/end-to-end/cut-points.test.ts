import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cutEverywhere } from '../run-store/cut-points.ts'
import { canTrace } from '../run-store/system-calls.ts'

// The long suite has more jobs, slow ones with checkpoints, and more of what may be left.
test.runIf(canTrace())('a run ends with the same bits, whichever call it stops behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-cuts-'))
  const names = ['the process is killed', 'only what was synced is there']
  const { calls, states, failures } = await cutEverywhere({ folder, kind: 'run', pause: 0, names })
  rmSync(folder, { recursive: true })
  expect(failures).toEqual([])
  expect(states).toBeGreaterThan(calls / 2)
})
