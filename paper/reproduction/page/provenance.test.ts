import { describe, expect, test } from 'vitest'
import { type Provenance, provenanceRows, type WorkSession } from './provenance.ts'

const session: WorkSession = {
  began: '2026-01-02T23:04:05.678Z',
  ended: '2026-01-02T23:59:59.000Z',
  seconds: 3000,
  attacks: 5,
  command: 'npm run reproduce -- --out x',
  zeroth: '0.1.0',
  commit: 'abc1234',
  machine: { processor: '2 x Fast', memory: '8 GiB', system: 'linux 6', node: '20.1.0' },
}
const progress = { done: 5, cells: 5, modelCalls: 1_234_567 }
const rowsOf = (sessions: readonly WorkSession[], more: Partial<Provenance> = {}, at = progress) => {
  const seconds = sessions.reduce((sum, each) => sum + each.seconds, 0)
  return Object.fromEntries(provenanceRows({ seed: 7, command: 'again', seconds, sittings: sessions, ...more }, at))
}

describe('how a reproduction came about', () => {
  test('is command, commit, seed, machine, date and effort', () => {
    expect(rowsOf([session])).toEqual({
      command: 'npm run reproduce -- --out x',
      zeroth: '0.1.0',
      commit: 'abc1234',
      seed: '7',
      machine: '2 x Fast, 8 GiB, linux 6, Node 20.1.0',
      date: '2026-01-02 23:04 to 23:59 UTC',
      sessions: '1',
      'running time': '50 min 0 s',
      attacks: '5',
      'images classified': '1,234,567',
    })
  })

  test('is said of all sessions together, and what they differ in of each', () => {
    const other = {
      ...session,
      began: '2026-01-04T00:00:00.000Z',
      ended: '2026-01-04T01:00:00.000Z',
      command: 'zeroth resume x',
      commit: 'fff0000 + changes',
      machine: { ...session.machine, memory: '16 GiB' },
    }
    expect(rowsOf([session, other, other], {}, { ...progress, cells: 9 })).toMatchObject({
      command: 'npm run reproduce -- --out x',
      zeroth: '0.1.0',
      commit: 'abc1234; fff0000 + changes',
      machine: '2 x Fast, 8 GiB, linux 6, Node 20.1.0; 2 x Fast, 16 GiB, linux 6, Node 20.1.0',
      date: '2026-01-02 23:04 UTC to 2026-01-04 01:00 UTC',
      sessions: '3',
      'running time': '2 h 30 min',
      attacks: '5 of 9',
    })
  })

  test('says where nothing was kept, and what a package without a checkout has instead of a commit', () => {
    const { ended: _, attacks: __, command: ___, commit: ____, ...old } = session
    expect(rowsOf([old])).toMatchObject({
      command: 'not recorded',
      commit: 'not recorded',
      date: 'begun 2026-01-02 23:04 UTC',
      sessions: '1',
    })
    expect(rowsOf([{ ...session, commit: undefined }])).toMatchObject({ commit: 'none: not run from a git checkout' })
    expect(rowsOf([{ ...old, seconds: 0 }])).toMatchObject({ 'running time': 'not recorded' })
    expect(rowsOf([{ ...old, seconds: 0 }, session])).toMatchObject({ 'running time': '50 min 0 s and more' })
    expect(rowsOf([])).toMatchObject({ command: 'not recorded', zeroth: 'not recorded', sessions: 'not recorded' })
  })
})
