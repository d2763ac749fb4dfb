import { execFile } from 'node:child_process'
import { appendFile, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const left = ['node_modules', '.git', 'dist', '.paper', '.bench', '.gen', '.peers', 'results']
const run = promisify(execFile)

const solver = `import { fractionSchedule, join, table, withDefault } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Solver } from '../core/types.ts'
import { forward } from '../parts/estimators/differences.ts'
import { momentum } from '../parts/steps/moments.ts'
import { descent } from './descent.ts'
import { zoSGD } from './presets.ts'

/** Plain steps that keep a share of the last one. */
export const zoHeavyBall = definePart({
  kind: 'solver',
  name: 'zo-heavy-ball',
  summary: 'Plain steps with momentum.',
  options: join(
    zoSGD.definition.options,
    table({
      /** Share of the last step that is kept. Default 0.5. */
      beta: withDefault(fractionSchedule, 0.5),
    }),
  ),
  examples: () => [{}, { beta: 0.8 }],
  make: ({ learningRate, beta, ...options }): Solver =>
    descent({ estimator: forward(options), step: momentum({ beta }), learningRate }),
})
`
const unitTest = `import { expect, test } from 'vitest'
import { minimizeSync, type OptionsOf, zoHeavyBall } from '../../index.ts'

test('zo-heavy-ball descends', () => {
  const options: OptionsOf<typeof zoHeavyBall> = { beta: 0.2, learningRate: 0.2 }
  const square = (x: Float64Array): number => x.reduce((sum, v) => sum + v * v, 0)
  const { value } = minimizeSync(square, [1, 1, 1], { solver: zoHeavyBall(options), maxQueries: 2000 })
  expect(value).toBeLessThan(0.1)
})
`

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zeroth-new-part-'))
  await cp(root, folder, { recursive: true, filter: (path) => !left.includes(basename(path)) })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir')
  await writeFile(join(folder, 'src/optimizer/methods/zo-heavy-ball.ts'), solver)
  await writeFile(join(folder, 'src/optimizer/methods/zo-heavy-ball.test.ts'), unitTest)
  await appendFile(join(folder, 'src/parts.ts'), `export { zoHeavyBall } from './optimizer/methods/zo-heavy-ball.ts'\n`)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('a solver is two files and a line: npm run gen writes the rest, and everything about it passes', async () => {
  await expect(node('scripts/generate.mjs', '--check')).rejects.toMatchObject({
    stderr: expect.stringMatching(
      /^out of date:\n {2}schema\/zeroth\.schema\.json\n {2}schema\/attack\.schema\.json\n {2}docs\/options\.md\n {2}docs\/specs\.md\n {2}docs\/parts\.md\nRun npm run gen/,
    ),
  })
  await run('npm', ['run', 'gen'], { cwd: folder })
  expect(await readFile(join(folder, 'docs/options.md'), 'utf8')).toMatch(
    /\| `beta` .*\| `0\.5` +\| share of the last step that is kept +\|/,
  )
  expect(await readFile(join(folder, 'docs/parts.md'), 'utf8')).toMatch(/\| `zoHeavyBall` +\| `zo-heavy-ball` +\|/)
  const [, report] = await Promise.all([node('node_modules/@typescript/native/bin/tsc'), unitTests()])
  expect(report.failed).toBe(0)
  // The test of its own, its conformance with each example, the docs and the schemas.
  expect(report.names).toEqual(expect.arrayContaining(['zo-heavy-ball descends', 'docs/specs.md lists every solver']))
  expect(report.names.filter((name) => name.startsWith('zo-heavy-ball 2 ')).length).toBeGreaterThan(3)
})

function node(...words: string[]): Promise<{ stdout: string }> {
  return run(process.execPath, words, { cwd: folder })
}

async function unitTests(): Promise<{ failed: number; names: string[] }> {
  const files = ['src/optimizer/methods/zo-heavy-ball', 'test/conformance/solver', 'test/specs/page', 'schema']
  const about = 'zo-heavy-ball|lists every|is what the package publishes'
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', ...files, '-t', about]
  const { stdout } = await node(...vitest, '--reporter', 'json')
  const report = JSON.parse(stdout) as {
    numFailedTests: number
    testResults: { assertionResults: { fullName: string; status: string }[] }[]
  }
  const passed = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed')
  return { failed: report.numFailedTests, names: passed.map(({ fullName }) => fullName) }
}
