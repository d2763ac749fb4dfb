import { expect, test } from 'vitest'
import { checkMachine } from './doctor.ts'

test('what zeroth needs works where its tests run, and every finding says something', async () => {
  const findings = await checkMachine()
  expect(findings.filter(({ state }) => state === 'bad')).toEqual([])
  expect(findings.find(({ what }) => what === 'Node')?.detail).toBe(process.versions.node)
  expect(findings.find(({ what }) => what === 'onnxruntime')?.detail).toMatch(/onnxruntime/)
  for (const { detail } of findings) expect(detail).toMatch(/^[^\n]+$/)
})
