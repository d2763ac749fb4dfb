import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureChromium } from '../../scripts/ensure-chromium.ts'
import { sections } from '../../site/pages.mjs'

// Builds the site, which stops at a link to a page that is not there, and reads it as visitors do: from a folder of a server.
const root = fileURLToPath(new URL('../..', import.meta.url))
const built = join(root, 'site/built')
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}
const found = ensureChromium()

describe.skipIf('missing' in found)('the site of the docs', () => {
  let server: Server
  let browser: Browser
  let address: string

  beforeAll(async () => {
    execFileSync('npm', ['run', 'docs'], { cwd: root, stdio: 'pipe' })
    server = createServer(async (request, reply) => {
      const path = new URL(request.url ?? '', 'http://site').pathname.replace(/^\/docs\//, '')
      const body = await readFile(join(built, path)).catch(() => undefined)
      reply.writeHead(body === undefined ? 404 : 200, { 'content-type': types[extname(path)] ?? 'text/html' }).end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs/`
    browser = await chromium.launch({ executablePath: 'path' in found ? found.path : '', args: ['--no-sandbox'] })
  }, 600_000)
  afterAll(async () => {
    await browser?.close()
    server?.close()
  })

  test('shows every page of the side bar without an error or a request to elsewhere', async () => {
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('request', (request) => request.url().startsWith(address) || problems.push(request.url()))
    for (const [file, title] of sections.flatMap(({ pages }) => pages)) {
      await page.goto(`${address}${file}.html`)
      expect(await page.locator('h1').first().textContent(), title).not.toBe('404')
    }
    expect(problems.filter((text) => !text.startsWith('data:'))).toEqual([])
    await page.close()
  }, 300_000)

  test('finds an option by its name', async () => {
    const page = await browser.newPage()
    await page.goto(`${address}index.html`)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('maxQueries')
    await page.locator('.VPLocalSearchBox .result').first().waitFor()
    expect(await page.locator('.VPLocalSearchBox .result').count()).toBeGreaterThan(3)
    await page.close()
  }, 60_000)
})
