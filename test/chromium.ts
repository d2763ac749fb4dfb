import { type Browser, chromium } from 'playwright-core'
import { ensureChromium } from '../scripts/ensure-chromium.ts'

const found = ensureChromium()
if ('missing' in found) process.stderr.write(`Nothing is run in a browser: ${found.missing}\n`)

/** True where there is no Chromium: then tests in a browser are skipped. */
export const isChromiumMissing = 'missing' in found

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

/** Starts Chromium. */
export async function launchChromium(): Promise<Browser> {
  if ('missing' in found) throw new Error(found.missing)
  const browser = await chromium.launch({ executablePath: found.path, args: flags })
  // Playwright itself gives up after 30 s, which a busy machine may need.
  const newPage = browser.newPage.bind(browser)
  browser.newPage = async (options) => {
    const page = await newPage(options)
    page.setDefaultTimeout(300_000)
    return page
  }
  return browser
}
