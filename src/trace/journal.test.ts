import { afterEach, expect, test, vi } from 'vitest'
import { faultyFiles } from '../../test/run-store/faulty-files.ts'
import { memoryFiles } from '../../test/run-store/memory-files.ts'
import { beginning, createJournal, Journal } from './journal.ts'
import { RunFile } from './run-file.ts'
import { scanJournal } from './scan-journal.ts'
import type { StoreFiles } from './store-files.ts'

const run = { id: 'a-run', created: 'today' }
const batch = {
  iteration: 1,
  rows: 1,
  centers: 1,
  retries: 0,
  seconds: 0,
  values: Float64Array.of(1),
  failed: Uint8Array.of(0),
  cached: Uint8Array.of(0),
  notes: new Float64Array(0),
  reasons: [],
}

function open(files: StoreFiles, clock: () => number): Journal {
  createJournal(files, 'run', run)
  return new Journal({ files, folder: 'run', run, at: beginning(run), last: beginning(run), clock })
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
  const journal = new Journal({ files, folder: 'run', run, at: beginning(run), last, clock: () => 0 })
  expect([journal.unread, journal.read()?.iteration, journal.read()?.number]).toEqual([3, 1, 2])
  expect([journal.unread, journal.read()?.iteration, journal.read(), journal.unread]).toEqual([1, 3, undefined, 0])
  journal.append(batch)
  expect(journal.at.records).toBe(4)
  journal.close()
})
