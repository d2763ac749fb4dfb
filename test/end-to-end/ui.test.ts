import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ensureChromium } from '../../scripts/ensure-chromium.ts'
import { longTrace } from './long-trace.ts'
import { entryOf, idOfWork, pause, serveUi, tokenOf, withoutToken } from './ui-server.ts'
import { makeHostileWorks, makeWorks } from './ui-works.ts'
import { type Started, start, zeroth } from './zeroth.ts'

const cwd = mkdtempSync(join(tmpdir(), 'zeroth-page-'))
const found = ensureChromium()
if ('missing' in found) process.stderr.write(`The page is not opened in a browser: ${found.missing}\n`)

afterAll(() => rmSync(cwd, { recursive: true, force: true }))

test('the page is at most 150 kB, compressed', () => {
  const folder = fileURLToPath(new URL('../../dist/app/ui/page', import.meta.url))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name))
  const bytes = files.map((name) => gzipSync(readFileSync(join(folder, name))).length)
  expect(files.length).toBeGreaterThanOrEqual(4)
  expect(bytes.reduce((sum, each) => sum + each)).toBeLessThan(150_000)
})

const nobody = { uid: 65_534, gid: 65_534, cwd: '/', encoding: 'utf8' } as const
// Who is not root cannot become another user; that requests need the token is tested beside the server.
const isAlone = process.getuid?.() !== 0 || spawnSync(process.execPath, ['--version'], nobody).status !== 0

test.skipIf(isAlone)('another user of this machine finds no token and reads nothing', async () => {
  mkdirSync(join(cwd, 'mine'))
  const [served, base] = await serveUi(cwd, 'mine', '--port', '0')
  try {
    const { pid } = served.child
    const script = `
      const { readFileSync } = require('node:fs')
      const tried = (act) => { try { return act() } catch (error) { return error.code } }
      const read = (name) => tried(() => readFileSync('/proc/${pid}/' + name, 'utf8'))
      const asked = ['', 'api/works', 'api/events'].map((path) => fetch('${base}' + path).then(({ status }) => status))
      Promise.all(asked).then((statuses) =>
        console.log(JSON.stringify({ user: process.getuid(), statuses, environ: read('environ'), cmdline: read('cmdline') })))`
    const other = spawnSync(process.execPath, ['-e', script], nobody)
    const { cmdline, ...rest } = JSON.parse(other.stdout || `{"cmdline":${JSON.stringify(other.stderr)}}`)
    expect(rest).toEqual({ user: 65_534, statuses: [401, 401, 401], environ: 'EACCES' })
    expect(cmdline).not.toContain(tokenOf(base))
  } finally {
    served.child.kill('SIGKILL')
  }
})

