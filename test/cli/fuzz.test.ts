import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomNumbers } from '../run-store/damage.ts'
import { call } from './call.ts'
import { randomArguments } from './random-arguments.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-fuzz-'))
const home = process.cwd()

beforeAll(() => {
  process.chdir(folder)
  writeFileSync('good.yaml', 'objective: rosenbrock\ndim: 3\nmaxQueries: 40\n')
  writeFileSync('bad.yaml', 'objective: rosenbrock\ndim: [\n')
  writeFileSync('f.mjs', 'export default (x) => x[0] * x[0]')
})
afterAll(() => {
  process.chdir(home)
  rmSync(folder, { recursive: true, force: true })
})

test('300 random command lines end with a known exit code, one line about what is wrong, and no stack trace', async () => {
  const random = randomNumbers(5)
  const codes = new Map<number, number>()
  for (let i = 0; i < 300; i++) {
    const args = randomArguments(random)
    const { code, stdout, stderr } = await call(...args)
    const shown = JSON.stringify(args)
    expect([0, 1, 2], shown).toContain(code)
    expect(stderr, shown).not.toMatch(/^\s+at |ZEROTH_DEBUG|\[object/m)
    if (code === 2) expect(stderr, shown).toMatch(/^(zeroth: [^\n]+\n|Usage: zeroth [\s\S]*)$/)
    if (code === 0 && args.includes('--json') && !args.includes('--help') && !args.includes('--')) {
      expect(typeof JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? ''), shown).toBe('object')
      expect(stdout.trimEnd().split('\n'), shown).toHaveLength(1)
    }
    codes.set(code, (codes.get(code) ?? 0) + 1)
  }
  // The generator must reach both sides.
  expect(codes.get(0)).toBeGreaterThan(30)
  expect(codes.get(2)).toBeGreaterThan(100)
})
