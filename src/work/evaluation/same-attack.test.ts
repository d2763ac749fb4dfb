import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { attackRecord } from '../../../test/attacks/attack-record.ts'
import { cliFolder } from '../../../test/cli/cli-folder.ts'
import type { CompiledAttack } from '../../spec/attack/index.ts'
import { lockFolder } from '../../trace/index.ts'
import { createAttack, readAttack } from './attack-record.ts'
import { keepSnapshotsAt, sameAttack } from './same-attack.ts'

const place = cliFolder()
const wanted = (changes: object) => ({ resolved: { ...attackRecord().given, ...changes } }) as unknown as CompiledAttack

test('how an attack is made may be changed, but not while a process is at work there', async () => {
  const folder = place('a')
  await createAttack(folder, attackRecord())
  writeFileSync(place('a', 'index.html'), 'page')
  const before = readFileSync(place('a', 'attack.json'), 'utf8')
  const lock = lockFolder(folder)
  expect(() => sameAttack(folder, wanted({ failUnder: 0.5 }))).toThrow('is in use by process')
  expect(readFileSync(place('a', 'attack.json'), 'utf8')).toBe(before)
  expect(existsSync(place('a', 'index.html'))).toBe(true)
  sameAttack(folder, wanted({}))
  lock.release()
  sameAttack(folder, wanted({ failUnder: 0.5 }))
  expect(readAttack(folder).spec.failUnder).toBe(0.5)
  expect(existsSync(place('a', 'index.html'))).toBe(false)
  expect(existsSync(place('a', 'lock'))).toBe(false)
})

test('another attack is refused', async () => {
  await createAttack(place('b'), attackRecord())
  expect(() => sameAttack(place('b'), wanted({ seed: 3 }))).toThrow('b is another attack: its seed is 0, not 3')
})

test('the iterations at which a perturbation is kept are part of the record', async () => {
  await createAttack(place('c'), attackRecord())
  keepSnapshotsAt(place('c'), undefined)
  expect(readAttack(place('c'))).toEqual(attackRecord())
  keepSnapshotsAt(place('c'), [10, 20])
  expect(readAttack(place('c'))).toEqual({ ...attackRecord(), snapshots: [10, 20] })
})
