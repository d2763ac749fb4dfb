import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isChromiumMissing, launchChromium } from '../chromium.ts'
import { bundleForBrowsers } from './bundle.ts'
import { type Classified, classifiedDigits } from './classified-digits.ts'
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

describe.skipIf(isChromiumMissing)('in Chromium', () => {
  let server: Server
  let browser: Browser
  let there: Account
  let classified: Classified

  beforeAll(async () => {
    await bundleForBrowsers('test/end-to-end/seeded-runs.ts', 'seeded-runs', folder)
    await bundleForBrowsers('test/end-to-end/classified-digits.ts', 'classified-digits', folder)
    server = await serve(folder)
    browser = await launchChromium()
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    there = await page.evaluate(`import('/seeded-runs.js').then(({ seededRuns }) => seededRuns())`)
    classified = await page.evaluate(`import('/classified-digits.js').then((module) => module.classifiedDigits())`)
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

  test('a network is computed by onnxruntime-web, with the scores that onnxruntime-node gives', async () => {
    const here = await classifiedDigits()
    expect(here.runtime).toMatch(/^onnxruntime-node 1\./)
    expect(classified.runtime).toMatch(/^onnxruntime-web 1\./)
    const largest = Math.max(...here.scores.map(Math.abs))
    const apart = here.scores.map((score, i) => Math.abs(score - (classified.scores[i] ?? Number.NaN)) / largest)
    expect(here.scores).toHaveLength(30)
    expect(Math.max(...apart)).toBeLessThan(1e-5)
    expect(classified.queries).toBe(56)
    // Networks may answer a little differently on another engine: so close, but not to the bit.
    expect(Math.abs(classified.value / here.value - 1)).toBeLessThan(1e-3)
  })

  test.each(['float64, 11', 'float64, 9001', 'float32, 11', 'float32, 9001'])('both kernels agree: %s', (run) => {
    expect(there.hashes[`wasm, ${run}`]).toMatch(/^[0-9a-f]{64}$/)
    expect(there.hashes[`wasm, ${run}`]).toBe(there.hashes[`scalar, ${run}`])
  })
})

/** Where the WebAssembly of onnxruntime-web is: it looks for it beside the script. */
const onnxruntimeWeb = fileURLToPath(new URL('../../node_modules/onnxruntime-web/dist', import.meta.url))

/** An empty page, and the scripts of a folder beside it. A page of this machine may compute hashes. */
async function serve(scripts: string): Promise<Server> {
  const server = createServer(async (request, response) => {
    const name = /^\/([\w.-]+\.(?:js|mjs|wasm))$/.exec(request.url ?? '')?.[1]
    if (name === undefined) response.setHeader('content-type', 'text/html').end('<!doctype html><title>zeroth</title>')
    else {
      const home = name.startsWith('ort-wasm') ? onnxruntimeWeb : scripts
      const type = name.endsWith('.wasm') ? 'application/wasm' : 'text/javascript'
      response.setHeader('content-type', type).end(await readFile(join(home, name)))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
