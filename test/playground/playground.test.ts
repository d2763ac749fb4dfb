import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { recordRun } from '../../playground/compute.ts'
import { digitsModel } from '../../playground/digits-network.ts'
import { asCode, functions, hashOf, initial, stateOf } from '../../playground/state.ts'
import * as zeroth from '../../src/index.ts'
import { embeddedImages, embeddedModel } from '../../src/robustness/embedded/index.ts'
import { isChromiumMissing, launchChromium } from '../chromium.ts'

const { task, value } = {
  task: { solver: 'auto', learningRate: 0.1, start: [-1.2, 1], queries: 300, seed: 1, noise: 0 } as const,
  value: (functions[0] as (typeof functions)[number]).value,
}

test.each(functions)(
  '$name: the code that is shown is the function, and its minima are where it is smallest',
  (shown) => {
    const written = new Function(`return ${shown.code}`)() as (x: number, y: number) => number
    for (const [x, y] of [shown.start, [0.3, -1.7], [2, 2]] as const) {
      expect(written(x, y)).toBe(shown.value(x, y))
    }
    for (const [x, y] of shown.minima) expect(shown.value(x, y)).toBeCloseTo(shown.least, 10)
  },
)

test('a recorded run has every query, and its best is that of the answers', () => {
  const run = recordRun(value, task)
  expect(run.x.length).toBeLessThanOrEqual(300)
  expect(run.value[run.best.at(-1) ?? 0]).toBe(Math.min(...run.value))
  const noisy = recordRun(value, { ...task, noise: 0.5 })
  expect(noisy.value[0]).toBe(run.value[0])
  expect(noisy.x).not.toEqual(run.x)
})

test('an address holds what was chosen, and nonsense in it is as nothing', () => {
  const state = { ...initial, function: 'own', code: '(x, y) => x & y', rival: '', seed: 7, start: [0.5, -2] as const }
  expect(stateOf(hashOf(state))).toEqual(state)
  expect(hashOf(initial)).toBe('#')
  expect(stateOf('#seed=-3&queries=1e9&function=nope&solver=<script>&start=1,x&digit=99')).toEqual(initial)
})

test('the code that is copied does what is shown', async () => {
  const code = asCode({ ...initial, rival: '' })
  expect(code).toContain("import { auto, minimize } from 'zeroth'")
  expect(asCode({ ...initial, noise: 0.5 })).toMatch(/^\/\/ The page adds noise of up to 0\.5 to every answer/)
  const body = code.replace(/^import .*$/m, 'const { auto, minimize } = zeroth')
  const printed: unknown[][] = []
  const log = (...all: unknown[]) => printed.push(all)
  const AsyncFunction = (async () => undefined).constructor as new (
    ...text: string[]
  ) => (...given: unknown[]) => Promise<void>
  await new AsyncFunction('zeroth', 'console', body)(zeroth, { log })
  const run = recordRun(value, task)
  expect(printed[0]?.[0]).toBe(Math.min(...run.value))
  expect(printed[0]?.[2]).toBe(run.x.length)
})

test('the network of the page gives the scores of the embedded one', async () => {
  const file = fileURLToPath(new URL('../../assets/digits/model.onnx', import.meta.url))
  const [mine, theirs] = [digitsModel(new Uint8Array(readFileSync(file))), await embeddedModel('digits').open()]
  const digits = await embeddedImages('digits')
  for (const index of [0, 7, 16]) {
    const { pixels } = await digits.read(index)
    const [here, there] = [new Float32Array(10), new Float32Array(10)]
    const images = { rows: 1, write: (_row: number, into: Float32Array | Float64Array) => into.set(pixels) }
    await mine.predict(images, here)
    await theirs.predict(images, there)
    for (const [i, score] of there.entries()) expect(Math.abs((here[i] as number) - score)).toBeLessThan(1e-4)
  }
  await theirs.close()
})

