import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { accountOfNode, bundleForBrowsers } from '../end-to-end/bundle.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-node-24-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('seeded runs end with the same bits in Node 24 as in this one', async () => {
  // The programs of Node as npm has them, one package per platform.
  const platform = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const flags = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save']
  execFileSync('npm', ['install', ...flags, `${platform}@24`], { cwd: folder, stdio: 'pipe' })
  await bundleForBrowsers('test/end-to-end/seeded-runs.ts', 'seeded-runs', folder)

  const here = accountOfNode(process.execPath, folder)
  const there = accountOfNode(join(folder, 'node_modules', platform, 'bin/node'), folder)
  process.stdout.write(`Node ${here.version} and Node ${there.version}\n`)
  expect(there.version).toMatch(/^v24\./)
  expect(there.fastest).toBe('wasm')
  expect(Object.keys(there.hashes)).toHaveLength(8)
  expect(there.hashes).toEqual(here.hashes)
})
