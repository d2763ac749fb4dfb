import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { servedAs, servedBy } from './served.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-served-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

test('programs and modules count by their content, wherever they are', () => {
  const [one, same, other] = [file('a.py', '1'), file('b.py', '1'), file('c.py', '2')]
  const exec = (path: string, more: object = {}) =>
    servedBy({ name: 'exec', command: ['python3', path], dim: 3, ...more })
  expect(exec(one).hash).toBe(exec(same).hash)
  expect(exec('a.py', { cwd: folder }).hash).toBe(exec(same, { cwd: '/' }).hash)
  expect(exec(one).hash).not.toBe(exec(other).hash)
  expect(servedBy({ name: 'module', module: one }).hash).not.toBe(servedBy({ name: 'module', module: other }).hash)
})

test('what decides about values counts, how it is asked does not', () => {
  const box = { name: 'exec', command: ['simulate', '--fast'], dim: 3, env: {} }
  const { hash } = servedBy(box)
  expect(servedBy({ ...box, timeout: 5, processes: 7, maxLineBytes: 9 }).hash).toBe(hash)
  expect(servedBy({ ...box, dim: 4 }).hash).not.toBe(hash)
  expect(servedBy({ ...box, env: { MODE: 'b' } }).hash).not.toBe(hash)
  expect(servedBy({ ...box, command: ['simulate', '--slow'] }).hash).not.toBe(hash)
  expect(servedBy({ name: 'workers', module: 'data:,1', workers: 3 })).toEqual(
    servedBy({ name: 'module', module: 'data:,1' }),
  )
})

test('it is said in words', () => {
  expect(servedBy({ name: 'exec', command: ['/usr/bin/python3', 'f.py'] }).what).toBe('exec python3 f.py')
  expect(servedBy({ name: 'module', module: '/home/me/f.js' }).what).toBe('module f.js')
  expect(servedBy({ name: 'http', url: 'http://x/f' }).what).toBe('http http://x/f')
  expect(servedBy({ name: 'rosenbrock', dim: 3 }).what).toBe('rosenbrock')
  expect(servedAs('wing'.repeat(50)).what).toHaveLength(100)
})
