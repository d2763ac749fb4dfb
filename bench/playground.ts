import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type Browser, chromium } from 'playwright-core'
import { ensureChromium } from '../scripts/ensure-chromium.ts'
import { type Column, textTable } from '../src/app/report/table.ts'
import { machineLines } from './machine.ts'
import { root } from './root.ts'

/** The playground's first picture must be there by then, and its file weigh less, as it travels. */
const wanted = { seconds: 2, bytes: 300_000 }

/** Keeps when the first frame after the first result is drawn, in milliseconds since the page was asked for. */
const watch = `addEventListener('DOMContentLoaded', () => {
  const results = document.querySelector('#results')
  const look = () => results.firstChild ? requestAnimationFrame(() => { globalThis.drawnAt = performance.now() }) : requestAnimationFrame(look)
  look()
})`

interface Row {
  readonly processor: string
  readonly seconds: readonly number[]
}

/** Measures the playground: how long until its first picture, from a folder, and how heavy it is. */
export async function playground({ quick, json, save, command }: Options): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-playground-'))
  const found = ensureChromium()
  if ('missing' in found) throw new Error(found.missing)
  const browser = await chromium.launch({ executablePath: found.path, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const file = join(folder, 'index.html')
    execFileSync(process.execPath, [join(root, 'scripts', 'playground.mjs'), folder], { stdio: 'pipe' })
    const bytes = gzipSync(readFileSync(file)).length
    const rounds = quick ? 3 : 9
    const rows: Row[] = []
    for (const [processor, slowdown] of [
      ['as it is', 1],
      ['four times slower', 4],
    ] as const) {
      const seconds: number[] = []
      for (let i = 0; i < rounds; i++) seconds.push(await firstPicture(browser, file, slowdown))
      rows.push({ processor, seconds: seconds.sort((a, b) => a - b) })
    }
    const lines = [
      textTable(rows, columns),
      '',
      `gzip: ${bytes} bytes of at most ${wanted.bytes}; first picture within ${wanted.seconds} s wanted`,
      '',
      ...machineLines(command),
    ]
    process.stdout.write(`${lines.join('\n')}\n`)
    if (save) writeFileSync(join(root, 'bench', 'results', 'playground.md'), `# Playground\n\n${lines.join('\n')}\n`)
    if (json)
      process.stdout.write(`${JSON.stringify({ bytes, seconds: rows.map(({ seconds }) => middle(seconds)) })}\n`)
  } finally {
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Options {
  readonly quick: boolean
  readonly json: boolean
  readonly save: boolean
  readonly command: string
}

const columns: readonly Column<Row>[] = [
  { title: 'processor', cell: ({ processor }) => processor },
  { title: 'first picture, median', align: 'right', cell: ({ seconds }) => secondsText(middle(seconds)) },
  { title: 'slowest', align: 'right', cell: ({ seconds }) => secondsText(seconds.at(-1) ?? 0) },
]

async function firstPicture(browser: Browser, file: string, slowdown: number): Promise<number> {
  const page = await browser.newPage()
  try {
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    await page.addInitScript(watch)
    await page.goto(pathToFileURL(file).href)
    await page.waitForFunction(() => 'drawnAt' in globalThis)
    return ((await page.evaluate('drawnAt')) as number) / 1000
  } finally {
    await page.close()
  }
}

function middle(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

function secondsText(seconds: number): string {
  return `${seconds.toFixed(2)} s`
}