describe.skipIf('missing' in found)('in Chromium', () => {
  let browser: Browser
  let context: BrowserContext
  let server: Started
  let url: string
  const problems: string[] = []
  const servers: Started[] = []

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: (found as { path: string }).path, args: flags })
    await makeWorks(cwd)
    await makeHostileWorks(cwd)
    ;[server, url] = await serve('works')
  })
  afterAll(async () => {
    await browser?.close()
    for (const each of servers) each.child.kill('SIGKILL')
  })
  afterEach(async () => {
    await context?.close()
    expect(problems.splice(0)).toEqual([])
  })

  async function serve(folder: string, ...options: string[]): Promise<[Started, string]> {
    const served = await serveUi(cwd, folder, ...options)
    servers.push(served[0])
    return served
  }

  /** A page that keeps what must not happen: errors, foreign requests, dialogs. */
  async function open(hash: string, { width = 1280, base = url, isBroken = false } = {}): Promise<Page> {
    context = await browser.newContext({ viewport: { width, height: 900 } })
    // Playwright would give up after 30 s, which a busy machine may need.
    context.setDefaultTimeout(300_000)
    return opened(await context.newPage(), hash, { base, isBroken })
  }

  async function opened(page: Page, hash: string, { base = url, isBroken = false } = {}): Promise<Page> {
    if (!isBroken) {
      page.on('console', (message) => void problems.push(`console: ${message.text()}`))
      page.on('requestfailed', (request) => {
        // What a reload cuts off did not fail; streams end so, too.
        const isCutOff = request.failure()?.errorText === 'net::ERR_ABORTED'
        if (!isCutOff && !request.url().endsWith('/api/events')) problems.push(`failed: ${request.url()}`)
      })
    }
    page.on('pageerror', (error) => void problems.push(`error: ${error.message}`))
    page.on('dialog', (dialog) => void problems.push(`dialog: ${dialog.message()}`))
    page.on('request', (request) => {
      if (!request.url().startsWith(base)) problems.push(`foreign: ${request.url()}`)
    })
    await page.goto(entryOf(base, `#${hash}`))
    return page
  }

  const idOf = (name: string, base = url): Promise<string> => idOfWork(base, name)

  describe('every screen is whole', () => {
    const screens: readonly (readonly [string, () => Promise<string>, string])[] = [
      ['list', async () => '/', 'Jobs'],
      ['run', async () => `/job/${await idOf('run')}`, 'run'],
      ['series', async () => `/job/${await idOf('series')}?each=yes`, 'series'],
      ['tuning', async () => `/job/${await idOf('tuning')}`, 'tuning'],
      ['attack', async () => `/job/${await idOf('attack')}`, 'attack'],
      ['image', async () => `/job/${await idOf('attack')}/image/1`, 'image 41'],
      ['compared runs', async () => `/compare?ids=${await idOf('run')},${await idOf('series')}`, 'Compare 2 jobs'],
      [
        'compared attacks',
        async () => `/compare?ids=${await idOf('attack')},${await idOf('other-attack')}`,
        'Compare 2 jobs',
      ],
    ]

    test.each(screens)('%s: wide and narrow, light and dark, without findings of axe', async (_, hash, title) => {
      const page = await open(await hash())
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
      for (const [width, colorScheme] of modes) {
        await page.setViewportSize({ width, height: 900 })
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
        // Tables fit a usual screen.
        if (width > 1000) expect(await page.evaluate(cutTables)).toEqual([])
        // On a small screen a unit of a chart is a pixel, so that its text can be read.
        if (width < 480) await expect.poll(() => page.evaluate(chartScales)).toEqual([])
        // Colours do not depend on the width, nor does the rest on colours.
        if (width > 1000 === (colorScheme === 'light')) expect(await seriousFindings(page)).toEqual([])
      }
      expect(await page.locator('.plot svg path, .plot svg circle').count()).toBeGreaterThan(title === 'Jobs' ? -1 : 0)
    })

    test('an empty folder says how to begin, an unknown address where the jobs are', async () => {
      const [, base] = await serve(mkdtempSync(join(cwd, 'empty-')), '--port', '0')
      const page = await open('/', { base })
      await page.getByText('zeroth minimize --function rosenbrock').waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await page.goto(`${base}#/nowhere`)
      await page.getByRole('link', { name: 'All jobs' }).click()
      await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor()
    })
  })

  test('attacks within different limits are not ranked, and it says in what they differ', async () => {
    const page = await open(`/compare?ids=${await idOf('attack')},${await idOf('other-attack')}`)
    await page
      .getByText('These attacks cannot be ranked: linf differs: none (attack), 0.03 (other-attack).', { exact: true })
      .waitFor()
    const rows = page.getByRole('table', { name: /^Attacks side by side/ }).getByRole('row')
    await expect.poll(() => rows.nth(2).textContent()).toMatch(/other-attack.*l∞ 0\.03150 queries per image/)
  })

  test('what is missing or damaged is named with a way back, and the rest is shown', async () => {
    const damaged = mkdtempSync(join(cwd, 'damaged-'))
    for (const name of ['run', 'attack', 'lost']) {
      cpSync(join(cwd, 'works', name === 'lost' ? 'run' : name), join(damaged, name), { recursive: true })
    }
    writeFileSync(join(damaged, 'run/trace.jsonl'), 'garbage\n'.repeat(3))
    writeFileSync(join(damaged, 'lost/meta.json'), 'garbage')
    const [, base] = await serve(damaged, '--port', '0')
    const id = await idOf('run', base)
    const page = await open(`/compare?ids=${id},nothing`, { base, isBroken: true })
    await page.getByRole('heading', { name: 'Compare 1 job', exact: true }).waitFor()
    await page.getByRole('alert').getByText('nothing (there is no such job)').waitFor()
    await page.goto(`${base}#/job/${id}`)
    await page.getByText('3 lines of trace.jsonl are damaged and left out').waitFor()
    await page.goto(`${base}#/job/${await idOf('lost', base)}`)
    await page.getByRole('heading', { name: 'lost', exact: true }).waitFor()
    expect(await page.getByText('meta.json is not JSON').count()).toBe(1)
    expect(await page.getByRole('heading', { name: 'Run it again' }).count()).toBe(0)
    expect(await seriousFindings(page)).toEqual([])
    await page.goto(`${base}#/job/${await idOf('attack', base)}/image/99`)
    await page.getByText('this job has no image number 99').waitFor()
    await page.getByRole('link', { name: 'attack', exact: true }).click()
    await page.getByRole('heading', { name: 'attack', exact: true }).waitFor()
  })

  test('a report runs its own script under the policy of the server', async () => {
    const page = await open('/')
    await page.goto(`${url}api/works/${await idOf('attack')}/report`)
    await page.locator('.drawing').first().focus()
    await page.keyboard.press('ArrowRight')
    await page.locator('.readout').getByText('queries').waitFor()
  })

  test('everything can be done by keyboard: choose, compare, read a chart, leaf through images, go back', async () => {
    const page = await open('/')
    await page.getByRole('link', { name: 'run', exact: true }).waitFor()
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('Skip to the content')
    for (const name of ['run', 'series']) await tabTo(page, `Compare ${name}`, 'Space')
    await tabTo(page, 'Compare', 'Enter')
    await page.getByRole('heading', { name: 'Compare 2 jobs' }).waitFor()
    await page.locator('.plot svg').first().waitFor()
    await tabTo(page, 'Best values compared')
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    await page.locator('.readout').getByText('queries').waitFor()
    await page.keyboard.press('+')
    await page.locator('.plot.zoomed').waitFor()
    await page.goto(`${url}#/job/${await idOf('attack')}`)
    await page.locator('.gallery .card').first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'image 40' }).waitFor()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('heading', { name: 'image 41' }).waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('heading', { name: 'image 40' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'attack', exact: true }).waitFor()
  })

  test('a job is named, tagged and noted, found by its tag, and moved to the trash', async () => {
    cpSync(join(cwd, 'works/run'), join(cwd, 'works/draft'), { recursive: true })
    const page = await open('/')
    await page.getByRole('link', { name: 'draft', exact: true }).click()
    await page.getByRole('button', { name: 'Edit' }).click()
    expect(await seriousFindings(page)).toEqual([])
    await page.getByLabel('Name, also of its folder').fill('kept')
    await page.getByLabel('Tags').fill('night, release 2')
    await page.getByLabel('Note').fill('with the new loss')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'kept' }).waitFor()
    await page.locator('.note').getByText('with the new loss').waitFor()
    await page.getByRole('link', { name: 'Jobs' }).click()
    await page.getByLabel('Search').fill('release 2')
    await page.getByRole('link', { name: 'run', exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'kept' }).click()
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Move to the trash' }).click()
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor()
    await page.getByRole('link', { name: 'kept' }).waitFor({ state: 'detached' })
    expect(readdirSync(join(cwd, 'works/.trash'))).toEqual(['kept'])
  })

  test('what makes a result doubtful stands before the result', async () => {
    const page = await open(`/job/${await idOf('doubtful')}`)
    const warnings = page.getByRole('list', { name: 'Warnings' })
    await warnings.getByText('the model classifies only 0 of 100 clean images correctly').waitFor()
    const [before, after] = [await warnings.boundingBox(), await page.locator('.tiles').boundingBox()]
    expect(before?.y).toBeLessThan(after?.y ?? 0)
    // The class that an image is, not the one that the model takes it for.
    expect(await page.locator('.gallery .card-text').first().textContent()).toMatch(
      /^\d: already misclassified as class 10$/,
    )
  })

  test('filters and order are in the address, and the gallery follows them', async () => {
    const page = await open('/')
    await page.getByLabel('Kind').selectOption('attacks')
    await page.getByRole('link', { name: 'run', exact: true }).waitFor({ state: 'detached' })
    expect(page.url()).toContain('kind=evaluation')
    await page.getByLabel('Search').fill('other')
    await page.getByRole('link', { name: 'attack', exact: true }).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('link', { name: 'other-attack' }).click()
    await page.getByLabel('Result').selectOption('robust')
    await expect.poll(() => page.locator('.gallery .badge.bad').count()).toBe(0)
    expect(page.url()).toContain('status=robust')
    expect(new Set(await page.locator('.gallery .badge').allTextContents())).toEqual(new Set(['robust']))
    const cards = page.locator('.gallery .card')
    await page.getByLabel('Result').selectOption('all')
    await expect.poll(() => cards.count()).toBe(3)
    await page.getByLabel('Class').selectOption('7')
    await expect.poll(() => cards.count()).toBe(1)
    expect(page.url()).toMatch(/\?class=7$/)
    await page.getByLabel('Class').selectOption('all')
    await page.getByLabel('Sort by').selectOption('queries to fool')
    await expect.poll(() => cards.first().textContent()).toContain('fooled')
    expect(page.url()).toMatch(/\?sort=queries$/)
  })

  test('zooming into a long curve draws every iteration in view, exactly, and the address keeps it', async () => {
    const long = await longTrace(12e6)
    try {
      const [, base] = await serve(long.run, '--port', '0')
      const page = await open(`/job/${await idOf('long', base)}`, { base })
      const caption = page.locator('figcaption')
      const total = long.iterations.toLocaleString('en')
      await caption.getByText(new RegExp(`Drawn from \\d+ of ${total} iterations: zoom in`)).waitFor()
      await page.locator('.drawing').focus()
      for (let i = 0; i < 25; i++) await page.keyboard.press('ArrowRight')
      for (let i = 0; i < 8; i++) await page.keyboard.press('+')
      await caption.getByText(/^Best value.* All \d+ iterations in view are drawn\.$/).waitFor()
      await expect.poll(() => page.url()).toContain('zoom=')
      await page.reload()
      await caption.getByText('iterations in view are drawn').waitFor()
      const [from = 0, to = 0] = (page.url().split('zoom=')[1] ?? '').split('..').map(Number)
      const lines = readFileSync(join(long.run, 'trace.jsonl'), 'utf8').trimEnd().split('\n')
      const trace = lines.map((line) => JSON.parse(line) as Record<'queries' | 'value' | 'best', number>)
      const seen = trace.filter(({ queries }) => queries >= from && queries <= to)
      expect(await caption.textContent()).toContain(`All ${seen.length} iterations`)
      // Every one is a corner of the thin line, and so are its neighbours outside.
      const corners = await page.locator('.marks [data-mark=line] path').first().getAttribute('d')
      expect(corners?.match(/[ML]/g)).toHaveLength(seen.length + 2)
      await page.locator('.drawing').focus()
      for (let i = 0; i < 12; i++) {
        await page.keyboard.press('ArrowRight')
        const [at = '', best = '', value = ''] = await page.locator('.readout, .readout div b').allTextContents()
        const read = Number(at.split(' queries')[0]?.replaceAll(',', ''))
        const then = trace.findLast(({ queries }) => queries <= read)
        expect([Number(best), Number(value)]).toEqual(
          [then?.best, then?.value].map((each) => Number(each?.toPrecision(4))),
        )
      }
      await page.keyboard.press('Escape')
      await caption.getByText(`of ${total} iterations`).waitFor()
      await expect.poll(() => page.url()).not.toContain('zoom=')
    } finally {
      // A page that is still open would ask for what is gone.
      await context?.close()
      long.remove()
    }
  })

  test('where the port of the page is taken, --ui says so and leaves nothing behind', async () => {
    const empty = mkdtempSync(join(cwd, 'taken-'))
    const { port } = new URL(url)
    const taken = `zeroth: cannot listen at 127.0.0.1: the port ${port} is taken; choose another port or address\n`
    const run = ['minimize', '--function', 'rosenbrock', '--dim', '2', '--max-queries', '50']
    for (const args of [run, ['attack', '--model', 'digits', '--count', '1']]) {
      const { code, stdout, stderr } = await zeroth([...args, '--ui', '--ui-port', port], { cwd: empty })
      expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: taken })
      expect(readdirSync(empty)).toEqual([])
    }
  })

  test('a run of another process appears, moves, is stopped, and is resumed after what it executes was shown, or says why it cannot be', async () => {
    // Slow while it is looked at, however busy the machine; fast once nobody looks.
    const hurry = join(cwd, 'hurry')
    writeFileSync(
      join(cwd, 'slow.mjs'),
      `import { existsSync } from 'node:fs'
       export default async ([x]) => {
         await new Promise((done) => setTimeout(done, existsSync(${JSON.stringify(hurry)}) ? 0 : 40))
         return x * x
       }`,
    )
    const page = await open('/')
    await page.getByRole('link', { name: 'run', exact: true }).waitFor()
    const slow = [
      'minimize',
      '--module',
      'slow.mjs',
      '--dim',
      '1',
      '--max-queries',
      '2000',
      '--out',
      'works/slow',
      '--quiet',
    ]
    const run = start(slow, { cwd })
    await page.getByRole('link', { name: 'slow', exact: true }).click()
    const queries = page.locator('.tiles dd').nth(1)
    const count = async () =>
      Number(
        String(await queries.textContent())
          .replaceAll(',', '')
          .split(' ')[0],
      )
    await page.locator('.about').getByText('running').waitFor()
    const before = await count()
    await expect.poll(count).toBeGreaterThan(before + 30)
    // Its process does not tell its best point: what it saves every two seconds does.
    await page.getByRole('row', { name: /^x1/ }).waitFor()
    let curves = 0
    page.on('request', (request) => {
      if (request.url().includes('/curve')) curves++
    })
    await page.getByRole('button', { name: 'against time' }).click()
    await page.locator('.plot svg').getByText('seconds').waitFor()
    await page.locator('.drawing').focus()
    await page.keyboard.press('+')
    await page.locator('.plot.zoomed').waitFor()
    await expect.poll(() => page.url()).toMatch(/x=seconds&zoom=/)
    const [drawn, asked, zoomed] = [await page.locator('.readout').textContent(), await count(), curves]
    await expect.poll(count).toBeGreaterThan(asked + 30)
    // What was added was pushed, and what was zoomed and read has stayed.
    expect([await page.locator('.plot.zoomed').count(), curves]).toEqual([1, zoomed])
    expect(await page.locator('.readout').textContent()).toBe(drawn)
    await page.getByRole('button', { name: 'Stop' }).click()
    expect((await run.ended).code).toBe(130)
    await page.locator('.about').getByText('interrupted').waitFor()
    const dialog = page.getByRole('dialog')
    cpSync(join(cwd, 'works/slow'), join(cwd, 'works/gone'), { recursive: true })
    await page.getByRole('button', { name: 'Resume' }).click()
    expect(await dialog.textContent()).toContain(join(cwd, 'slow.mjs'))
    expect(await seriousFindings(page)).toEqual([])
    writeFileSync(hurry, '')
    await dialog.getByRole('button', { name: 'Resume' }).click()
    await page.locator('.about').getByText('finished').waitFor()
    expect(await page.locator('.tiles').textContent()).toMatch(/(1,9\d\d|2,000) of 2,000/)
    rmSync(hurry)
    renameSync(join(cwd, 'slow.mjs'), join(cwd, 'away.mjs'))
    await page.goto(`${url}#/job/${await idOf('gone')}`)
    await page.getByRole('button', { name: 'Resume' }).click()
    await dialog.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('alert').getByText('slow.mjs').waitFor()
    renameSync(join(cwd, 'away.mjs'), join(cwd, 'slow.mjs'))
  })

  test('with --ui the gallery of an attack fills while it runs, and the current best point of a run is shown', async () => {
    const attack = ['attack', '--model', 'digits', '--count', '100', '--max-queries', '2000', '--parallel', '1']
    const run = start([...attack, '--out', 'watched', '--ui', '--ui-port', '0'], { cwd })
    const base = await pageOf(run)
    const page = await open(`/job/${base.id}`, { base: base.url })
    const cards = page.locator('.gallery .card')
    await expect.poll(() => cards.count()).toBeGreaterThan(0)
    const early = await cards.count()
    expect(early).toBeLessThan(100)
    await expect.poll(() => cards.count()).toBeGreaterThan(early)
    await context.close()
    run.child.kill('SIGINT')
    await run.ended

    const minimize = [
      'minimize',
      '--module',
      'slow.mjs',
      '--dim',
      '1',
      '--max-queries',
      '2000',
      '--out',
      'best',
      '--ui',
    ]
    const live = start([...minimize, '--ui-port', '0'], { cwd })
    const place = await pageOf(live)
    const watched = await open(`/job/${place.id}`, { base: place.url })
    await watched.getByRole('row', { name: /^x1/ }).waitFor()
    await context.close()
    live.child.kill('SIGINT')
    expect((await live.ended).code).toBe(130)
  })

  test('many tabs share one stream, and another one leads when the first is closed', async () => {
    const page = await open('/')
    const tabs = [page]
    for (let i = 0; i < 7; i++) tabs.push(await opened(await context.newPage(), '/'))
    for (const tab of tabs) await tab.getByText('live', { exact: true }).waitFor()
    await page.close()
    start(
      ['minimize', '--function', 'rosenbrock', '--dim', '2', '--max-queries', '50', '--out', 'works/late', '--quiet'],
      { cwd },
    )
    for (const tab of tabs.slice(1)) await tab.getByRole('link', { name: 'late' }).waitFor()
  })

  test('a server that ends and returns is noticed both times', async () => {
    const [mortal, base] = await serve('works', '--port', '0')
    const page = await open('/', { base, isBroken: true })
    await page.getByText('live', { exact: true }).waitFor()
    mortal.child.kill('SIGINT')
    await mortal.ended
    await page.getByText('connection lost').waitFor()
    const [, again] = await serve('works', '--port', new URL(base).port)
    expect(again).toBe(base)
    // It has another token: the address that it printed opens the page, and this tab notices that, too.
    await page.getByText('The server was started anew').waitFor()
    const other = await context.newPage()
    await other.goto(entryOf(base))
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByText('The server was started anew').waitFor({ state: 'detached' })
    problems.splice(0)
  })

  test('50 texts that would run scripts are shown as texts on every screen', async () => {
    const [, base] = await serve('hostile', '--port', '0')
    const page = await open('/', { base })
    await page.getByRole('link', { name: '"><img src=x onerror=alert(1)>' }).click()
    await expect.poll(() => page.locator('.beside .scroll tbody tr').count()).toBeGreaterThanOrEqual(50)
    const id = await idOf('<svg onload=alert(1)>', base)
    await page.goto(`${base}#/job/${id}`)
    await expect.poll(() => page.locator('.warnings li').count()).toBeGreaterThanOrEqual(50)
    await page.locator('.gallery .card').first().click()
    await page.getByRole('heading', { name: '<script>alert(1)</script>' }).waitFor()
    const other = await idOf('"><img src=x onerror=alert(1)>', base)
    await page.goto(`${base}#/compare?ids=${id},${other}`)
    await page.getByRole('heading', { name: 'Settings that differ' }).waitFor()
    await page.locator('.plot svg').first().waitFor()
    expect(await page.locator('script').count()).toBe(1)
    expect(
      await page.locator('main iframe, main object, main embed, main svg script, [onerror], [onload]').count(),
    ).toBe(0)
  })

  test('a foreign name for this machine gets nothing (DNS rebinding)', async () => {
    const rebound = await chromium.launch({
      executablePath: (found as { path: string }).path,
      args: [...flags, '--host-resolver-rules=MAP evil.test 127.0.0.1'],
    })
    try {
      const page = await rebound.newPage()
      const answer = await page.goto(`http://evil.test:${new URL(url).port}/`)
      expect(answer?.status()).toBe(421)
      expect(await page.evaluate('fetch("/api/works").then(({ status }) => status)')).toBe(421)
    } finally {
      await rebound.close()
    }
  })

  test('the address keeps no token, and without it there is nothing but how to get in', async () => {
    const page = await open('/')
    await page.getByText('live', { exact: true }).waitFor()
    expect(page.url()).toBe(`${url}#/`)
    await page.reload()
    await page.getByText('live', { exact: true }).waitFor()
    await context.close()
    context = await browser.newContext()
    const locked = await context.newPage()
    expect((await locked.goto(url))?.status()).toBe(401)
    await locked.getByText('This page needs its token.').waitFor()
    expect(await seriousFindings(locked)).toEqual([])
  })

  test('Ctrl-C ends the server', async () => {
    server.child.kill('SIGINT')
    expect((await server.ended).code).toBe(0)
  })

  async function pageOf(run: Started): Promise<{ url: string; id: string }> {
    for (let i = 0; i < 600 && !run.stderr().includes('page: '); i++) await pause(50)
    const [, at = '', id = ''] = /page: (\S+)#\/job\/(\S+)/.exec(run.stderr()) ?? []
    return { url: withoutToken(at), id }
  }
})

const modes = [
  [1280, 'light'],
  [1280, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const

/** How many pixels a unit has in charts where that is not one. */
const cutTables = `[...document.querySelectorAll('.scroll')]
  .filter((each) => each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.getAttribute('aria-label'))`

const chartScales = `[...document.querySelectorAll('.zeroth-chart')]
  .map((svg) => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)
  .filter((scale) => Math.abs(scale - 1) > 0.01)`

const flags = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']

/** What axe finds that keeps people from using the page. */
async function seriousFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as axe.AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}

/** What has the focus, by its name. */
function focused(page: Page): Promise<string> {
  return page.evaluate('document.activeElement.ariaLabel || document.activeElement.textContent')
}

/** Presses Tab until something has the focus, then another key. */
async function tabTo(page: Page, name: string, key?: string): Promise<void> {
  for (let i = 0; i < 80; i++) {
    if ((await focused(page)).trim() === name) {
      if (key !== undefined) await page.keyboard.press(key)
      return
    }
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never reaches ${name}`)
}
