import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { faultyFiles } from '../../../test/run-store/faulty-files.ts'
import { type MemoryFiles, memoryFiles } from '../../../test/run-store/memory-files.ts'
import { virtualTiming } from '../../../test/run-store/virtual-timing.ts'
import {
  freeLock,
  lease,
  lifeOf,
  lockHolder,
  lockIsDamaged,
  lockWaits,
  sweepLocks,
  takeLock,
  thisProcess,
} from './lock.ts'

const linux = existsSync('/proc/self/stat')

/** The fields that Linux gives for a process behind its name. */
function fieldsOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
}

test('this process is alive, and its start time is known where the system says it', () => {
  expect(lifeOf(thisProcess())).toBe('alive')
  expect(thisProcess().started === null).toBe(!linux)
})

test('a process that has ended is not alive', async () => {
  const child = spawn(process.execPath, ['-e', ''])
  const identity = { ...thisProcess(), pid: child.pid as number, started: null }
  await once(child, 'exit')
  expect(lifeOf(identity)).toBe('gone')
})

test.runIf(linux)('a process that only has the number of another is not that one', () => {
  expect(lifeOf({ ...thisProcess(), started: '1' })).toBe('gone')
})

test.runIf(linux)('a zombie is not alive', async () => {
  // The shell starts a process, tells its number and becomes one that never asks what has become of it.
  const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'])
  const [said] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(said.toString())
  try {
    const zombie = { ...thisProcess(), pid, started: fieldsOf(pid)[19] as string }
    while (fieldsOf(pid)[0] !== 'Z') await new Promise((resolve) => setTimeout(resolve, 5))
    expect(lifeOf(zombie)).toBe('gone')
  } finally {
    parent.kill('SIGKILL')
    await once(parent, 'exit')
  }
})

test.runIf(linux)('the name of a machine tells nothing: it may be renamed, and many are called the same', () => {
  expect(lifeOf({ ...thisProcess(), host: 'another' })).toBe('alive')
  expect(lifeOf({ ...thisProcess(), host: 'another', started: '1' })).toBe('gone')
  expect(lifeOf({ ...thisProcess(), boot: 'another start' })).toBe('unknown')
  expect(lifeOf({ ...thisProcess(), namespace: 'pid:[1]' })).toBe('unknown')
})

test('if the system does not say which start of the machine it is, its name decides', () => {
  expect(lifeOf({ ...thisProcess(), boot: null, namespace: null, host: 'another' })).toBe('unknown')
})

const path = 'run/lock'

function textOf(files: MemoryFiles): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(files.content(path)))
}

/** A lock with some fields changed. */
async function locked(changes: object = {}): Promise<MemoryFiles> {
  const files = memoryFiles()
  await takeLock(files, path)
  files.put(path, new TextEncoder().encode(JSON.stringify({ ...textOf(files), ...changes })))
  return files
}

async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  return child.pid as number
}

test('a lock is held until it is released, and leaves nothing behind', async () => {
  const files = memoryFiles()
  const lock = await takeLock(files, path)
  expect(lock.note).toBeUndefined()
  expect(files.list('run')).toEqual(['lock'])
  expect(lockHolder(files, path)?.pid).toBe(process.pid)
  lock.check()
  lock.release()
  lock.release()
  expect(files.list('run')).toEqual([])
  expect(lockHolder(files, path)).toBeUndefined()
})

test('a lock of a living process is refused with its number', async () => {
  const files = await locked()
  const pid = process.pid
  await expect(takeLock(files, path)).rejects.toThrow(
    new RegExp(`^run is in use by process ${pid} on \\S+ \\(run/lock\\)$`),
  )
  expect(files.list('run')).toEqual(['lock'])
})

