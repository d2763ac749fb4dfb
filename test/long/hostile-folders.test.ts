import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStore } from '../../src/app/jobs/run.ts'
import type { JsonObject } from '../../src/app/spec/index.ts'
import { isChromiumMissing, launchChromium } from '../chromium.ts'
import { entryOf, idOfWork, serveUi } from '../end-to-end/ui-server.ts'
import type { Started } from '../end-to-end/zeroth.ts'

const cwd = mkdtempSync(join(tmpdir(), 'zeroth-hostile-'))
const ran = join(cwd, 'ran')
const recorder = join(cwd, 'recorder.mjs')
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const { execPath: node } = process
const exec = (command: readonly string[], more: object = {}) =>
  ({ name: 'exec', command, cwd, dim: 1, ...more }) as unknown as JsonObject
const recorded = (...words: string[]) => exec([node, recorder, ...words])
const shell = (text: string) => exec(['sh', '-c', text])
const withEnv = (env: object, ...words: string[]) => exec([node, recorder, ...words], { env })
const touch = (name: string) => `touch ${join(ran, name)}`

/** What a stranger might write into a folder, so that another thing runs than one sees. */
const hostile: Readonly<Record<string, JsonObject>> = {
  'an address that hides a command': shell(`a://;${touch('address')};:@x`),
  'a password that hides a command': shell(`: http://u;${touch('password')};:p@h/`),
  'an argument that looks like an address': recorded('https://u:p@h/', 'a://b@c'),
  'blanks before the command': shell(`:${' '.repeat(3000)};${touch('blanks')}`),
  'new lines before the command': shell(`:${'\n'.repeat(200)}${touch('lines')}`),
  'a carriage return': recorded('good\rbad'),
  'a tabulator': recorded('a\tb'),
  'a direction of writing': recorded('\u202eevil\u202c good'),
  'letters without width': recorded('py\u200bthon', '\ufeffx'),
  'another blank': recorded('a\u00a0b\u3000c'),
  'lines of Unicode': recorded('a\u2028b\u2029c'),
  'invisible tags': recorded('a\u{e0041}\u{e0042}b'),
  'escapes of a terminal': recorded('\u001b[2K\u001b[1A', '\u009b2K'),
  markup: recorded('</code><img src=x onerror=alert(1)>', '&amp;', '<!--'),
  quotes: recorded('"', "'", '\\"', '`', '" "'),
  'an empty argument': recorded('', 'a', ''),
  'words that look like one': recorded('a b', 'c'),
  'what stands for a hidden text': recorded('[hidden]', '[secret]'),
  'a very long argument': recorded('x'.repeat(50_000)),
  'many arguments': recorded(...Array.from({ length: 500 }, (_, i) => String(i))),
  'a variable of its own': withEnv({ RATE: `0.5;${touch('variable')}` }),
  'a variable with an address': withEnv({ TARGET: 'a://;b:c@d', OTHER: ' ' }),
  'a secret variable that is none': withEnv({ MY_API_KEY: touch('key') }),
  NODE_OPTIONS: withEnv({ NODE_OPTIONS: `--import ${join(cwd, 'evil.mjs')}` }),
  LD_PRELOAD: withEnv({ LD_PRELOAD: join(cwd, 'evil.so') }),
  'LD_PRELOAD in the name of another': withEnv({ [`LD_PRELOAD=${join(cwd, 'evil.so')}:`]: '' }),
  PATH: exec(['node', recorder], { env: { PATH: cwd } }),
  BASH_ENV: exec(['bash', '-c', ':'], { env: { BASH_ENV: join(cwd, 'evil.sh') } }),
  'a variable in small letters': withEnv({ node_options: `--import ${join(cwd, 'evil.mjs')}` }),
  'another folder to work in': exec([node, 'recorder.mjs', 'here'], { cwd: join(cwd, 'elsewhere') }),
  'a module': { name: 'module', module: join(cwd, 'elsewhere/objective.mjs') },
  'a variable of the reader': recorded(`\${HOSTILE_CANARY}`),
}

/** What each recorded process was called with. */
interface Called {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

const recorderSource = (name: string) => `
import { readdirSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
const { argv, env, execPath } = process
const called = { argv: [${name}, ...argv.slice(2)], cwd: process.cwd(), env }
writeFileSync(${JSON.stringify(ran)} + '/called-' + process.pid + '.json', JSON.stringify(called))
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, x } = JSON.parse(line)
  console.log(JSON.stringify({ id, value: x[0] * x[0] }))
})`

beforeAll(async () => {
  for (const folder of [ran, join(cwd, 'elsewhere'), join(cwd, 'works')]) mkdirSync(folder)
  writeFileSync(recorder, recorderSource('execPath, argv[1]'))
  writeFileSync(join(cwd, 'elsewhere/recorder.mjs'), recorderSource('execPath, "recorder.mjs"'))
  const evil = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(join(ran, 'evil'))}, '')`
  writeFileSync(join(cwd, 'evil.mjs'), evil)
  writeFileSync(join(cwd, 'evil.sh'), touch('evil'))
  writeFileSync(join(cwd, 'node'), `#!/bin/sh\n${touch('evil')}\n`, { mode: 0o755 })
  writeFileSync(
    join(cwd, 'elsewhere/objective.mjs'),
    `${evil.replace('evil', 'module')}\nexport default ([x]) => x * x`,
  )
  for (const [i, objective] of Object.values(hostile).entries()) {
    const spec = { objective, dim: 1, solver: 'zo-sgd', maxQueries: 8, seed: 1 }
    await (await createStore(join(cwd, 'works', `work-${i}`), spec)).close()
  }
})

