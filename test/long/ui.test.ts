import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ensureProgram } from '../../scripts/ensure-program.ts'
import { isChromiumMissing, launchChromium } from '../chromium.ts'
import { longTrace } from '../end-to-end/long-trace.ts'
import { entryOf, idOfWork, pause, serveUi, tokenOf } from '../end-to-end/ui-server.ts'
import { type Started, start, zeroth } from '../end-to-end/zeroth.ts'

const cwd = mkdtempSync(join(tmpdir(), 'zeroth-page-long-'))
const nginx = ensureProgram({ called: 'nginx', names: ['nginx'], debian: 'nginx-light' })
const small = ['minimize', '--function', 'rosenbrock', '--dim', '2', '--max-queries', '60', '--quiet']
const slow = ['minimize', '--module', 'slow.mjs', '--dim', '2', '--solver', 'zo-adamm', '--quiet']
const processes: (Started | { readonly child: ChildProcess })[] = []

beforeAll(() => {
  mkdirSync(join(cwd, 'works'))
  const body = 'await new Promise((done) => setTimeout(done, 5)); return x * x + y * y'
  writeFileSync(join(cwd, 'slow.mjs'), `export default async ([x, y]) => { ${body} }`)
})
const contexts: BrowserContext[] = []
const problems: string[] = []
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close()
  for (const { child } of processes.splice(0)) child.kill('SIGKILL')
  expect(problems.splice(0)).toEqual([])
})
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

async function serve(folder: string, ...options: string[]): Promise<[Started, string]> {
  const served = await serveUi(cwd, folder, ...options)
  processes.push(served[0])
  return served
}

function begin(...args: string[]): Started {
  const started = start(args, { cwd })
  processes.push(started)
  return started
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

/** Megabytes of memory that a process has. */
function memoryOf({ child }: Started): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
}