describe('a lock of a process that cannot be asked', () => {
  const far = { boot: 'another start of the machine', namespace: 'pid:[1]', pid: 12, host: hostname() }

  test('is refused as soon as that gives a sign of life', async () => {
    const files = await locked(far)
    const timing = virtualTiming()
    const beat = (): void => files.put(path, Uint8Array.of(...files.content(path), 10))
    timing.every(4000, beat)
    await expect(takeLock(files, path, timing)).rejects.toThrow(
      `run is in use by process 12 on ${hostname()} (run/lock)`,
    )
    expect(timing.now()).toBeLessThanOrEqual(4500)
    expect(files.list('run')).toEqual(['lock'])
  })

  test('is taken over once that was silent for a whole lease, and this is said before', async () => {
    const files = await locked({ ...far, pid: 13 })
    const timing = virtualTiming()
    const said: unknown[] = []
    const listen = (message: unknown) => said.push(message)
    lockWaits.subscribe(listen)
    const lock = await takeLock(files, path, timing)
    lockWaits.unsubscribe(listen)
    expect(said).toEqual([
      { message: `waiting up to 20 seconds to see whether process 13 on ${hostname()} is gone, which holds run/lock` },
    ])
    expect(timing.now()).toBe(lease)
    expect(lock).toMatchObject({ mayBeShared: true, note: expect.stringMatching('gave no sign of life') })
    lock.check()
    // Its other locks need not be watched again.
    files.put('other/lock', (await locked({ ...far, pid: 13 })).content(path))
    const content = {
      ...JSON.parse(new TextDecoder().decode(files.content('other/lock'))),
      folder: files.identity('other'),
    }
    files.put('other/lock', new TextEncoder().encode(JSON.stringify(content)))
    expect((await takeLock(files, 'other/lock', timing)).mayBeShared).toBe(true)
    expect(timing.now()).toBe(lease)
  })

  test('is not taken over because who watches stood still', async () => {
    const files = await locked({ ...far, pid: 14 })
    const timing = virtualTiming()
    let looks = 0
    const sleep = async (milliseconds: number): Promise<void> => {
      // The whole machine stands still for an hour; then the other one goes on, too.
      timing.pass(++looks === 1 ? 3_600_000 : milliseconds)
      if (looks === 5) files.put(path, Uint8Array.of(...files.content(path), 10))
    }
    await expect(takeLock(files, path, { ...timing, sleep })).rejects.toThrow('in use by process 14')
  })

  test('is taken without waiting if a person says that it is gone, but never from a living process here', async () => {
    const files = await locked({ ...far, pid: 15 })
    expect(freeLock(files, path)).toBe(`process 15 on ${hostname()}`)
    const timing = virtualTiming()
    const lock = await takeLock(files, path, timing)
    expect([lock.mayBeShared, timing.now()]).toEqual([true, 0])
    expect(() => freeLock(files, path)).toThrow(`in use by process ${process.pid}`)
    files.put(path, new TextEncoder().encode('torn'))
    expect([freeLock(files, path), files.list('run')]).toEqual([undefined, []])
  })

  test('counts as held by who only looks, until it has been silent for a lease', async () => {
    const files = await locked({ ...far, pid: 16 })
    const timing = virtualTiming()
    const look = () => lockHolder(files, path, timing)?.pid
    expect(look()).toBe(16)
    timing.pass(lease - 1)
    expect(look()).toBe(16)
    files.put(path, Uint8Array.of(...files.content(path), 10))
    timing.pass(1)
    expect(look()).toBe(16)
    timing.pass(lease)
    expect(look()).toBeUndefined()
  })
})

describe('the holder of a lock', () => {
  test('gives a sign of life every few seconds, which leaves the lock as it is', async () => {
    const files = memoryFiles()
    const timing = virtualTiming()
    const lock = await takeLock(files, path, timing)
    const { length } = files.content(path)
    timing.pass(4000)
    expect(files.content(path).length).toBe(length + 1)
    lock.check()
    lock.release()
    timing.pass(100_000)
    expect(files.list('run')).toEqual([])
  })

  test('looks before it writes if it stood still for long, and only then', async () => {
    const files = memoryFiles()
    const timing = virtualTiming()
    // A process whose loop is busy: nothing is called meanwhile.
    const busy = { ...timing, every: () => () => undefined }
    const lock = await takeLock(files, path, busy)
    files.put(path, (await locked({ pid: 17 })).content(path))
    timing.pass(lease / 2 - 1)
    lock.guard()
    expect(lock.lost.aborted).toBe(false)
    timing.pass(1)
    expect(() => lock.guard()).toThrow('run/lock was taken by process 17')
    expect(lock.lost.aborted).toBe(true)
    expect(() => lock.guard()).toThrow('run/lock was taken by process 17')
    lock.release()
    expect(textOf(files).pid).toBe(17)
  })

  test('hears of a lock that was taken by its own sign of life', async () => {
    const files = memoryFiles()
    const timing = virtualTiming()
    const lock = await takeLock(files, path, timing)
    files.unlink(path)
    timing.pass(4000)
    expect(lock.lost.aborted).toBe(true)
    expect(() => lock.guard()).toThrow('run/lock was deleted')
  })
})

describe('a lock is taken over', () => {
  test('when its process is gone', async () => {
    const pid = await endedProcess()
    const files = await locked({ pid })
    const lock = await takeLock(files, path)
    expect(lock.note).toMatch(`took over the lock of process ${pid} on `)
    expect([textOf(files).pid, files.list('run')]).toEqual([process.pid, ['lock']])
  })

  test('when its number belongs to another process now', async () => {
    const files = await locked({ started: '1' })
    expect((await takeLock(files, path)).note).toMatch('which is gone')
  })

  test('when it came with a copy of the folder, though its process lives', async () => {
    const files = (await locked()).copy()
    expect((await takeLock(files, path)).note).toMatch('came with the copy of this run')
  })

  test('also when a process died while it was taking it over', async () => {
    const pid = await endedProcess()
    const files = await locked({ pid })
    const dead = textOf(files)
    const claim = `${path}.after-${dead.token}`
    files.put(
      claim,
      new TextEncoder().encode(JSON.stringify({ ...dead, token: '00000000-0000-4000-8000-000000000000' })),
    )
    await takeLock(files, path)
    expect(files.list('run')).toEqual(['lock'])
  })

  test('by nobody while a living process is at it', async () => {
    const files = await locked({ pid: await endedProcess() })
    const dead = textOf(files)
    const claim = `${path}.after-${dead.token}`
    const living = { ...dead, pid: process.pid, token: '00000000-0000-4000-8000-000000000000' }
    files.put(claim, new TextEncoder().encode(JSON.stringify(living)))
    await expect(takeLock(files, path)).rejects.toThrow(`in use by process ${process.pid}`)
  })
})