describe('the page', () => {
  let folder: string
  let file: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'zeroth-playground-'))
    file = join(folder, 'index.html')
    const script = fileURLToPath(new URL('../../scripts/playground.mjs', import.meta.url))
    execFileSync(process.execPath, [script, folder], { stdio: 'pipe' })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('is one file of less than 300 kB as it travels, and names nothing outside it', () => {
    const html = readFileSync(file, 'utf8')
    expect(gzipSync(html).length).toBeLessThan(300_000)
    expect(html).not.toMatch(/<(?:link|script|img)[^>]*(?:src|href)="(?!data:)/)
    expect(html).toContain("default-src 'none'; script-src 'wasm-unsafe-eval' 'sha256-")
    expect(html).not.toContain("'self'")
  })

  describe.skipIf(isChromiumMissing)('in Chromium, opened as a file', () => {
    let browser: Browser
    let page: Page
    let said: string[] = []

    beforeAll(async () => {
      browser = await launchChromium()
    })
    afterAll(() => browser?.close())
    afterEach(() => page?.close())

    const open = async (hash = ''): Promise<void> => {
      said = []
      page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
      page.on('console', (message) => said.push(message.text()))
      page.on('pageerror', (error) => said.push(error.message))
      page.on('request', (request) => {
        if (!/^(file|blob|data):/.test(request.url())) said.push(request.url())
      })
      await page.goto(`${pathToFileURL(file)}${hash}`)
    }
    const results = () => page.locator('#results p').allTextContents()
    const message = () => page.locator('#message').textContent()

    test('shows at once what Node finds, and plays it step by step', async () => {
      await open()
      const run = recordRun(value, task)
      const best = Math.min(...run.value)
      expect((await results())[0]).toBe(`auto: ${zeroText(best)} at (1, 1) after ${run.x.length} queries`)
      expect(await results()).toHaveLength(2)
      const painted = await page.evaluate(() => {
        const canvas = document.querySelector('#ground') as HTMLCanvasElement
        const { data } = (canvas.getContext('2d') as CanvasRenderingContext2D).getImageData(
          0,
          0,
          canvas.width,
          canvas.height,
        )
        return data.filter((_, i) => i % 4 === 3).filter((alpha) => alpha > 0).length / (data.length / 4)
      })
      expect(painted).toBeGreaterThan(0.8)
      await page.locator('#upTo').fill('0')
      await page.locator('#step').click()
      await page.locator('#step').click()
      expect((await results())[0]).toBe('auto: 24.2 at (-1.2, 1) after 2 queries')
      await page.locator('#play').click()
      await page.waitForFunction(() => Number((document.querySelector('#upTo') as HTMLInputElement).value) > 20)
      await page.locator('#play').click()
      expect(await page.locator('#play').textContent()).toBe('Play')
      expect(said).toEqual([])
    })

    test('a choice is in the address, and a click moves the start', async () => {
      await open()
      await page.locator('#function').selectOption('Ackley')
      await page.locator('#rival').selectOption('')
      expect(new URL(page.url()).hash).toBe('#function=Ackley&rival=&start=3.5%2C-3')
      expect(await results()).toHaveLength(1)
      await page.locator('#paths').click({ position: { x: 50, y: 50 } })
      expect(Number(await page.locator('#start0').inputValue())).toBeLessThan(-3)
      expect(Number(await page.locator('#start1').inputValue())).toBeGreaterThan(3)
      await page.reload()
      expect(await page.locator('#function').inputValue()).toBe('Ackley')
    })

    test('own code runs only when told, without network, and is stopped where it never ends', async () => {
      const link = (code: string) => `#function=own&rival=&code=${encodeURIComponent(code)}`
      await open(link('(x, y) => (x - 0.5) ** 2 + (y + 1) ** 2'))
      expect(await message()).toBe('This link brings code. Read it, then press Run.')
      await page.locator('#run').click()
      await page.waitForFunction(() => document.querySelector('#results p') !== null)
      expect((await results())[0]).toMatch(/^auto: \S+ at \(0\.5, -1\) after \d+ queries$/)
      const tried = async (code: string): Promise<string | null> => {
        await page.locator('#code').fill(code)
        await page.locator('#run').click()
        await page.waitForFunction(() => !/^(Running|$)/.test(document.querySelector('#message')?.textContent ?? ''))
        return message()
      }
      expect(await tried('(x, y) =>')).toMatch(/^SyntaxError/)
      expect(await tried('(x, y) => "no number"')).toBe('The function must return a number, it returned no number')
      expect(await tried('(x, y) => eval("x + y")')).toMatch(/unsafe-eval|Content Security Policy/)
      expect(await tried('(x, y) => { for (;;); }')).toBe('Stopped after 3 seconds without an end.')
      let asked = 0
      const server = createServer((_request, response) => response.end(String(asked++)))
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
      const { port } = server.address() as AddressInfo
      const asking = `(x, y) => { const r = new XMLHttpRequest(); r.open("GET", "http://127.0.0.1:${port}/", false); r.send(); return 1 }`
      expect(await tried(asking)).toMatch(/NetworkError|Failed to execute 'send'/)
      expect(asked).toBe(0)
      server.close()
    })

    test('a digit is attacked until the network takes it for another', async () => {
      await open('#tab=digits')
      expect(await page.locator('#digits button').count()).toBe(30)
      expect(await page.locator('#originalClass').textContent()).toBe('a 4')
      await page.locator('#attackDigit').click()
      await page.waitForFunction(() =>
        /Fooled|Withstood/.test(document.querySelector('#attackMessage')?.textContent ?? ''),
      )
      expect(await page.locator('#attackMessage').textContent()).toBe(
        'Fooled after 90 of 300 queries; the others made the change smaller.',
      )
      expect(await page.locator('#changedClass').textContent()).toMatch(/^taken for a [0-9]$/)
      expect(await page.locator('#bars div').count()).toBe(10)
      expect(said).toEqual([])
    })

    test('has no serious accessibility finding and never scrolls sideways, on both tabs, in light and dark, wide and narrow', async () => {
      for (const hash of ['', '#tab=digits']) {
        await open(hash)
        await page.evaluate(axe.source)
        for (const width of [1280, 390]) {
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.setViewportSize({ width, height: 900 })
            await page.emulateMedia({ colorScheme })
            const findings = await page.evaluate<{ id: string; impact: string; nodes: { html: string }[] }[]>(
              'axe.run().then(({ violations }) => violations)',
            )
            const serious = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical')
            expect(serious.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)).toEqual([])
            expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
          }
        }
        await page.close()
      }
    })
  })
})

/** A tiny number as the page writes it. */
function zeroText(value: number): string {
  return value.toExponential(4).replace(/\.?0+e/, 'e')
}
