import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureChromium } from '../../scripts/ensure-chromium.ts'
import { bundleForBrowsers } from './bundle.ts'
import { type Account, seededRuns } from './seeded-runs.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zeroth-browser-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('all that the main entry point loads is in its bundle: nothing of Node', async () => {
  expect(await bundleForBrowsers('src/index.ts', 'index', folder)).toEqual([])
  expect(await readFile(join(folder, 'index.js'), 'utf8')).not.toMatch(/\bnode:|\brequire\(/)
})

test('a module of Node in a bundle is noticed', async () => {
  await writeFile(join(folder, 'server.js'), `export { hostname } from 'node:os'`)
  expect(await bundleForBrowsers(join(folder, 'server.js'), 'served', folder)).toEqual(['node:os'])
})

const found = ensureChromium()
if ('missing' in found) process.stderr.write(`Nothing is run in a browser: ${found.missing}\n`)

describe.skipIf('missing' in found)('in Chromium', () => {
  let server: Server
  let browser: Browser
  let there: Account

  beforeAll(async () => {
    await bundleForBrowsers('test/end-to-end/seeded-runs.ts', 'seeded-runs', folder)
    server = await serve(folder)
    browser = await chromium.launch({ executablePath: (found as { path: string }).path, args: flags })
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    there = await page.evaluate(`import('/seeded-runs.js').then(({ seededRuns }) => seededRuns())`)
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
  })

  test('the fastest kernels are those of WebAssembly', () => {
    expect(there.fastest).toBe('wasm')
  })

  test('seeded runs end with the same bits as in Node, with both kernels and in both precisions', async () => {
    expect(Object.keys(there.hashes)).toHaveLength(8)
    expect(there.hashes).toEqual((await seededRuns()).hashes)
  })

  test.each(['float64, 11', 'float64, 9001', 'float32, 11', 'float32, 9001'])('both kernels agree: %s', (run) => {
    expect(there.hashes[`wasm, ${run}`]).toMatch(/^[0-9a-f]{64}$/)
    expect(there.hashes[`wasm, ${run}`]).toBe(there.hashes[`scalar, ${run}`])
  })
})

/** No sandbox, which root may not have, and no word to the outside. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** An empty page, and the scripts of a folder beside it. A page of this machine may compute hashes. */
async function serve(scripts: string): Promise<Server> {
  const server = createServer(async (request, response) => {
    const name = /^\/([\w-]+\.js)$/.exec(request.url ?? '')?.[1]
    if (name === undefined) response.setHeader('content-type', 'text/html').end('<!doctype html><title>zeroth</title>')
    else response.setHeader('content-type', 'text/javascript').end(await readFile(join(scripts, name)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
