import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { ensureChromium } from '../../scripts/ensure-chromium.ts'
import { heard, startZeroth } from './started.ts'

/** An objective that keeps when it answered which query. */
const objective = `import { writeFileSync } from 'node:fs'
const times = []
process.on('exit', () => writeFileSync('times.json', JSON.stringify(times)))
export default async (x) => {
  await new Promise((done) => setTimeout(done, 20))
  times.push(Date.now())
  return 1 / times.length
}
`

/** Keeps when a frame first shows which count of queries. */
const watch = `(() => {
  globalThis.seen = []
  const tile = document.querySelectorAll('.tiles dd')[1]
  new MutationObserver(() => requestAnimationFrame(() => {
    seen.push([Number(tile.firstChild.data.replaceAll(',', '').split(' ')[0]), Date.now()])
  })).observe(tile, { characterData: true, subtree: true, childList: true })
})()`

/** Milliseconds from the answers to queries to the frames that count them. */
export async function measureDelay(cwd: string, seconds: number, isOwn: boolean): Promise<number[]> {
  const found = ensureChromium()
  if ('missing' in found) throw new Error(found.missing)
  const place = isOwn ? 'own' : 'other'
  rmSync(join(cwd, 'times.json'), { force: true })
  writeFileSync(join(cwd, 'timed.mjs'), objective)
  const run = startZeroth(
    [
      'minimize',
      '--module',
      'timed.mjs',
      '--dim',
      '2',
      '--solver',
      'zo-adamm',
      '--directions',
      '1',
      '--max-queries',
      '100000',
    ].concat(['--out', place, '--no-progress'], isOwn ? ['--ui', '--ui-port', '0'] : []),
    cwd,
  )
  const server = isOwn ? run : startZeroth(['ui', '.', '--port', '0'], cwd)
  const browser = await chromium.launch({ executablePath: found.path, args: ['--no-sandbox'] })
  try {
    const url = await heard(server, /(http:\/\/127\.0\.0\.1:\d+\/)/)
    const page = await browser.newPage()
    await page.goto(url)
    await page.getByRole('link', { name: place, exact: true }).click()
    await page.waitForSelector('.plot svg path')
    await page.evaluate(watch)
    await page.waitForTimeout(1000 * seconds)
    const seen = (await page.evaluate('seen')) as [number, number][]
    run.child.kill('SIGINT')
    await run.ended
    const times = JSON.parse(readFileSync(join(cwd, 'times.json'), 'utf8')) as number[]
    return seen.flatMap(([queries, at]) => {
      const answered = times[queries - 1]
      return answered === undefined ? [] : [at - answered]
    })
  } finally {
    await browser.close()
    run.child.kill('SIGKILL')
    server.child.kill('SIGKILL')
  }
}
