import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { memoryFiles } from '../../../test/run-store/memory-files.ts'
import { about, complete, countedBowl, newFolder } from '../../../test/run-store/stored-run.ts'
import { createRun, openRun } from './open-run.ts'

describe('createRun', () => {
  test('makes the folder with meta.json, journal and lock', async () => {
    const folder = join(newFolder(), 'deep', 'run')
    const store = await createRun(folder, { ...about, machine: { cpus: 2 } })
    expect(readdirSync(folder).sort()).toEqual(['journal', 'lock', 'meta.json', 'trace.jsonl'])
    expect(store.meta).toEqual({
      format: 'zeroth-run',
      version: 1,
      ...about,
      machine: { cpus: 2 },
      extensions: [],
    })
    expect([store.checkpoint, store.result, store.notes, store.seconds]).toEqual([undefined, undefined, [], 0])
    await store.close()
    await store.close()
    expect(readdirSync(folder).sort()).toEqual(['journal', 'meta.json', 'trace.jsonl'])
  })

  test('takes an empty folder, and one in which a creation was interrupted', async () => {
    const folder = newFolder()
    mkdirSync(folder)
    await (await createRun(folder, about)).close()
    const left = newFolder()
    mkdirSync(left)
    cpSync(join(folder, 'journal'), join(left, 'journal'))
    for (const name of ['meta.json.tmp', 'lock.123']) writeFileSync(join(left, name), 'x')
    await (await createRun(left, about)).close()
    expect(readdirSync(left).sort()).toEqual(['journal', 'meta.json', 'trace.jsonl'])
  })

  test('refuses a folder with a run, or with anything else', async () => {
    const folder = newFolder()
    const store = await createRun(folder, about)
    await expect(createRun(folder, about)).rejects.toThrow(
      `${folder} holds a run already: resume it, or choose another`,
    )
    await store.close()
    const other = newFolder()
    mkdirSync(other)
    writeFileSync(join(other, 'thesis.tex'), 'x')
    await expect(createRun(other, about)).rejects.toThrow(`${other} is not empty and no run (thesis.tex)`)
    expect(readdirSync(other)).toEqual(['thesis.tex'])
  })

  test('does not write over a journal with records whose meta.json is gone', async () => {
    const files = memoryFiles()
    await complete('run', countedBowl(), {}, { files })
    for (const name of files.list('run')) if (name !== 'journal') files.unlink(`run/${name}`)
    await expect(createRun('run', about, { files })).rejects.toThrow('run is not empty and no run (journal)')
  })

  test.each([
    ['an id with a slash', { id: '../x' }, 'run.id must be 1 to 64 small letters, digits and hyphens'],
    ['a spec that is no JSON', { spec: { start: [Number.NaN] } }, 'run.spec'],
    ['a name that reaches into JavaScript', { spec: { a: { constructor: 1 } } }, 'run has a field constructor'],
  ])('refuses %s', async (_, change, message) => {
    await expect(createRun(newFolder(), { ...about, ...change } as typeof about)).rejects.toThrow(message)
  })
})

describe('openRun', () => {
  test('refuses what is not a run, and leaves no lock there', async () => {
    const folder = newFolder()
    await expect(openRun(folder)).rejects.toThrow(`${folder} is not a run: it has no meta.json`)
    mkdirSync(folder)
    await expect(openRun(folder)).rejects.toThrow(`${folder} is not a run: it has no meta.json`)
    expect(readdirSync(folder)).toEqual([])
  })

  test('refuses a run that is open, with the number of the process, and opens it once that is closed', async () => {
    const folder = newFolder()
    const store = await createRun(folder, about)
    await expect(openRun(folder)).rejects.toMatchObject({
      code: 'run-in-use',
      message: expect.stringContaining(`in use by process ${process.pid}`),
    })
    await store.close()
    await (await openRun(folder)).close()
  })

  test('opens a copy of a run that is open', async () => {
    const folder = newFolder()
    const store = await createRun(folder, about)
    const copy = newFolder()
    cpSync(folder, copy, { recursive: true })
    const copied = await openRun(copy)
    expect(copied.notes[0]).toMatch('came with the copy')
    await copied.close()
    await store.close()
  })

  test('refuses the run of a newer zeroth', async () => {
    const folder = newFolder()
    await (await createRun(folder, about)).close()
    const path = join(folder, 'meta.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"version": 1', '"version": 2'))
    await expect(openRun(folder)).rejects.toThrow(
      `${path} has schema version 2, this zeroth reads up to 1; it was written by a newer zeroth: update this one`,
    )
  })

  test('gives the lock back where the run cannot be opened', async () => {
    const files = memoryFiles()
    await (await createRun('run', about, { files })).close()
    files.unlink('run/journal')
    for (let i = 0; i < 2; i++) {
      await expect(openRun('run', { files })).rejects.toThrow(
        'run/journal is missing: put the folder back from a copy, or begin a new run',
      )
    }
  })

  test('removes what an interrupted write left', async () => {
    const files = memoryFiles()
    await (await createRun('run', about, { files })).close()
    files.put('run/checkpoint-a.tmp', new Uint8Array(9))
    await (await openRun('run', { files })).close()
    expect(files.list('run').sort()).toEqual(['journal', 'meta.json', 'trace.jsonl'])
  })
})
