import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { scoresOf } from '../../playground/attack-image.ts'
import { asCommand, initial, modelOptions } from '../../playground/state.ts'
import { embeddedImages, embeddedModel } from '../../src/robustness/embedded/index.ts'
import { encodePng, readImage } from '../../src/robustness/images/index.ts'
import { onnxModel } from '../../src/robustness/models/index.ts'
import { isChromiumMissing, launchChromium } from '../chromium.ts'
import { linearNetwork } from '../networks/linear-network.ts'
import { writeOnnx } from '../networks/onnx-writer.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const digitsFile = join(root, 'assets/digits/model.onnx')
const runtime = 'ort-wasm-simd-threaded.wasm'
const types: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript', wasm: 'application/wasm' }
/** The page is served from a folder of the host, as docs often are. */
const prefix = '/docs/playground'

/** Weights of a network for small pictures in colour, three classes. */
const weights = Array.from({ length: 3 }, (_, c) => Array.from({ length: 192 }, (_, i) => ((i * 7 + c * 5) % 11) / 40))

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'zeroth-model-page-'))
  execFileSync(process.execPath, [join(root, 'scripts/playground.mjs'), folder], { stdio: 'pipe' })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the page and its worker are small, and the runtime lies beside them as it was published', () => {
  const gzipped = (name: string): number => gzipSync(readFileSync(join(folder, name))).length
  expect(gzipped('model.html')).toBeLessThan(150_000)
  expect(gzipped('model-worker.js')).toBeLessThan(170_000)
  expect(statSync(join(folder, runtime)).size).toBe(
    statSync(join(root, 'node_modules/onnxruntime-web/dist', runtime)).size,
  )
})

test('the command that is copied names the network and what it is fed with', () => {
  const settings = { attack: 'strongest', limit: 0.03, queries: 1000, seed: 1 }
  expect(asCommand(settings, modelOptions("it's mine.onnx", '{"range":[0,255]}'))).toBe(
    `npx zeroth attack --model 'it'\\''s mine.onnx' --images FOLDER --preprocessing '{"range":[0,255]}' --solver strongest --linf 0.03 --max-queries 1000 --seed 1`,
  )
  expect(modelOptions('net.onnx', '{}')).toEqual(['--model', 'net.onnx', '--images', 'FOLDER'])
})

