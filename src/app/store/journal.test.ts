import { afterEach, describe, expect, test, vi } from 'vitest'
import { faultyFiles } from '../../../test/run-store/faulty-files.ts'
import { memoryFiles } from '../../../test/run-store/memory-files.ts'
import { beginning, createJournal, Journal } from './journal.ts'
import { RunFile, type StoreFiles, syncOrAsync } from './run-file.ts'
import { scanJournal } from './scan-journal.ts'

const run = { id: 'a-run', created: 'today' }
const batch = {
  iteration: 1,
  rows: 1,
  centers: 1,
  retries: 0,
  seconds: 0,
  points: 0,
  values: Float64Array.of(1),
  failed: Uint8Array.of(0),
  cached: Uint8Array.of(0),
  notes: new Float64Array(0),
  reasons: [],
}

function open(files: StoreFiles, clock: () => number): Journal {
  createJournal(files, 'run', run)
  return new Journal({
    files,
    folder: 'run',
    run,
    at: beginning(run),
    last: beginning(run),
    clock,
    durable: 0,
    guard: () => undefined,
  })
}

afterEach(() => void vi.useRealTimers())

test('each record is in the file as soon as it is appended', () => {
  const files = memoryFiles()
  const journal = open(files, () => 0)
  for (let count = 1; count <= 3; count++) {
    journal.append(batch)
    expect(scanJournal(new RunFile(files, 'run/journal', 'r'), run).last).toEqual(journal.at)
  }
  journal.close()
})

test('records reach the disk at most once a second, and at the latest a second after they were written', () => {
  vi.useFakeTimers()
  const files = memoryFiles()
  const synced = vi.spyOn(files, 'datasync')
  const journal = open(files, () => performance.now())
  synced.mockClear()
  for (let i = 0; i < 30; i++) {
    journal.append(batch)
    vi.advanceTimersByTime(100)
  }
  expect(synced).toHaveBeenCalledTimes(3)
  vi.advanceTimersByTime(10_000)
  expect(synced).toHaveBeenCalledTimes(3)
  journal.append(batch)
  expect(synced).toHaveBeenCalledTimes(4)
  journal.append(batch)
  vi.advanceTimersByTime(999)
  expect(synced).toHaveBeenCalledTimes(4)
  vi.advanceTimersByTime(1)
  expect(synced).toHaveBeenCalledTimes(5)
  journal.close()
})

test('a disk that failed between two records is said at the next, and every later one', () => {
  vi.useFakeTimers()
  const files = memoryFiles()
  const journal = open(faultyFiles(files, 'datasync', 2, 'EIO'), () => performance.now())
  journal.append(batch)
  const size = files.content('run/journal').length
  vi.advanceTimersByTime(1000)
  for (let i = 0; i < 2; i++) expect(() => journal.append(batch)).toThrow('cannot fdatasync run/journal: EIO')
  expect(() => journal.sync()).toThrow('cannot fdatasync run/journal: EIO')
  expect(files.content('run/journal')).toHaveLength(size)
  journal.close()
})

test('records that are there are read before new ones are appended', () => {
  const files = memoryFiles()
  const first = open(files, () => 0)
  for (let iteration = 1; iteration <= 3; iteration++) first.append({ ...batch, iteration })
  first.close()
  const file = new RunFile(files, 'run/journal', 'a+')
  const { last } = scanJournal(file, run)
  const journal = new Journal({
    files,
    folder: 'run',
    run,
    at: beginning(run),
    last,
    clock: () => 0,
    durable: 0,
    guard: () => undefined,
  })
  expect([journal.unread, journal.read()?.iteration, journal.read()?.number]).toEqual([3, 1, 2])
  expect([journal.unread, journal.read()?.iteration, journal.read(), journal.unread]).toEqual([1, 3, undefined, 0])
  journal.append(batch)
  expect(journal.at.records).toBe(4)
  journal.close()
})

describe('a journal that is synced beside the loop', () => {
  /** A disk that is done when it is told to be. */
  function slowDisk() {
    const files = memoryFiles()
    const waiting: { done: () => void; fail: (error: Error) => void }[] = []
    const datasync = vi.spyOn(files, 'datasync')
    const later = {
      write: async () => 0,
      rename: async () => undefined,
      datasync: () => new Promise<void>((done, fail) => void waiting.push({ done, fail })),
      syncFolder: async () => undefined,
    }
    return { files: { ...files, datasync: files.datasync, later }, waiting, datasync }
  }

  /** Appends a record every 100 ms until the given time. */
  function appending(journal: Journal, clock: { now: number }, until: number): void {
    for (; clock.now < until; clock.now += 100) journal.append(batch)
  }

  test('does not wait for the disk, except for one that leaves more than a second behind', async () => {
    const { files, waiting, datasync } = slowDisk()
    const clock = { now: 0 }
    const journal = open(files, () => clock.now)
    datasync.mockClear()
    appending(journal, clock, 1000)
    expect([waiting.length, datasync.mock.calls.length]).toEqual([1, 0])
    waiting[0]?.done()
    await Promise.resolve()
    await new Promise(setImmediate)
    appending(journal, clock, 1900)
    expect([waiting.length, datasync.mock.calls.length]).toEqual([2, 0])
    // The second one is not done when records of 1 s ago are not there.
    appending(journal, clock, 2300)
    expect(datasync).toHaveBeenCalledTimes(1)
    waiting[1]?.done()
    await new Promise(setImmediate)
    journal.close()
  })

  test('is on the disk when that was asked for', async () => {
    const { files, waiting } = slowDisk()
    const journal = open(files, () => 0)
    journal.append(batch)
    let isDone = false
    const work = syncOrAsync(journal.syncing(files.later))?.then(() => {
      isDone = true
    })
    await new Promise(setImmediate)
    expect([waiting.length, isDone]).toEqual([1, false])
    waiting[0]?.done()
    await work
    expect(isDone).toBe(true)
    journal.close()
  })

  test('says at the next record that the disk failed', async () => {
    const { files, waiting } = slowDisk()
    const clock = { now: 0 }
    const journal = open(files, () => clock.now)
    appending(journal, clock, 1000)
    waiting[0]?.fail(Object.assign(new Error('EIO: it is broken'), { code: 'EIO' }))
    await new Promise(setImmediate)
    for (let i = 0; i < 2; i++) expect(() => journal.append(batch)).toThrow('cannot fdatasync run/journal: EIO')
    journal.close()
  })
})