test.each([
  ['was moved', { path: '/elsewhere' }],
  ['has another number, as some file systems give', { inode: '12345' }],
])('a lock stays held where its folder %s', async (_, change) => {
  const files = await locked()
  const folder = { ...(textOf(files).folder as object), ...change }
  files.put(path, new TextEncoder().encode(JSON.stringify({ ...textOf(files), folder })))
  await expect(takeLock(files, path)).rejects.toThrow('in use')
})

test('who found a lock to be stale does not take the lock that somebody else put in its place meanwhile', async () => {
  const files = await locked({ pid: await endedProcess() })
  let first: ReturnType<typeof takeLock> | undefined
  // Another one is quicker, between the look at the lock and the claim to it.
  const slow = {
    ...files,
    open: (name: string, flags: 'r' | 'a+' | 'wx') => {
      if (name.includes('.after-') && first === undefined) first = takeLock(files, path)
      return files.open(name, flags)
    },
  }
  await expect(takeLock(slow, path)).rejects.toThrow('in use by process')
  ;(await first)?.check()
  expect(files.list('run')).toEqual(['lock'])
})

test('a lock that was deleted or taken by hand is missed', async () => {
  const files = memoryFiles()
  const lock = await takeLock(files, path)
  files.unlink(path)
  const other = await takeLock(files, path)
  expect(() => lock.check()).toThrow(/^run\/lock was taken by process/)
  lock.release()
  other.check()
})

describe.each(['', 'x', '{}', '{"pid":1}'])('a lock that says %j', (content) => {
  const damaged = () => {
    const files = memoryFiles()
    files.put(path, new TextEncoder().encode(content))
    return files
  }

  test('is taken over if nobody gives a sign of life for a lease', async () => {
    const files = damaged()
    expect(lockIsDamaged(files, path)).toBe(true)
    const timing = virtualTiming()
    const lock = await takeLock(files, path, timing)
    expect(timing.now()).toBeGreaterThanOrEqual(lease)
    expect(lock.note).toBe('took over the lock of a process that did not say which, which gave no sign of life')
    lock.check()
    lock.release()
    expect(files.list('run')).toEqual([])
  })

  test('is refused once its process gives a sign of life', async () => {
    const files = damaged()
    const timing = virtualTiming()
    const sleep = async (milliseconds: number) => {
      if (timing.now() > 5000) files.put(path, new TextEncoder().encode(`${content}\n`))
      timing.pass(milliseconds)
    }
    await expect(takeLock(files, path, { ...timing, sleep })).rejects.toThrow(
      'run is in use by a process that did not say which (run/lock)',
    )
  })
})

test('where there are no hard links the lock is created exclusively', async () => {
  const files = memoryFiles()
  const without = {
    ...files,
    link: () => {
      throw Object.assign(new Error('no links'), { code: 'EPERM' })
    },
  }
  ;(await takeLock(without, path)).check()
  await expect(takeLock(without, path)).rejects.toThrow('in use')
  expect(files.list('run')).toEqual(['lock'])
})

test('a failure on the way leaves no lock of a living process behind', async () => {
  for (const call of ['link', 'write', 'datasync', 'unlink', 'close'] as const) {
    const files = memoryFiles()
    await expect(takeLock(faultyFiles(files, call, 1, 'EIO'), path)).rejects.toThrow(/EIO/)
    expect(lockHolder(files, path)).toBeUndefined()
  }
})

test.each([
  ['a free lock', 0],
  ['a stale lock', 1],
  ['a stale lock, more than once,', 2],
])('who has a file swept away on the way to %s still gets it', async (_, stale) => {
  const files = stale === 0 ? memoryFiles() : await locked({ pid: await endedProcess() })
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
  ;(await takeLock(slow, path)).check()
  expect([swept, files.list('run')]).toEqual([stale + 1, ['lock']])
})

test('what dead processes left is swept away, what living ones need is not', async () => {
  const files = await locked({ pid: await endedProcess() })
  files.rename(path, `${path}.dead`)
  files.put(`${path}.torn`, new Uint8Array(3))
  await takeLock(files, path)
  files.put(`${path}.living`, files.content(path))
  sweepLocks(files, path)
  expect(files.list('run').sort()).toEqual(['lock', 'lock.living'])
})