describe.skipIf(isChromiumMissing)('in Chromium', () => {
  let browser: Browser
  let server: Server
  let page: Page
  let asked: string[] = []
  let said: string[] = []
  const host = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      asked.push(request.url ?? '')
      const name = new URL(request.url ?? '', 'http://host').pathname.replace(`${prefix}/`, '')
      const bytes = /^[\w.-]+$/.test(name) ? await readFile(join(folder, name)).catch(() => undefined) : undefined
      if (bytes === undefined) response.writeHead(404).end()
      else response.setHeader('content-type', types[name.split('.').at(-1) ?? ''] ?? 'text/plain').end(bytes)
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
  })
  afterEach(() => page?.close())

  const open = async (address = `${host()}${prefix}/model.html`): Promise<void> => {
    asked = []
    said = []
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    page.on('console', (message) => said.push(message.text()))
    page.on('pageerror', (error) => said.push(error.message))
    page.on('request', (request) => {
      const url = request.url().replace(/^blob:/, '')
      if (!url.startsWith(host()) && !/^(file|data):/.test(url)) said.push(url)
    })
    await page.goto(address)
  }
  const text = (id: string): Promise<string | null> => page.locator(`#${id}`).textContent()
  const give = (id: string, name: string, bytes: Uint8Array | string, mimeType = ''): Promise<void> =>
    page.locator(`#${id}`).setInputFiles({ name, mimeType, buffer: Buffer.from(bytes) })
  /** What the page says once it has something to say. */
  const answer = async (id = 'modelMessage'): Promise<string | null> => {
    await page.waitForFunction(
      (name) => /^(?!Loading|Attacking)./.test(document.getElementById(name)?.textContent ?? ''),
      id,
    )
    return text(id)
  }
  const isAnswered = () => page.locator('#attackModel:enabled').waitFor()
  const shownScores = async (): Promise<number[]> =>
    (await page.locator('#bars data').evaluateAll((all) => all.map((each) => (each as HTMLDataElement).value))).map(
      Number,
    )
  const expectNear = (shown: readonly number[], scores: readonly number[]): void => {
    expect(shown).toHaveLength(scores.length)
    const largest = Math.max(1, ...scores.map(Math.abs))
    for (const [i, score] of scores.entries()) {
      expect(Math.abs((shown[i] as number) - score) / largest).toBeLessThan(1e-5)
    }
  }

  test('the runtime is loaded with a model, gives the scores of onnxruntime-node, and the picture that is saved fools that, too', async () => {
    await open()
    expect(asked).toEqual([`${prefix}/model.html`])
    await page.locator('#modelFile').setInputFiles(digitsFile)
    await isAnswered()
    expect(asked.slice(1)).toEqual([`${prefix}/model-worker.js`, `${prefix}/${runtime}`])
    expect(await text('aboutModel')).toMatch(/^model\.onnx: images of 1 x 28 x 28, 10 classes; onnxruntime-web 1\./)
    const here = await embeddedModel('digits').open()
    const { pixels } = await (await embeddedImages('digits')).read(initial.digit)
    expectNear(await shownScores(), await scoresOf(here, pixels))
    expect(await text('originalClass')).toBe('class 4')

    await page.locator('#attackModel').focus()
    await page.keyboard.press('Enter')
    expect(await answer('attackMessage')).toMatch(/^Fooled after \d+ of 1,000 queries; .* [\d,]+ queries a second\.$/)
    expect(await text('changedClass')).toMatch(/^taken for class [0-35-9]$/)
    const saving = page.waitForEvent('download')
    await page.locator('#save').click()
    const saved = await saving
    expect(saved.suggestedFilename()).toBe(`digit ${initial.digit + 1}-changed.png`)
    const changed = await readImage(await saved.path(), { channels: 1 })
    const largest = Math.max(...changed.pixels.map((pixel, i) => Math.abs(pixel - (pixels[i] as number))))
    expect(largest).toBeGreaterThan(0)
    expect(largest).toBeLessThanOrEqual(0.1 + 1e-6)
    const scores = await scoresOf(here, changed.pixels)
    expect(scores.indexOf(Math.max(...scores))).not.toBe(4)
    expectNear(await shownScores(), scores)
    await here.close()

    await page.locator('#queries').fill('100000')
    await page.locator('#attackModel').click()
    await page.locator('#attackModel').getByText('Stop').click()
    expect(await text('attackMessage')).toBe('Stopped.')
    await page.locator('#queries').fill('20')
    await page.locator('#attackModel').click()
    expect(await answer('attackMessage')).toMatch(/^Withstood \d+ queries\./)
    expect(said).toEqual([])
  })

  test('a picture dropped together with its model is resized as on the command line, and what the network expects is heeded', async () => {
    const network = linearNetwork({ weights, sides: ['N', 3, 8, 8] })
    const shape = { channels: 3, height: 30, width: 40 }
    const drawn = Float32Array.from({ length: 3600 }, (_, i) => ((i * 31) % 256) / 255)
    const png = encodePng({ shape, pixels: drawn })
    await open()
    await page.evaluate(
      (files) => {
        const dropped = new DataTransfer()
        for (const { name, type, bytes } of files) dropped.items.add(new File([new Uint8Array(bytes)], name, { type }))
        for (const type of ['dragover', 'drop']) {
          dispatchEvent(new DragEvent(type, { dataTransfer: dropped, cancelable: true }))
        }
      },
      [
        { name: 'linear.onnx', type: '', bytes: [...network] },
        { name: 'drawn.png', type: 'image/png', bytes: [...png] },
      ],
    )
    await isAnswered()
    expect(await text('aboutPicture')).toBe('drawn.png.')
    const expected = async (resize: 'imagenet' | 'stretch', range: [number, number]): Promise<number[]> => {
      const model = await onnxModel({ bytes: network, preprocessing: { range } }).open()
      const { pixels } = await readImage(png, { channels: 3, size: 8, resize })
      const scores = await scoresOf(model, pixels)
      await model.close()
      return scores
    }
    expectNear(await shownScores(), await expected('imagenet', [0, 1]))
    await page.locator('#tryUsual').click()
    await page.locator('#tried button').first().waitFor()
    expect(await page.locator('#tried button').allTextContents()).toHaveLength(7)
    await page.locator('#tried button', { hasText: '-1 to 1:' }).click()
    await isAnswered()
    expectNear(await shownScores(), await expected('imagenet', [-1, 1]))
    await page.locator('#fit').selectOption('stretch')
    await isAnswered()
    expectNear(await shownScores(), await expected('stretch', [-1, 1]))
    await give('namesFile', 'names.txt', 'cat\ndog\nowl\n')
    await page.locator('#bars b', { hasText: 'owl' }).waitFor()
    const seen = (await text('originalClass')) as string
    const other = ['cat', 'dog', 'owl'].find((name) => name !== seen) as string
    await page.locator('summary').click()
    await page.locator('#trueClass').fill(other)
    await page.locator('#attackModel').click()
    expect(await answer('attackMessage')).toBe(
      `the model takes the picture for ${seen}, not for ${other}: it is wrong without an attack; choose another picture, or other pixels.`,
    )
    expect(said).toEqual([])
  })

  test('what cannot be used is named, with what can, and the next file works', async () => {
    await open()
    const sides = ['N', 3, 8, 8]
    const unknown = writeOnnx({
      inputs: [{ name: 'images', type: 'float32', sides: [1, 3, 8, 8] }],
      outputs: [{ name: 'scores', type: 'float32', sides: [1, 3] }],
      tensors: [],
      nodes: [{ op: 'Imagined', inputs: ['images'], outputs: ['scores'] }],
    })
    const bad: [Uint8Array | string, string | RegExp][] = [
      ['some text', /^net\.onnx is not an ONNX file: /],
      [
        linearNetwork({ weights, sides, externalFile: 'far.bin' }),
        'net.onnx keeps the tensor "weights" in the file "far.bin": external data is not read; save the model as one file.',
      ],
      [linearNetwork({ weights, sides: ['N', 3, 1, 8, 8] }), /takes \[\?, 3, 1, 8, 8\]: images have 1 to 4 sides here/],
      [
        linearNetwork({ weights, sides, moreInputs: ['mask'] }),
        'net.onnx has 2 inputs (images, mask), and only one can be fed with images: export it with the others fixed.',
      ],
      [unknown, /^onnxruntime cannot load net\.onnx: .*No Op registered for Imagined/],
    ]
    for (const [bytes, message] of bad) {
      await give('modelFile', 'net.onnx', bytes)
      const found = await answer()
      if (typeof message === 'string') expect(found).toBe(message)
      else expect(found).toMatch(message)
      await page.evaluate(() => document.getElementById('modelMessage')?.replaceChildren())
    }
    const huge = join(folder, 'huge.onnx')
    writeFileSync(huge, '')
    truncateSync(huge, 1_000_000_001)
    await page.locator('#modelFile').setInputFiles(huge)
    expect(await answer()).toBe(
      'huge.onnx has 1,000,000,001 bytes: at most 1,000,000,000 can be opened in a browser; zeroth attack opens larger ones.',
    )
    await give('pictureFile', 'no.png', 'no picture', 'image/png')
    await page.getByText('no.png is not an image that can be read: found bytes that begin with 6e 6f 20 70').waitFor()
    await give('pictureFile', 'half.png', Buffer.from('89504e470d0a1a0a0000', 'hex'), 'image/png')
    await page.getByText('half.png: the PNG image is damaged, or too large to decode.').waitFor()
    await page.locator('#modelFile').setInputFiles(digitsFile)
    await isAnswered()
    expect(await text('originalClass')).toBe('class 4')
    expect(said).toEqual([])
  })

  test('without its runtime beside it, or opened from a folder, the page says what it needs', async () => {
    await open()
    await page.route('**/model-worker.js', (route) => route.abort())
    await page.locator('#modelFile').setInputFiles(digitsFile)
    expect(await answer()).toBe(
      `the runtime cannot be loaded: ${host()}${prefix}/model-worker.js must be there, beside this page.`,
    )
    await page.close()
    await open(pathToFileURL(join(folder, 'model.html')).href)
    expect(await page.locator('#needsHost').isVisible()).toBe(true)
    expect(await text('needsHost')).toMatch(/needs a web server.*npx http-server/)
    expect(await page.locator('#modelFile').isDisabled()).toBe(true)
    await page.locator('.tabs a').first().click()
    await page.locator('#results p').first().waitFor()
    expect(said).toEqual([])
  })

  test('own code on the other page reaches not even its own host, also where it is served', async () => {
    const address = `${host()}${prefix}/model-worker.js?secret`
    const code = `(x, y) => {
      const refused = []
      const request = new XMLHttpRequest()
      request.open('GET', '${address}', false)
      try { request.send() } catch { refused.push('request') }
      try { importScripts('${address}') } catch { refused.push('script') }
      new Worker('${address}')
      new Worker('${address}', { type: 'module' })
      throw new Error(refused.join(' and '))
    }`
    await open(`${host()}${prefix}/index.html#function=own&rival=&code=${encodeURIComponent(code)}`)
    await page.locator('#run').click()
    await page.getByText('request and script').waitFor()
    await page.waitForTimeout(300)
    expect(asked).toEqual([`${prefix}/index.html`])
  })

  test('has no serious accessibility finding and never scrolls sideways, in light and dark, wide and narrow', async () => {
    await open()
    await page.locator('#modelFile').setInputFiles(digitsFile)
    await isAnswered()
    await page.locator('#tryUsual').click()
    await page.locator('#tried button').first().waitFor()
    await page.locator('summary').click()
    await page.locator('#queries').fill('100')
    await page.locator('#attackModel').click()
    await answer('attackMessage')
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
  })
})
