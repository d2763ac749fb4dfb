import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { minimize } from 'zeroth'
import { workersObjective } from 'zeroth/objectives'
import { call } from '../cli/call.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-variables-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Reads names, and refuses a point that is not inside or not the same as its list. */
const program = join(folder, 'objective.mjs')
writeFileSync(
  program,
  `import { createInterface } from 'node:readline'
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, x, variables } = JSON.parse(line)
  const { rate, width } = variables
  const isRight = x[0] === rate && x[1] === width && rate >= 1e-5 && rate <= 0.1 && width >= 0 && width <= 4
  const value = (Math.log10(rate) + 2.5) ** 2 + (width - 3.9) ** 2
  console.log(JSON.stringify(isRight ? { id, value } : { id, error: 'outside: ' + line }))
})
`,
)
const command = ['minimize', '--exec', `${process.execPath} ${program}`, '--seed', '2', '--quiet']
const variables = ['--variable', 'rate=1e-5..0.1:log', '--variable', 'width=0..4']

interface Shown {
  readonly status: string
  readonly queries: number
  readonly point: readonly number[]
  readonly variables: { readonly rate: number; readonly width: number }
  readonly hash: string
}

test('threads call a function of names', async () => {
  const bowl = 'export default ({ rate, width }) => (1000 * rate - 3) ** 2 + (width - 2) ** 2'
  const module = `data:text/javascript,${encodeURIComponent(bowl)}`
  const objective = workersObjective({ dim: 2, names: ['rate', 'width'], module, workers: 1 })
  const ranges = { rate: { from: 1e-5, to: 0.1, scale: 'log' }, width: { from: 0, to: 4 } } as const
  const options = { variables: ranges, maxQueries: 100, seed: 4 }
  const there = await minimize(objective, options)
  await objective.close()
  const here = await minimize(({ rate, width }) => (1000 * rate - 3) ** 2 + (width - 2) ** 2, options)
  expect(there).toEqual(here)
})

test('a program that reads names is minimised; the run is shown, exported, reported and resumed in own units', async () => {
  const whole = join(folder, 'whole')
  const { code, stdout } = await call(...command, ...variables, '--max-queries', '600', '--out', whole, '--json')
  const found = JSON.parse(stdout) as Shown
  expect({ code, status: found.status }).toEqual({ code: 0, status: 'finished' })
  expect(found.point).toEqual([found.variables.rate, found.variables.width])
  expect(Math.log10(found.variables.rate)).toBeCloseTo(-2.5, 0)
  expect(found.variables.width).toBeGreaterThan(3.5)

  const shown = (await call('show', whole)).stdout
  expect(shown).toMatch(/point {7}rate {3}0\.00\d+\n {12}width {2}(3\.|4)/)
  const exported = JSON.parse((await call('export', whole, '--format', 'json')).stdout) as { result: Shown }
  expect(exported.result.variables).toEqual(found.variables)
  const page = join(folder, 'page')
  await call('report', whole, '--out', page)
  expect(readFileSync(join(page, 'report.html'), 'utf8')).toContain('<code>width</code>')

  // In two halves it is the same run.
  const halves = join(folder, 'halves')
  await call(...command, ...variables, '--max-iterations', '20', '--out', halves)
  const again = await call('resume', halves, '--max-iterations', '54', '--json', '--quiet')
  const straight = join(folder, 'straight')
  const once = await call(...command, ...variables, '--max-iterations', '54', '--out', straight, '--json')
  expect((JSON.parse(again.stdout) as Shown).hash).toBe((JSON.parse(once.stdout) as Shown).hash)
})
