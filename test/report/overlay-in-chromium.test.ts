import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runPage } from '../../src/app/report/index.ts'
import { isChromiumMissing, launchChromium } from '../chromium.ts'
import { sampleRun } from './sample-run.ts'

const best = [100, 40, 10, 4, 1, 0.4, 0.1, 0.04, 0.01, 0.004]
const value = best.map((each) => 2 * each)
const { html } = runPage([sampleRun({ best, value })], { title: 'A title' })

async function bundled(entry: string, name: string): Promise<string> {
  const options = { bundle: true, minify: true, write: false, format: 'iife', target: 'es2022' } as const
  const stdin = { contents: entry, resolveDir: import.meta.dirname, loader: 'ts' } as const
  const { outputFiles } = await build({ ...options, stdin, globalName: name })
  return outputFiles[0]?.text ?? ''
}

test('the overlay takes less than 5 kB of a page', async () => {
  const bytes = await bundled(
    `import { chartOverlay } from '../../src/app/report/overlay/chart-overlay.ts'; chartOverlay(...globalThis.it)`,
    '',
  )
  expect(bytes.length).toBeLessThan(5 * 1024)
})

describe.skipIf(isChromiumMissing)('a chart of a report in Chromium', () => {
  let browser: Browser
  let page: Page
  let said: string[]

  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())
  beforeEach(async () => {
    await page?.close()
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    said = []
    page.on('console', (message) => said.push(message.text()))
    page.on('pageerror', (error) => said.push(error.message))
    await page.setContent(html)
  })

  const drawing = () => page.locator('.drawing').first()
  const readout = () => page.locator('.readout').first()
  const rows = () => readout().locator('div').allTextContents()
  const ticks = () => drawing().locator('[data-mark^="x-axis"] text').allTextContents()
  /** Where a share of the horizontal axis is on the screen: the drawing is 480 wide, its axis from 62 to 456. */
  const at = async (share: number) => {
    const box = await drawing().boundingBox()
    if (box === null) throw new Error('the chart cannot be seen')
    return { x: box.x + ((62 + share * 394) * box.width) / 480, y: box.y + box.height / 3 }
  }
  const moveTo = async (share: number) => {
    const { x, y } = await at(share)
    await page.mouse.move(x, y)
  }
  const drag = async (from: number, to: number) => {
    await moveTo(from)
    await page.mouse.down()
    await moveTo((from + to) / 2)
    await moveTo(to)
    await page.mouse.up()
  }

  test('shows the values under the pointer, and none when it leaves', async () => {
    expect(await readout().isVisible()).toBe(false)
    await moveTo(0.5)
    expect(await readout().textContent()).toMatch(/^56 queries/)
    expect(await rows()).toEqual(['best so far 1', 'value at each iteration 2'])
    await page.mouse.move(5, 5)
    expect(await readout().isVisible()).toBe(false)
    expect(said).toEqual([])
  })

  test('zooms by a drag and goes back by Escape', async () => {
    expect(await ticks()).toEqual(['0', '50', '100'])
    await drag(0.25, 0.5)
    expect(await ticks()).toEqual(['30', '35', '40', '45', '50', '55'])
    await moveTo(0.5)
    expect(await readout().textContent()).toMatch(/^42 queries/)
    expect(await rows()).toEqual(['best so far 10', 'value at each iteration 20'])
    await drawing().press('Escape')
    expect(await ticks()).toEqual(['0', '50', '100'])
  })

  test('is read and zoomed by keys alone, which a screen reader is told', async () => {
    const spoken = () => drawing().getAttribute('aria-valuetext')
    await page.locator('body').press('Tab')
    while (!(await drawing().evaluate((each) => each === each.ownerDocument.activeElement)))
      await page.keyboard.press('Tab')
    expect(await drawing().getAttribute('role')).toBe('slider')
    expect(await drawing().getAttribute('aria-label')).toBe('Best value against queries')
    await page.keyboard.press('End')
    expect(await spoken()).toBe('111 queries, best so far 0.004, value at each iteration 0.008')
    await page.keyboard.press('Home')
    expect(await spoken()).toBe('0 queries')
    for (let i = 0; i < 10; i++) await page.keyboard.press('ArrowRight')
    expect(await spoken()).toBe('22 queries, best so far 40, value at each iteration 80')
    await page.keyboard.press('+')
    await page.keyboard.press('+')
    expect(await ticks()).toEqual(['20', '25', '30', '35', '40'])
    await page.keyboard.press('End')
    expect(await spoken()).toBe('111 queries, best so far 0.004, value at each iteration 0.008')
    expect(await ticks()).toEqual(['85', '90', '95', '100', '105', '110'])
    await page.keyboard.press('-')
    await page.keyboard.press('-')
    expect(await ticks()).toEqual(['0', '50', '100'])
    await page.keyboard.press('Escape')
    expect(await readout().isVisible()).toBe(false)
  })

  test('zooms by its buttons, which a finger can press', async () => {
    await drawing().focus()
    await page.getByRole('button', { name: 'Zoom in' }).first().click()
    expect(await ticks()).toEqual(['60', '70', '80', '90', '100', '110'])
    await page.getByRole('button', { name: 'Show all' }).first().click()
    expect(await ticks()).toEqual(['0', '50', '100'])
  })

  test('has the same values in a table, which needs no script', async () => {
    const table = page.locator('figure.chart').first().locator('table')
    expect(await table.locator('tbody tr').last().locator('th, td').allTextContents()).toEqual([
      '111',
      '0.004',
      '0.008',
    ])
  })
})

