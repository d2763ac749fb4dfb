import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { call } from '../../../../test/cli/call.ts'
import { checkMachine } from './help.ts'

const pages = readdirSync(fileURLToPath(new URL('../../../../docs', import.meta.url))).filter((file) =>
  file.endsWith('.md'),
)

test('lists every topic with its title and first sentence', async () => {
  const { code, stdout } = await call('docs')
  expect(code).toBe(0)
  const lines = stdout.split('\n').slice(0, pages.length)
  expect(lines.map((line) => `${line.split(' ')[0]}.md`)).toEqual(pages.sort())
  for (const line of lines) expect(line).toMatch(/^[a-z-]+ {2,}[A-Z].*[a-z.?]$/)
  expect(stdout).toMatch(
    /^parts +Choosing and combining parts: A method combines an estimator, a step, a mirror map and a set\.$/m,
  )
})

test('prints a topic without the marks of generated tables', async () => {
  const { code, stdout } = await call('docs', 'parts')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^# Choosing and combining parts\n/)
  expect(stdout).toContain('| `zoAdaMM`')
  expect(stdout).not.toContain('<!--')
})

test('an unknown topic suggests the nearest', async () => {
  const { code, stdout, stderr } = await call('docs', 'minimise')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^zeroth: docs has no topic minimise; did you mean minimize\? \(known: .*options.*\)\n$/)
  expect((await call('docs', '../README')).code).toBe(2)
})

test('what zeroth needs works where its tests run, and every finding says something', async () => {
  const findings = await checkMachine()
  expect(findings.filter(({ state }) => state === 'bad')).toEqual([])
  expect(findings.find(({ what }) => what === 'Node')?.detail).toBe(process.versions.node)
  expect(findings.find(({ what }) => what === 'onnxruntime')?.detail).toMatch(/onnxruntime/)
  for (const { detail } of findings) expect(detail).toMatch(/^[^\n]+$/)
})
