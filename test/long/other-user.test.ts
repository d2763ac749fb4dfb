import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createStore } from '../../src/app/jobs/run.ts'
import { entryOf, idOfWork, serveUi, tokenOf } from '../end-to-end/ui-server.ts'
import { type Started, zeroth } from '../end-to-end/zeroth.ts'

/** Programs as a user who owns nothing. */
const nobody = ['--reuid=65534', '--regid=65534', '--clear-groups', '--', process.execPath]

function isPermitted(): boolean {
  try {
    execFileSync('setpriv', [...nobody, '-e', '0'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** What is in the name of a run, in its folder and in its spec, so that it shows if any of it is given away. */
const canary = 'canary4711'
const cwd = mkdtempSync(join(tmpdir(), 'zeroth-owner-'))
const shared = mkdtempSync(join(tmpdir(), 'zeroth-shared-'))
const works = join(cwd, `works-${canary}`)
const ran = join(cwd, 'ran')
let started: Started
let url: string

beforeAll(async () => {
  chmodSync(cwd, 0o700)
  // As /tmp is: everybody may write, nobody may remove what is of others.
  chmodSync(shared, 0o1777)
  mkdirSync(works)
  const program = `require('fs').writeFileSync(${JSON.stringify(ran)}, ''); process.exit(1)`
  const objective = { name: 'exec', command: [process.execPath, '-e', program] }
  const spec = { objective, dim: 1, solver: 'zo-sgd', maxQueries: 8, seed: 1 }
  await (await createStore(join(works, `run-${canary}`), spec)).close()
  ;[started, url] = await serveUi(cwd, works, '--port', '0')
})
afterAll(async () => {
  started.child.kill()
  await started.ended
  for (const folder of [cwd, shared]) rmSync(folder, { recursive: true, force: true })
})

/** What a program of the other user says. */
async function said(script: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('setpriv', [...nobody, '--input-type=module', '-e', script, ...args], {
    cwd: '/',
    maxBuffer: 1 << 26,
  })
  return stdout
}

/** Asks for everything in every way that needs no token, and reports what was answered. */
const everything = `
  const [base, id] = process.argv.slice(-2)
  const { host, origin, port } = new URL(base)
  const paths = ['', '?token=', '?token=' + '0'.repeat(64), 'index.html', 'api/works', 'api/events', 'api', '../etc/passwd',
    'assets/..%2f..%2fetc/passwd', 'api/works/' + id, ...['spec', 'curve', 'report', 'items', 'items/0', 'items/0/original', 'stop',
    'resume'].map((each) => 'api/works/' + id + '/' + each)]
  const own = { origin, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const ways = [{}, own, { ...own, 'x-zeroth-token': '' }, { ...own, 'x-zeroth-token': '0'.repeat(64) }, { ...own, cookie: 'zeroth-' + port + '=' },
    { ...own, cookie: 'zeroth-' + port + '=' + '0'.repeat(64) }, { ...own, authorization: 'Bearer ' + '0'.repeat(64) }]
  const answers = []
  for (const path of paths) for (const headers of ways) for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const body = method === 'POST' ? JSON.stringify({ shown: '' }) : undefined
    const answer = await fetch(base + path, { method, headers, body, signal: AbortSignal.timeout(10_000) })
    answers.push({ path, method, status: answer.status, text: await answer.text(), cookie: answer.headers.get('set-cookie') })
  }
  console.log(JSON.stringify(answers))`

test.runIf(isPermitted())('another user of this machine reads nothing and runs nothing through the page', async () => {
  const id = await idOfWork(url, `run-${canary}`)
  const answers = JSON.parse(await said(everything, url, id)) as { status: number; text: string; cookie: unknown }[]
  expect(answers.length).toBeGreaterThan(700)
  expect(answers.filter(({ status }) => status < 400)).toEqual([])
  expect(answers.filter(({ text, cookie }) => text.includes(canary) || cookie !== null)).toEqual([])
  expect(existsSync(ran)).toBe(false)
  // The owner, by the address that was printed, sees it.
  expect((await fetch(entryOf(url))).status).toBe(200)
})

test.runIf(isPermitted())('nor finds the token in what the system tells of the processes', async () => {
  const script = `
    import { readdirSync, readFileSync } from 'node:fs'
    const texts = []
    for (const pid of readdirSync('/proc').filter((name) => /^\\d+$/.test(name)))
      for (const name of ['cmdline', 'environ', 'comm', 'status', 'maps'])
        try { texts.push(readFileSync('/proc/' + pid + '/' + name, 'latin1')) } catch {}
    console.log(JSON.stringify(texts))`
  const texts = JSON.parse(await said(script)) as string[]
  expect(texts.join('\n')).toContain('main.js\0ui')
  expect(texts.filter((text) => text.includes(tokenOf(url)))).toEqual([])
})

test.runIf(isPermitted())('links that another user plants are not written through', async () => {
  const precious = join(cwd, 'precious')
  writeFileSync(precious, 'precious')
  const run = join(shared, 'run')
  const minimize = ['minimize', '--function', 'rosenbrock', '--dim', '2', '--max-queries', '40', '--out', run]
  expect((await zeroth(minimize, { cwd })).code).toBe(0)
  chmodSync(run, 0o1777)
  const names = ['report.html', 'out.csv', 'result.json', 'meta.json', 'checkpoint-a'].flatMap((name) => [
    `${name}.tmp`,
  ])
  const plant = `
    import { symlinkSync } from 'node:fs'
    const [run, precious, names] = process.argv.slice(-3)
    for (const name of JSON.parse(names)) symlinkSync(precious, run + '/' + name)`
  await said(plant, run, precious, JSON.stringify(names))
  expect((await zeroth(['report', run], { cwd })).code).toBe(0)
  expect((await zeroth(['export', run, '--out', join(run, 'out.csv')], { cwd })).code).toBe(0)
  expect((await zeroth(['resume', run, '--max-queries', '80'], { cwd })).code).toBe(0)
  expect(readFileSync(precious, 'utf8')).toBe('precious')
  // Those in the place of the files themselves are replaced or refused.
  const pages = join(shared, 'pages')
  mkdirSync(pages)
  chmodSync(pages, 0o1777)
  await said(plant, pages, precious, JSON.stringify(['report.html', 'out.csv']))
  expect((await zeroth(['report', run, '--out', pages], { cwd })).code).toBe(0)
  const { code, stderr } = await zeroth(['export', run, '--out', join(pages, 'out.csv')], { cwd })
  expect([code, stderr]).toEqual([1, expect.stringContaining('it is a link of another user')])
  expect(readFileSync(precious, 'utf8')).toBe('precious')
})