describe.skipIf(isChromiumMissing)('a chart that is drawn anew in Chromium', () => {
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  /** A page with a chart that `chart(points, part)` draws, one point every 10 queries, and what is done with it. */
  async function open(script: string): Promise<void> {
    page = await browser.newPage({ viewport: { width: 600, height: 500 } })
    await page.setContent('<div class="plot"><div class="drawing"></div></div>')
    const content = await bundled(
      `import { convergenceChart } from '../../src/app/report/chart/charts.ts'
       import { textOf } from '../../src/app/report/markup.ts'
       import { chartOverlay } from '../../src/app/report/overlay/chart-overlay.ts'
       const plot = document.querySelector('.plot')
       const chart = (points, part) => {
         const curve = { x: Float64Array.from({ length: points }, (_, i) => i * 10), y: Float64Array.from({ length: points }, (_, i) => 9 - i / 10) }
         const text = { document, id: 'c', title: 'T', description: 'D', xLabel: 'queries', yLabel: 'value', part }
         const { inline, data } = convergenceChart([{ label: 'one', style: { color: 'var(--c1)' }, curve }], { ...text, end: 10 * (points - 1) })
         plot.firstElementChild.innerHTML = textOf(inline)
         return data
       }
       ${script}`,
      'live',
    )
    await page.addScriptTag({ content })
    await page.locator('.drawing').focus()
  }
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const state = async () => ({
    ticks: await page.locator('[data-mark^="x-axis"] text').allTextContents(),
    spoken: await page.locator('.drawing').getAttribute('aria-valuetext'),
  })

  test('keeps what is zoomed and what is read', async () => {
    await open(`const overlay = chartOverlay(plot, chart(11))
                export const grow = () => overlay.update(chart(41))`)
    await press('Home', '+', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight')
    const before = { ticks: ['0', '10', '20', '30', '40', '50'], spoken: '5 queries, one 9' }
    expect(await state()).toEqual(before)
    await page.evaluate('live.grow()')
    expect(await state()).toEqual(before)
    await press('Escape')
    expect((await state()).ticks).toEqual(['0', '100', '200', '300', '400'])
  })

  test('tells a page where the reader zooms, and goes on where the page has drawn that part', async () => {
    await open(`export const told = []
                const overlay = chartOverlay(plot, chart(11), (part) => {
                  told.push(part ?? 'all')
                  overlay.update(chart(11, part))
                })`)
    const told = () => page.evaluate('live.told.splice(0)')
    await press('Home', '+', '+', '+')
    expect(await told()).toEqual([
      [0, 50],
      [0, 25],
      [0, 12.5],
    ])
    expect(await state()).toEqual({ ticks: ['0', '5', '10'], spoken: '0 queries, one 9' })
    // Beyond the part that is drawn there is more to see.
    await press('End')
    expect(await told()).toEqual([[87.5, 100]])
    expect((await state()).spoken).toBe('100 queries, one 8')
    await press('-', '-', '-', '-')
    expect(await told()).toEqual([[75, 100], [50, 100], 'all', 'all'])
    await press('+', 'Escape')
    expect(await told()).toEqual([[50, 100], 'all'])
    expect(await page.locator('.plot.zoomed').count()).toBe(0)
  })
})