test('clients that never read cost the server no memory, and those that read miss nothing', async () => {
  const [server, url] = await serve('works', '--port', '0')
  const { port } = new URL(url)
  const run = begin(...slow, '--max-queries', '1000000', '--out', 'works/watched')
  const stalled = Array.from({ length: 20 }, () => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Zeroth-Token: ${tokenOf(url)}\r\n\r\n`)
    return socket.pause()
  })
  const reading = new AbortController()
  const numbers: number[] = []
  const read = async (): Promise<void> => {
    const { body } = await fetch(`${url}api/events`, {
      headers: { 'x-zeroth-token': tokenOf(url) },
      signal: reading.signal,
    })
    let text = ''
    for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
      const events = (text + new TextDecoder().decode(part)).split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) if (event.includes('data: {')) numbers.push(Number(/^id: \w+-(\d+)/.exec(event)?.[1]))
    }
  }
  const listening = read().catch(() => undefined)
  await pause(5000)
  const before = memoryOf(server)
  await pause(30_000)
  const grown = memoryOf(server) - before
  reading.abort()
  await listening
  for (const socket of stalled) socket.destroy()
  run.child.kill('SIGINT')
  await run.ended
  process.stdout.write(`20 stalled clients: ${grown.toFixed(1)} MB more after 30 s, ${numbers.length} events\n`)
  expect(grown).toBeLessThan(40)
  expect(numbers.length).toBeGreaterThan(200)
  expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] as number) + i))
})

describe.skipIf(isChromiumMissing)('in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  async function newContext(): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    contexts.push(context)
    return context
  }

  /** A page that must not say anything on its console. */
  async function open(url: string, context?: BrowserContext): Promise<Page> {
    const page = await (context ?? (await newContext())).newPage()
    page.on('console', (message) => void problems.push(message.text()))
    page.on('pageerror', (error) => void problems.push(error.message))
    await page.goto(url)
    return page
  }

  test('twenty tabs have one stream, and each shows a new work within seconds', async () => {
    const [, url] = await serve('works', '--port', '0')
    const context = await newContext()
    let streams = 0
    context.on('request', (request) => {
      if (request.url().includes('/api/events')) streams++
    })
    const tabs: Page[] = []
    for (let i = 0; i < 20; i++) tabs.push(await open(entryOf(url, '#/'), context))
    for (const tab of tabs) await tab.getByText('live', { exact: true }).waitFor()
    expect(streams).toBe(1)
    expect((await zeroth([...small, '--out', 'works/late'], { cwd })).code).toBe(0)
    const began = performance.now()
    await Promise.all(tabs.map((tab) => tab.getByRole('link', { name: 'late' }).waitFor()))
    process.stdout.write(`20 tabs: a new work after ${Math.round(performance.now() - began)} ms\n`)
  })

  test('ten million iterations are drawn at once, and exactly where they are zoomed into', async () => {
    const long = await longTrace(1.25e9)
    try {
      expect(long.iterations).toBeGreaterThan(1e7)
      const [server, url] = await serve(long.run, '--port', '0')
      const began = performance.now()
      const page = await open(entryOf(url, `#/job/${await idOfWork(url, 'long')}`))
      await page.locator('.marks [data-mark=line] path').first().waitFor()
      const seconds = (performance.now() - began) / 1000
      const caption = page.locator('figcaption')
      await caption.getByText(`of ${long.iterations.toLocaleString('en')} iterations: zoom in`).waitFor()
      const at = 8 * 9_000_000
      await page.goto(`${page.url()}?zoom=${at}..${at + 800}`)
      await caption.getByText('All 101 iterations in view are drawn.').waitFor()
      await page.locator('.drawing').focus()
      for (let i = 0; i < 10; i++) {
        await page.keyboard.press('ArrowRight')
        const [read = '', , value] = await page.locator('.readout, .readout div b').allTextContents()
        const iteration = Math.floor(Number(read.split(' queries')[0]?.replaceAll(',', '')) / 8)
        const written = 100 / Math.sqrt(iteration) + Math.abs(Math.sin(iteration))
        expect(Number(value)).toBe(Number(written.toPrecision(4)))
      }
      process.stdout.write(`10^7 iterations: drawn after ${seconds.toFixed(1)} s, ${Math.round(memoryOf(server))} MB\n`)
      expect(seconds).toBeLessThan(5)
      expect(memoryOf(server)).toBeLessThan(400)
    } finally {
      long.remove()
    }
  })

  test('a thousand works are listed by pages, searched and sorted, and a new one appears', async () => {
    await zeroth([...small, '--out', 'thousand/run-0000'], { cwd })
    for (let i = 1; i < 1000; i++) {
      const name = `run-${String(i).padStart(4, '0')}`
      cpSync(join(cwd, 'thousand/run-0000'), join(cwd, 'thousand', name), { recursive: true })
    }
    const began = performance.now()
    const [, url] = await serve('thousand', '--port', '0')
    const served = performance.now()
    const page = await open(entryOf(url, '#/?sort=name'))
    await page.getByText(/^1000 in/).waitFor()
    const seconds = [served - began, performance.now() - served].map((each) => (each / 1000).toFixed(1))
    process.stdout.write(`1,000 works: served after ${seconds[0]} s, listed after ${seconds[1]} s more\n`)
    const links = page.locator('.works th a')
    await expect.poll(() => links.count()).toBe(100)
    await page.getByRole('button', { name: 'Show more of 1000' }).click()
    await expect.poll(() => links.count()).toBe(200)
    expect(await links.last().textContent()).toBe('run-0199')
    await page.getByLabel('Search').fill('0777')
    await expect.poll(() => links.allTextContents()).toEqual(['run-0777'])
    await page.getByLabel('Search').fill('')
    await expect.poll(() => links.count()).toBe(100)
    await zeroth([...small, '--out', 'thousand/a-new-one'], { cwd })
    await page.getByRole('link', { name: 'a-new-one' }).waitFor()
  })

  test.skipIf('missing' in nginx)('behind nginx, set as the docs say, events come at once and Stop works', async () => {
    const [front, back] = [await freePort(), await freePort()]
    const publicUrl = `http://127.0.0.1:${front}/zeroth/`
    const folder = mkdtempSync(join(cwd, 'nginx-'))
    const docs = readFileSync(new URL('../../docs/ui.md', import.meta.url), 'utf8')
    const [, location = ''] = /```nginx\n([\s\S]*?)```/.exec(docs) ?? []
    const conf = `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
http { access_log off; client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c;
uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
server { listen 127.0.0.1:${front}; ${location.replace('4920', String(back))} } }`
    writeFileSync(join(folder, 'nginx.conf'), conf)
    const options = ['-p', folder, '-c', join(folder, 'nginx.conf')]
    processes.push({ child: spawn((nginx as { path: string }).path, options, { stdio: 'ignore' }) })
    const [, url] = await serve('works', '--port', String(back), '--public-url', publicUrl, '--allow-control')
    expect(url).toBe(publicUrl)
    const page = await open(entryOf(url, '#/'))
    await page.getByText('live', { exact: true }).waitFor()
    const run = begin(...slow, '--max-queries', '100000', '--out', 'works/proxied')
    await page.getByRole('link', { name: 'proxied' }).click()
    const count = async () => Number((await page.locator('.tiles dd').nth(1).textContent())?.replace(/ of.*|,/g, ''))
    // A proxy that held events back would let nothing through for a while.
    for (let last = await count(), i = 0; i < 5; i++) {
      await expect.poll(count, { timeout: 2000 }).toBeGreaterThan(last)
      last = await count()
    }
    await page.getByRole('button', { name: 'Stop' }).click()
    expect((await run.ended).code).toBe(130)
    await page.locator('.about').getByText('interrupted').waitFor()
  })
})
