import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { nodeFiles, writingAtomically } from '../../src/app/store/run-file.ts'

const folder = fs.mkdtempSync(join(tmpdir(), 'zeroth-real-files-'))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))
afterEach(() => vi.restoreAllMocks())

// The other tests of the store put files of their own in the place of these. A power cut cannot be had here; that the kernel is
// told to make a rename last can be seen.
test.skipIf(process.platform === 'win32')('a folder is synced in the asynchronous path of production', async () => {
  const synced: string[] = []
  const open = fs.promises.open.bind(fs.promises)
  vi.spyOn(fs.promises, 'open').mockImplementation(async (path, ...how) => {
    const handle = await open(path, ...how)
    const sync = handle.sync.bind(handle)
    handle.sync = async () => {
      await sync()
      synced.push(String(path))
    }
    return handle
  })
  await nodeFiles.later?.syncFolder(folder)
  expect(synced).toEqual([folder])
})

test('what was written beside the loop is there under its new name', async () => {
  const [from, to] = [join(folder, 'a.tmp'), join(folder, 'a')]
  const file = nodeFiles.open(from, 'wx')
  const bytes = Uint8Array.of(1, 2, 3)
  expect(await nodeFiles.later?.write(file, bytes, 0, 3)).toBe(3)
  await nodeFiles.later?.datasync(file)
  nodeFiles.close(file)
  await nodeFiles.later?.rename(from, to)
  expect(fs.readdirSync(folder)).toEqual(['a'])
  expect(fs.readFileSync(to)).toEqual(Buffer.from(bytes))
})

test('a file put in its place beside the loop is synced, renamed, and its folder synced, in this order', async () => {
  const calls: string[] = []
  const { later } = nodeFiles
  if (later === undefined) throw new Error('there is no way beside the loop')
  const told = {
    write: (...given: Parameters<typeof later.write>) => note('write', later.write(...given)),
    datasync: (file: number) => note('datasync', later.datasync(file)),
    rename: (from: string, to: string) => note('rename', later.rename(from, to)),
    syncFolder: (path: string) => note(`syncFolder ${path}`, later.syncFolder(path)),
  }
  const note = async <T>(call: string, work: Promise<T>): Promise<T> => {
    const result = await work
    calls.push(call)
    return result
  }
  for (const step of writingAtomically(nodeFiles, join(folder, 'b'), [Uint8Array.of(1), Uint8Array.of(2)], told))
    await step
  expect(calls).toEqual(['write', 'write', 'datasync', 'rename', `syncFolder ${folder}`])
})
