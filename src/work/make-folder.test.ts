import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from './make-folder.ts'

test('makes all that is missing, and nothing twice', async () => {
  const root = mkdtempSync(join(tmpdir(), 'zeroth-folders-'))
  try {
    await makeFolder(join(root, 'a/b/c'))
    await makeFolder(join(root, 'a/b/c'))
    expect(existsSync(join(root, 'a/b/c'))).toBe(true)
    writeFileSync(join(root, 'file'), '')
    await expect(makeFolder(join(root, 'file/x'))).rejects.toThrow('ENOTDIR')
  } finally {
    rmSync(root, { recursive: true })
  }
})

test.runIf(existsSync('/proc/self'))('gives up where nothing can be made', async () => {
  await expect(makeFolder('/proc/zeroth/run')).rejects.toThrow('ENOENT')
})
