import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { outageRun } from '../end-to-end/outage.ts'

const cwd = mkdtempSync(join(tmpdir(), 'zeroth-outages-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

describe.concurrent('a server that is killed in the middle of an attack and is back after 60 seconds', () => {
  test.each(Array.from({ length: 20 }, (_, i) => 1 + i))(
    'after %i requests: the same bits with default options',
    async (at) => {
      const { ended, isSame } = await outageRun(cwd, `outage-${at}`, { at, seconds: 60 })
      expect({ code: ended.code, isSame }).toEqual({ code: 0, isSame: true })
    },
  )
})
