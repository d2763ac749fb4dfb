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
  const ranges = { rate: { from: 1e-5, to: 0.1, scale: 'log' }, width: { from: 0, to: 4 } } as const
  const options = { variables: ranges, maxQueries: 100, seed: 4 }
  const objective = workersObjective({ dim: 2, variables: ranges, module, workers: 1 })
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

/** Refuses a value of the wrong type, and what does not matter. */
const tuned = join(folder, 'tuned.py')
writeFileSync(
  tuned,
  `import json, sys
for line in sys.stdin:
    request = json.loads(line)
    v = request["variables"]
    right = type(v["threads"]) is int and type(v["share"]) is float and type(v["fast"]) is bool
    right = right and ("tree" in v) == (v["mode"] == "tree") and all(type(x) is float for x in request["x"])
    value = abs(v["threads"] - 6) + v["share"] + (0 if v["fast"] else 2) + abs(v.get("tree", {}).get("depth", 9) - 4)
    print(json.dumps({"id": request["id"], "value": value} if right else {"id": request["id"], "error": line}), flush=True)
`,
)
const kinds = [
  ...['--variable', 'threads=1..16:int', '--variable', 'share=0..1:step=0.25', '--variable', 'fast=false|true'],
  ...['--variable', 'mode=list|tree', '--variable', 'tree.depth=1..8:int?mode=tree'],
]

test('whole numbers, choices, conditions and groups: types in a program, the point everywhere, resumed to the bit', async () => {
  const command = ['minimize', '--exec', `python3 ${tuned}`, ...kinds, '--start', 'mode=tree,threads=2', '--seed', '4']
  const whole = join(folder, 'kinds')
  const { code, stdout } = await call(...command, '--max-queries', '100', '--out', whole, '--json', '--quiet')
  const found = JSON.parse(stdout) as Shown & { variables: { tree: { depth: number } } }
  expect({ code, failures: (found as unknown as { failures: { count: number } }).failures.count }).toEqual({
    code: 0,
    failures: 0,
  })
  expect(found.variables).toMatchObject({ threads: expect.any(Number), fast: true, mode: 'tree' })
  const { depth } = found.variables.tree
  expect(found.point.slice(2)).toEqual([1, 1, depth])

  expect((await call('show', whole)).stdout).toMatch(
    new RegExp(`fast {8}true\\n {12}mode {8}tree\\n {12}tree.depth {2}${depth}\\n`),
  )
  const page = join(folder, 'kinds-page')
  await call('report', whole, '--out', page)
  const html = readFileSync(join(page, 'report.html'), 'utf8')
  expect(html).toContain(`<code>tree.depth</code></th><td class="num">${depth}</td>`)
  expect(html).toContain('<td>1 to 8, step 1; when mode is tree</td>')
  const { spec } = (JSON.parse((await call('export', whole, '--format', 'json')).stdout) as { meta: { spec: object } })
    .meta
  expect(spec).toMatchObject({ variables: { fast: { choices: [false, true] } }, start: { mode: 'tree', threads: 2 } })

  const halves = join(folder, 'kinds-halves')
  await call(...command, '--max-queries', '57', '--out', halves, '--quiet')
  const again = await call('resume', halves, '--max-queries', '100', '--json', '--quiet')
  expect((JSON.parse(again.stdout) as Shown).hash).toBe(found.hash)
})