/** The words that a shown text stands for. */
function wordsOf(text: string): string[] {
  const words = text.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/g) ?? []
  return words.map((word) => (word.startsWith('"') ? unquoted(word) : word))
}

function unquoted(word: string): string {
  return JSON.parse(
    word.replace(/\\u\{([0-9a-f]+)\}/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16))),
  )
}

describe.skipIf(isChromiumMissing)('of folders that strangers made', () => {
  test(`all ${Object.keys(hostile).length} run what the page has shown, or nothing`, async () => {
    process.env.HOSTILE_CANARY = 'canary'
    const browser = await launchChromium()
    let server: Started | undefined
    try {
      const [started, url] = await serveUi(cwd, 'works', '--port', '0')
      server = started
      const page = await (await browser.newContext()).newPage()
      page.on('dialog', (dialog) => expect.fail(dialog.message()))
      await page.goto(entryOf(url))
      const outcomes: string[] = []
      for (const [i, name] of Object.keys(hostile).entries()) {
        for (const left of readdirSync(ran)) rmSync(join(ran, left))
        await page.goto(`${url}#/job/${await idOfWork(url, `work-${i}`)}`)
        outcomes.push(`${await resumed(page, name)}: ${name}`)
      }
      expect(outcomes.filter((each) => each.startsWith('refused')).length).toBeGreaterThanOrEqual(6)
      process.stdout.write(`${outcomes.join('\n')}\n`)
    } finally {
      delete process.env.HOSTILE_CANARY
      await browser.close()
      server?.child.kill('SIGKILL')
    }
  })

  /** Resumes the work that is shown; what became of it. */
  async function resumed(page: Page, name: string): Promise<'refused' | 'failed' | 'ran as shown'> {
    await page.getByRole('button', { name: 'Resume' }).click()
    const dialog = page.getByRole('dialog')
    const lines = await dialog.locator('.executes li').evaluateAll((items) =>
      items.map((item) => {
        const text = item.querySelector('code')?.textContent ?? ''
        return { what: (item.textContent ?? '').slice(0, -text.length).trim(), text }
      }),
    )
    const button = dialog.getByRole('button', { name: 'Resume' })
    if ((await button.count()) === 0) {
      await dialog.getByRole('button', { name: 'Close' }).click()
      expect([name, readdirSync(ran)]).toEqual([name, []])
      return 'refused'
    }
    await button.click()
    const state = page.locator('.about .badge')
    await expect
      .poll(async () => `${await state.textContent()} ${await page.getByRole('alert').count()}`, { timeout: 120_000 })
      .toMatch(/^(finished|failed) |^\w+ 1$/)
    const files = readdirSync(ran)
    const calls = files.filter((each) => each.startsWith('called-'))
    const others = files.filter((each) => !each.startsWith('called-'))
    const texts = (what: string) => lines.filter((line) => line.what === what).map(({ text }) => text)
    // What was touched stands in a command or a module that was shown.
    for (const file of others) {
      const isShown =
        file === 'module'
          ? texts('loads the module').length > 0
          : texts('runs the program').join().includes(join(ran, file))
      expect([name, file, isShown]).toEqual([name, file, true])
    }
    for (const file of calls) compare(name, JSON.parse(readFileSync(join(ran, file), 'utf8')), texts)
    return files.length > 0 ? 'ran as shown' : 'failed'
  }

  function compare(name: string, { argv, cwd: place, env }: Called, texts: (what: string) => string[]): void {
    const words = texts('runs the program')
      .map(wordsOf)[0]
      ?.map((word) => word.replace(`\${HOSTILE_CANARY}`, 'canary'))
    expect([name, argv]).toEqual([name, words])
    expect([name, place]).toEqual([name, texts('works in the folder').map(wordsOf)[0]?.[0]])
    const set = Object.entries(env).filter(([key, value]) => process.env[key] !== value)
    const own = set.filter(([key]) => !/^(INIT_CWD|npm_|VITEST|NODE_ENV|PWD|_$)/.test(key))
    const said = texts('sets the variable').map((text) => {
      const at = text.indexOf('=')
      return [text.slice(0, at), wordsOf(text.slice(at + 1))[0] ?? '']
    })
    expect([name, Object.fromEntries(own)]).toEqual([name, Object.fromEntries(said)])
    expect(existsSync(join(ran, 'evil'))).toBe(false)
  }
})
