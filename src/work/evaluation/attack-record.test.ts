import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { attackRecord } from '../../../test/attacks/attack-record.ts'
import { cliFolder } from '../../../test/cli/cli-folder.ts'
import { lockFolder } from '../../trace/index.ts'
import { createAttack, readAttack } from './attack-record.ts'

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
  const lock = lockFolder(place('d'))
  await expect(createAttack(place('d'), attackRecord())).rejects.toThrow('is in use by process')
  lock.release()
})

test.each([
  ['{', 'it is no JSON'],
  ['{}', 'its format is not "zeroth-attack"'],
  ['{"format": "zeroth-attack", "version": 2}', 'its version is 2, this zeroth knows 1'],
  ['{"format": "zeroth-attack", "version": 1, "id": "a"}', 'it has no created'],
])('%s is damaged: %s', (text, why) => {
  mkdirSync(place('e'), { recursive: true })
  writeFileSync(place('e', 'attack.json'), text)
  expect(() => readAttack(place('e'))).toThrow(`attack.json is damaged: ${why}`)
  expect(readFileSync(place('e', 'attack.json'), 'utf8')).toBe(text)
})
