import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { attackRecord } from '../../../../test/attacks/attack-record.ts'
import { cliFolder } from '../../../../test/cli/cli-folder.ts'
import type { CompiledAttack } from '../../spec/attack/index.ts'
import { lockFolder, sealedJson } from '../../store/index.ts'
import { createAttack, keepSnapshotsAt, readAttack, sameAttack } from './attack-record.ts'

const place = cliFolder()

test('a folder becomes an attack once, and says what it is', async () => {
  const folder = place('deep', 'a')
  await createAttack(folder, attackRecord())
  expect(readAttack(folder)).toEqual(attackRecord())
  expect(existsSync(place('deep', 'a', 'lock'))).toBe(false)
  await expect(createAttack(folder, attackRecord())).rejects.toThrow(
    'a is not empty (attack.json): choose another folder',
  )
})

test('a folder of others is left alone; what a killed process left is no obstacle; one at work is', async () => {
  mkdirSync(place('b'))
  writeFileSync(place('b', 'thesis.txt'), '')
  await expect(createAttack(place('b'), attackRecord())).rejects.toThrow('b is not empty (thesis.txt)')
  mkdirSync(place('c'))
  writeFileSync(place('c', 'attack.json.tmp'), '')
  await createAttack(place('c'), attackRecord())
  mkdirSync(place('d'))
  const lock = await lockFolder(place('d'))
  await expect(createAttack(place('d'), attackRecord())).rejects.toThrow('is in use by process')
  lock.release()
})

test.each([
  ['{', ' is not JSON: it is damaged'],
  ['{}', ': the format is undefined, not "zeroth-attack"'],
  ['{"format": "zeroth-attack", "version": 2}', ' has schema version 2, this zeroth reads up to 1'],
  ['{"format": "zeroth-attack", "version": 1, "id": "a"}', ' does not fit its sha256: it was damaged or changed'],
  [new TextDecoder().decode(sealedJson({ format: 'zeroth-attack', version: 1, id: 'a' })), ' is damaged: it has no c'],
])('%s: attack.json%s', (text, why) => {
  mkdirSync(place('e'), { recursive: true })
  writeFileSync(place('e', 'attack.json'), text)
  expect(() => readAttack(place('e'))).toThrow(`attack.json${why}`)
  expect(readFileSync(place('e', 'attack.json'), 'utf8')).toBe(text)
})

const wanted = (changes: object) => ({ resolved: { ...attackRecord().given, ...changes } }) as unknown as CompiledAttack

test('how an attack is made may be changed, but not while a process is at work there', async () => {
  const folder = place('kept')
  await createAttack(folder, attackRecord())
  writeFileSync(place('kept', 'index.html'), 'page')
  const before = readFileSync(place('kept', 'attack.json'), 'utf8')
  const lock = await lockFolder(folder)
  await expect(sameAttack(folder, wanted({ failUnder: 0.5 }))).rejects.toThrow('is in use by process')
  expect(readFileSync(place('kept', 'attack.json'), 'utf8')).toBe(before)
  expect(existsSync(place('kept', 'index.html'))).toBe(true)
  await sameAttack(folder, wanted({}))
  lock.release()
  await sameAttack(folder, wanted({ failUnder: 0.5 }))
  expect(readAttack(folder).spec.failUnder).toBe(0.5)
  expect(existsSync(place('kept', 'index.html'))).toBe(false)
  expect(existsSync(place('kept', 'lock'))).toBe(false)
})

test('another attack is refused', async () => {
  await createAttack(place('refused'), attackRecord())
  await expect(sameAttack(place('refused'), wanted({ seed: 3 }))).rejects.toThrow(
    'refused is another attack: its seed is 0, not 3',
  )
})

test('the iterations at which a perturbation is kept are part of the record', async () => {
  await createAttack(place('snapshots'), attackRecord())
  await keepSnapshotsAt(place('snapshots'), undefined)
  expect(readAttack(place('snapshots'))).toEqual(attackRecord())
  await keepSnapshotsAt(place('snapshots'), [10, 20])
  expect(readAttack(place('snapshots'))).toEqual({ ...attackRecord(), snapshots: [10, 20] })
})
