import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { cliFolder } from '../../test/cli/cli-folder.ts'
import { openReproduction, type ReproduceRecord, readReproduction, writeReproduction } from './reproduce-record.ts'
import { beginWorkSession, workSessionsOf } from './work-session.ts'

const path = cliFolder()
const open = async (name: string): Promise<string> => {
  await openReproduction(path(name), { scale: 'quick' }, ['table-1'])
  return path(name)
}
const recordIn = (folder: string) => readReproduction(folder) as ReproduceRecord

/** Clocks that stand where they are set. */
function clocks(day: string) {
  let seconds = 0
  return {
    pass: (more: number) => {
      seconds += more
    },
    elapsed: () => 1000 * seconds,
    timeOfDay: () => `${day}T00:00:${String(seconds).padStart(2, '0')}.000Z`,
  }
}

describe('a session', () => {
  test('is kept from its beginning, with every attack that ends, and at its end', async () => {
    const folder = await open('kept')
    expect(recordIn(folder).sittings).toEqual([])
    const clock = clocks('2026-01-01')
    const session = beginWorkSession(folder, { command: 'zeroth a', conduct: { only: 'x' } }, clock)
    const [begun] = recordIn(folder).sittings ?? []
    expect(begun).toMatchObject({ began: '2026-01-01T00:00:00.000Z', seconds: 0, attacks: 0, command: 'zeroth a' })
    expect(begun?.zeroth).toMatch(/^\d+\.\d+\.\d+/)
    expect(begun?.machine.node).toBe(process.versions.node)
    expect(begun?.commit ?? '0000000').toMatch(/^[0-9a-f]{7,}( \+ changes)?$/)
    clock.pass(10)
    session.done()
    expect(recordIn(folder)).toMatchObject({ seconds: 10, conduct: { only: 'x' } })
    clock.pass(5)
    expect(session.end()).toEqual(recordIn(folder))
    expect(recordIn(folder).sittings).toMatchObject([{ ended: '2026-01-01T00:00:15.000Z', seconds: 15, attacks: 1 }])
  })

  test('adds to those before it, and leaves them as they are', async () => {
    const folder = await open('several')
    for (const day of ['2026-01-01', '2026-01-02']) {
      const clock = clocks(day)
      const session = beginWorkSession(folder, { command: day, conduct: {} }, clock)
      clock.pass(20)
      session.done()
      session.end()
    }
    const { sittings, seconds } = recordIn(folder)
    expect(sittings?.map(({ command, seconds: each }) => [command, each])).toEqual([
      ['2026-01-01', 20],
      ['2026-01-02', 20],
    ])
    expect(seconds).toBe(40)
  })

  test('of a process that was killed stays as far as it was kept; others at work in the folder are not touched', async () => {
    const folder = await open('two')
    const [one, other] = [clocks('2026-01-01'), clocks('2026-01-02')]
    beginWorkSession(folder, { command: 'killed', conduct: {} }, one).done()
    const second = beginWorkSession(folder, { command: 'second', conduct: {} }, other)
    other.pass(7)
    second.end()
    expect(recordIn(folder).sittings).toMatchObject([
      { command: 'killed', attacks: 1 },
      { command: 'second', seconds: 7 },
    ])
  })

  test('without an attack is forgotten within seconds; a long one is not', async () => {
    const folder = await open('nothing')
    const clock = clocks('2026-01-01')
    const short = beginWorkSession(folder, { command: 'wrong path', conduct: {} }, clock)
    clock.pass(1)
    expect(short.end()).toMatchObject({ seconds: 0, sittings: [] })
    const long = beginWorkSession(folder, { command: 'long', conduct: {} }, clock)
    clock.pass(4)
    expect(long.end()).toMatchObject({ seconds: 4, sittings: [{ command: 'long', attacks: 0 }] })
  })

  test('is kept again and again while nothing ends, and a folder that is gone does not end the work', async () => {
    const folder = await open('timer')
    const clock = clocks('2026-01-01')
    const session = beginWorkSession(folder, { command: 'x', conduct: {} }, { ...clock, every: 5 })
    clock.pass(30)
    await sleep(50)
    expect(recordIn(folder)).toMatchObject({ seconds: 30, sittings: [{ seconds: 30 }] })
    const text = readFileSync(`${folder}/reproduce.json`, 'utf8')
    writeFileSync(`${folder}/reproduce.json`, '{')
    await sleep(20)
    writeFileSync(`${folder}/reproduce.json`, text)
    session.end()
  })
})

test('a folder from before sessions were recorded has a single one, from its own data', async () => {
  const folder = await open('old')
  const { sittings: _, ...rest } = recordIn(folder)
  const old = { ...rest, created: '2025-01-01T00:00:00.000Z', zeroth: '0.0.9', seconds: 100 }
  writeReproduction(folder, old)
  expect(workSessionsOf(recordIn(folder))).toEqual([
    { began: old.created, seconds: 100, zeroth: '0.0.9', machine: old.machine },
  ])
  await openReproduction(folder, {}, [])
  expect('sittings' in recordIn(folder)).toBe(false)
  const clock = clocks('2026-01-01')
  const session = beginWorkSession(folder, { command: 'on', conduct: {} }, clock)
  clock.pass(5)
  const { sittings, seconds } = session.end()
  expect(sittings).toMatchObject([
    { began: old.created, seconds: 100 },
    { command: 'on', seconds: 5 },
  ])
  expect(seconds).toBe(105)
})
