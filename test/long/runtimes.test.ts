import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountOfNode, bundleForBrowsers } from '../end-to-end/bundle.ts'
import { root, run } from '../end-to-end/packed.ts'
import { accountBy, projectIn, runtime } from '../end-to-end/runtimes.ts'

let folder: string
let here: Record<string, unknown>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zeroth-runtimes-'))
  await projectIn(folder)
  here = accountBy(process.execPath, ['main.mjs'], folder)
  await bundleForBrowsers('test/end-to-end/seeded-runs.ts', 'seeded-runs', folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

// The oldest, and the newest of each line.
test.each(['20.19.0', '20', '22', '24'])('Node %s gives the bits of this one, with every kernel', async (version) => {
  const node = await runtime('node', version, folder)
  const kernelsHere = accountOfNode(process.execPath, folder)
  const kernelsThere = accountOfNode(node, folder)
  process.stdout.write(`Node ${kernelsHere.version} and Node ${kernelsThere.version}\n`)
  expect(kernelsThere.version.startsWith(`v${version}`)).toBe(true)
  expect(kernelsThere.fastest).toBe('wasm')
  expect(Object.keys(kernelsThere.hashes)).toHaveLength(8)
  expect(kernelsThere.hashes).toEqual(kernelsHere.hashes)
  for (const main of ['main.mjs', 'main.cjs']) expect(accountBy(node, [main], folder)).toEqual(here)
})

test('Deno finds nothing that keeps the optimiser from being published on JSR, as jsr.json says', async () => {
  const deno = await runtime('deno', '2.9.6', folder)
  const publish = ['publish', '--dry-run', '--allow-dirty', '--allow-slow-types', '--quiet']
  // Where something keeps it, this fails.
  await run(deno, publish, root)
})

const zeroth = 'node_modules/zeroth/dist/app/cli/main.js'
const minimize = ['minimize', '--function', 'rosenbrock', '--dim', '5', '--max-queries', '500', '--json', '--out']

test.each([
  ['bun', '1.4.4', []],
  ['deno', '2.9.6', ['run', '--allow-all', '--node-modules-dir=manual']],
] as const)(
  'the command line runs in %s, and a run that begins in Node goes on there',
  async (name, version, flags) => {
    const program = await runtime(name, version, folder)
    const call = (args: readonly string[]) => run(program, [...flags, zeroth, ...args], folder)
    const { hash } = JSON.parse(await run(process.execPath, [zeroth, ...minimize, `${name}-node`], folder))
    expect(JSON.parse(await call([...minimize, `${name}-there`]))).toMatchObject({ status: 'finished', hash })
    const longer = [zeroth, ...minimize.with(6, '900'), `${name}-longer`]
    const further = JSON.parse(await run(process.execPath, longer, folder))
    const more = ['resume', `${name}-node`, '--max-queries', '900', '--json']
    const queries = (JSON.parse(await call(more)) as { queries: number }).queries
    expect(queries).toBeGreaterThan(500)
    expect(queries).toBeLessThanOrEqual(900)
    expect(further.status).toBe('finished')
  },
)
