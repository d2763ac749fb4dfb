import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { faultyFiles } from '../../test/run-store/faulty-files.ts'
import { type MemoryFiles, memoryFiles } from '../../test/run-store/memory-files.ts'
import { lockHolder, lockIsDamaged, sweepLocks, takeLock } from './lock.ts'

const path = 'run/lock'

function textOf(files: MemoryFiles): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(files.content(path)))
}

/** A lock with some fields changed. */
function locked(changes: object = {}): MemoryFiles {
  const files = memoryFiles()
  takeLock(files, path)
  files.put(path, new TextEncoder().encode(JSON.stringify({ ...textOf(files), ...changes })))
  return files
}

async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  return child.pid as number
}

test('a lock is held until it is released, and leaves nothing behind', () => {
  const files = memoryFiles()
  const lock = takeLock(files, path)
  expect(lock.note).toBeUndefined()
  expect(files.list('run')).toEqual(['lock'])
  expect(lockHolder(files, path)?.pid).toBe(process.pid)
  lock.check()
  lock.release()
  lock.release()
  expect(files.list('run')).toEqual([])
  expect(lockHolder(files, path)).toBeUndefined()
})

test('a lock of a living process is refused with its number', () => {
  const files = locked()
  const pid = process.pid
  expect(() => takeLock(files, path)).toThrow(new RegExp(`^run is in use by process ${pid} on \\S+ \\(run/lock\\)$`))
  expect(files.list('run')).toEqual(['lock'])
})

test('a lock of a process on another machine is refused, with the advice to delete it', () => {
  expect(() => takeLock(locked({ host: 'elsewhere', pid: 12 }), path)).toThrow(
    'run is in use by process 12 on elsewhere (run/lock); if that process is gone, delete the lock',
  )
})

describe('a lock is taken over', () => {
  test('when its process is gone', async () => {
    const pid = await endedProcess()
    const files = locked({ pid })
    const lock = takeLock(files, path)
    expect(lock.note).toMatch(`took over the lock of process ${pid} on `)
    expect([textOf(files).pid, files.list('run')]).toEqual([process.pid, ['lock']])
  })

  test('when its number belongs to another process now', () => {
    const files = locked({ started: '1' })
    expect(takeLock(files, path).note).toMatch('which is gone')
  })

  test('when it came with a copy of the folder, though its process lives', () => {
    const files = locked().copy()
    expect(takeLock(files, path).note).toMatch('came with the copy of this run')
  })

  test('also when a process died while it was taking it over', async () => {
    const pid = await endedProcess()
    const files = locked({ pid })
    const dead = textOf(files)
    const claim = `${path}.after-${dead.token}`
    files.put(
      claim,
      new TextEncoder().encode(JSON.stringify({ ...dead, token: '00000000-0000-4000-8000-000000000000' })),
    )
    takeLock(files, path)
    expect(files.list('run')).toEqual(['lock'])
  })

  test('by nobody while a living process is at it', async () => {
    const files = locked({ pid: await endedProcess() })
    const dead = textOf(files)
    const claim = `${path}.after-${dead.token}`
    const living = { ...dead, pid: process.pid, token: '00000000-0000-4000-8000-000000000000' }
    files.put(claim, new TextEncoder().encode(JSON.stringify(living)))
    expect(() => takeLock(files, path)).toThrow(`in use by process ${process.pid}`)
  })
})

test.each([
  ['was moved', { path: '/elsewhere' }],
  ['has another number, as some file systems give', { inode: '12345' }],
])('a lock stays held where its folder %s', (_, change) => {
  const files = locked()
  const folder = { ...(textOf(files).folder as object), ...change }
  files.put(path, new TextEncoder().encode(JSON.stringify({ ...textOf(files), folder })))
  expect(() => takeLock(files, path)).toThrow('in use')
})

test('who found a lock to be stale does not take the lock that somebody else put in its place meanwhile', async () => {
  const files = locked({ pid: await endedProcess() })
  let first: ReturnType<typeof takeLock> | undefined
  // Another one is quicker, between the look at the lock and the claim to it.
  const slow = {
    ...files,
    open: (name: string, flags: 'r' | 'a+' | 'w' | 'wx') => {
      if (name.includes('.after-') && first === undefined) first = takeLock(files, path)
      return files.open(name, flags)
    },
  }
  expect(() => takeLock(slow, path)).toThrow('in use by process')
  first?.check()
  expect(files.list('run')).toEqual(['lock'])
})

test('a lock that was deleted or taken by hand is missed', () => {
  const files = memoryFiles()
  const lock = takeLock(files, path)
  files.unlink(path)
  expect(() => lock.check()).toThrow('run/lock was deleted')
  const other = takeLock(files, path)
  expect(() => lock.check()).toThrow(/^run\/lock was taken by process/)
  lock.release()
  other.check()
})

test.each(['', 'x', '{}', '{"pid":1}'])('a lock that says %j is refused as damaged', (content) => {
  const files = memoryFiles()
  files.put(path, new TextEncoder().encode(content))
  expect(lockIsDamaged(files, path)).toBe(true)
  expect(() => takeLock(files, path)).toThrow(
    'run/lock is damaged; if no process uses this run, delete it or run "zeroth repair"',
  )
})

test('where there are no hard links the lock is created exclusively', () => {
  const files = memoryFiles()
  const without = {
    ...files,
    link: () => {
      throw Object.assign(new Error('no links'), { code: 'EPERM' })
    },
  }
  takeLock(without, path).check()
  expect(() => takeLock(without, path)).toThrow('in use')
  expect(files.list('run')).toEqual(['lock'])
})

test('a failure on the way leaves no lock of a living process behind', () => {
  for (const call of ['link', 'write', 'datasync', 'unlink', 'close'] as const) {
    const files = memoryFiles()
    expect(() => takeLock(faultyFiles(files, call, 1, 'EIO'), path)).toThrow(/EIO/)
    expect(lockHolder(files, path)).toBeUndefined()
  }
})

test.each([
  ['a free lock', 0],
  ['a stale lock', 1],
  ['a stale lock, more than once,', 2],
])('who has a file swept away on the way to %s still gets it', async (_, stale) => {
  const files = stale === 0 ? memoryFiles() : locked({ pid: await endedProcess() })
  let swept = 0
  const sweep = (name: string) => {
    if (swept >= stale + 1 || !files.list('run').includes(name.slice('run/'.length))) return
    swept++
    files.unlink(name)
  }
  const slow = {
    ...files,
    link: (from: string, to: string) => {
      sweep(from)
      files.link(from, to)
    },
    rename: (from: string, to: string) => {
      sweep(from)
      files.rename(from, to)
    },
  }
  takeLock(slow, path).check()
  expect([swept, files.list('run')]).toEqual([stale + 1, ['lock']])
})

test('what dead processes left is swept away, what living ones need is not', async () => {
  const files = locked({ pid: await endedProcess() })
  files.rename(path, `${path}.dead`)
  files.put(`${path}.torn`, new Uint8Array(3))
  takeLock(files, path)
  files.put(`${path}.living`, files.content(path))
  sweepLocks(files, path)
  expect(files.list('run').sort()).toEqual(['lock', 'lock.living'])
})
