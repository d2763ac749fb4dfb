import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attackPage, runPage } from '../../src/app/report/index.ts'
import { sampleComparison, samplePage } from '../attacks/sample-page.ts'
import { sampleReport } from '../attacks/sample-report.ts'
import { isChromiumMissing, launchChromium } from '../chromium.ts'
import { payloads } from './payloads.ts'
import { type Sample, sampleRun } from './sample-run.ts'

/** Every kind of report, with a text wherever a report shows one that is not its own. */
function reports(odd = 'a <name> & "more"'): Readonly<Record<string, () => string>> {
  const run = (more: Sample = {}) =>
    sampleRun({
      ...more,
      name: odd,
      problems: [odd],
      machine: { node: odd },
      spec: { objective: { name: odd }, solver: { name: odd }, variables: { [odd]: {} }, ...more.spec },
      result: {
        warnings: [odd],
        failures: { count: 1, first: odd },
        variables: { [odd]: 1.5 },
        phases: [{ method: odd, why: odd, queries: 3, value: 1 }],
        hash: odd,
      },
    })
  const seeds = [1, 2, 3].map((seed) => run({ spec: { seed }, best: [9, 4, seed] }))
  const rates = [0.001, 0.01, 0.1].flatMap((learningRate) =>
    [1, 2].map((seed) =>
      run({ spec: { solver: { name: odd, learningRate }, seed }, best: [9, 4, seed / learningRate] }),
    ),
  )
  const sample = { images: 4, iterations: 5, title: () => odd, warnings: [odd] }
  const background = { title: odd, settings: [[odd, odd]], machine: { node: odd }, created: odd, command: odd } as const
  const names = { classNames: Array.from({ length: 10 }, () => odd) }
  const evaluation = samplePage({ report: sampleReport(sample), ...background, ...names })
  const compared = sampleComparison({ ...background, ...names })
  const runs = compared.runs
    .slice(0, 2)
    .map((each) => ({ ...each, name: odd, problem: odd, report: sampleReport(sample) }))
  return {
    run: () => runPage([run()], { title: odd }).html,
    series: () => runPage(seeds, { title: odd }).html,
    tuning: () => runPage(rates, { title: odd }).html,
    evaluation: () => attackPage(evaluation).html,
    comparison: () => attackPage({ ...compared, runs }).html,
  }
}

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

describe.skipIf(isChromiumMissing)('reports in Chromium', () => {
  const pages = Object.fromEntries(Object.entries(reports()).map(([kind, made]) => [kind, made()]))
  let browser: Browser
  let page: Page
  const said: string[] = []

  beforeAll(async () => {
    browser = await launchChromium()
    page = await browser.newPage()
    page.on('console', (message) => said.push(message.text()))
    page.on('pageerror', (error) => said.push(error.message))
    page.on('dialog', (dialog) => {
      said.push(dialog.message())
      void dialog.dismiss()
    })
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) said.push(request.url())
    })
  })
  afterAll(() => browser?.close())

  describe.each(Object.keys(pages))('the page of one %s', (kind) => {
    test('has no serious accessibility finding, in light and dark, wide and narrow, and never scrolls sideways', async () => {
      await page.setContent(pages[kind] as string)
      await page.evaluate(axe.source)
      for (const [width, colorScheme] of [
        [1280, 'light'],
        [1280, 'dark'],
        [390, 'light'],
        [390, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 900 })
        await page.emulateMedia({ colorScheme })
        const findings = await page.evaluate<Finding[]>('axe.run().then(({ violations }) => violations)')
        const serious = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical')
        expect(serious.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)).toEqual([])
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
      }
      expect(said).toEqual([])
    })

    test('cuts off no column of a table on a wide screen', async () => {
      await page.setViewportSize({ width: 1280, height: 900 })
      await page.setContent(pages[kind] as string)
      const cut = await page.evaluate(() => {
        for (const details of document.querySelectorAll('details')) details.open = true
        return [...document.querySelectorAll('.scroll')]
          .filter((table) => table.scrollWidth > table.clientWidth)
          .map((table) => `${table.getAttribute('aria-label')}: ${table.scrollWidth - table.clientWidth} px`)
      })
      expect(cut).toEqual([])
    })
  })

  test('pictures are shown large, one image after the other, by pointer and by keys', async () => {
    await page.setContent(attackPage(samplePage()).html)
    const dialog = page.getByRole('dialog')
    await page.locator('.gallery img').first().click()
    expect(await dialog.getAttribute('aria-label')).toBe('image-0')
    const width = await dialog
      .locator('img')
      .first()
      .evaluate((img) => img.getBoundingClientRect().width)
    expect(width).toBeGreaterThan(250)
    await page.keyboard.press('ArrowRight')
    expect(await dialog.getAttribute('aria-label')).toBe('image-1')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    // The last of them, as it is shown: fooled, but not as the file that was saved.
    expect(await dialog.getAttribute('aria-label')).toBe('image-3')
    expect(await dialog.locator('.badge').textContent()).toBe('not as 8-bit file')
    await page.keyboard.press('Escape')
    expect(await dialog.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Enlarge' }).nth(1).press('Enter')
    expect(await dialog.getAttribute('aria-label')).toBe('image-1')
    await page.getByRole('button', { name: 'Close' }).click()
    expect(said).toEqual([])
  })

  test('no payload as a name, class, warning or setting runs, asks for anything or makes an element', async () => {
    const elements = async (html: string): Promise<number> => {
      await page.setContent(html)
      await page.locator('.drawing').first().dispatchEvent('pointermove', { clientX: 300, clientY: 300 })
      return page.evaluate(() => document.querySelectorAll('*').length)
    }
    expect(payloads.length).toBeGreaterThanOrEqual(50)
    const kinds = Object.keys(pages)
    const harmless = reports('plain')
    const counts = new Map<string, number>()
    for (const kind of kinds) counts.set(kind, await elements(harmless[kind]?.() ?? ''))
    // Five payloads in each place, two times in each kind of report: what is escaped is the same code in all of them, and
    // tested for each payload elsewhere.
    for (let i = 0; i < payloads.length; i += 5) {
      const kind = kinds[(i / 5) % kinds.length] as string
      const payload = payloads.slice(i, i + 5).join(' ')
      expect([payload, await elements(reports(payload)[kind]?.() ?? '')]).toEqual([payload, counts.get(kind)])
    }
    expect(said).toEqual([])
  })
})
