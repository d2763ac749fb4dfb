import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { folderHolder, lockFolder } from './folder-lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-folder-lock-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('one process at a time writes into a folder of several runs', () => {
  expect(folderHolder(folder)).toBeUndefined()
  const lock = lockFolder(folder)
  expect(folderHolder(folder)?.pid).toBe(process.pid)
  expect(() => lockFolder(folder)).toThrow(`is in use by process ${process.pid}`)
  lock.release()
  expect(folderHolder(folder)).toBeUndefined()
  expect(existsSync(join(folder, 'lock'))).toBe(false)
  lockFolder(folder).release()
})
