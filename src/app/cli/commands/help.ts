import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { availableParallelism, freemem } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { minimizeSync, openKernels, ZerothError } from '../../../index.ts'
import { nearest } from '../../../optimizer/core/errors.ts'
import { output, print } from '../program.ts'
import { exitCodes, paint, plainText } from '../terminal.ts'

/** The pages of the package: src/app/cli/commands and dist/app/cli/commands are equally far from them. */
const folder = new URL('../../../../docs/', import.meta.url)

const docsExamples = `
Examples:
  $ zeroth docs                 lists the topics
  $ zeroth docs minimize
  $ zeroth docs options | less  every option of every part`

/** `zeroth docs`: the documentation that travels with the package. */
export function docsCommand(): Command {
  return new Command()
    .argument('[topic]', 'the topic; all are listed without one')
    .addHelpText('after', docsExamples)
    .action(async (topic?: string) => print(topic === undefined ? await listTopics() : await page(topic)))
}

/** The names of all topics. */
async function topics(): Promise<string[]> {
  const files = await readdir(folder)
  return files
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .sort()
}

async function listTopics(): Promise<string> {
  const names = await topics()
  const width = Math.max(...names.map((name) => name.length))
  const lines = await Promise.all(
    names.map(async (name) => {
      const { title, sentence } = opening(await textOf(name))
      return `${name.padEnd(width)}  ${[title, sentence].filter((each) => each !== '').join(': ')}`
    }),
  )
  return `${lines.join('\n')}\n\nzeroth docs <topic> prints one.`
}

async function page(topic: string): Promise<string> {
  const known = await topics()
  if (known.includes(topic)) return await textOf(topic)
  const suggestion = nearest(topic, known)
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`
  throw new ZerothError('invalid-option', `docs has no topic ${topic}${hint} (known: ${known.join(', ')})`)
}

/** A page without the marks for what writes its tables. */
async function textOf(topic: string): Promise<string> {
  const text = await readFile(new URL(`${topic}.md`, folder), 'utf8')
  return text.replaceAll(/<!--.*?-->\n\n/g, '').trimEnd()
}

/** The title of a page, and the sentence it begins with where it does not begin with an example. */
function opening(text: string): { title: string; sentence: string } {
  const [head = '', first = ''] = text.split('\n\n')
  const prose = /^[A-Z`]/.test(first) && !first.startsWith('```') ? first.replaceAll('\n', ' ') : ''
  return { title: head.replace(/^# /, '').replaceAll('`', ''), sentence: /^.*?[.?](?= |$)/.exec(prose)?.[0] ?? '' }
}

const doctorExamples = `
Some uses need what is missing (-), others do not. The exit code is 1 if
something that all of zeroth needs is BAD.

Example:
  $ zeroth doctor`

/** `zeroth doctor`: what works on this machine, and what to do about what does not. */
export function doctorCommand(): Command {
  return new Command()
    .option('--json', 'print one JSON object')
    .addHelpText('after', doctorExamples)
    .action(async ({ json }: { json?: boolean }) => {
      const checks = await checkMachine()
      const ok = checks.every(({ state }) => state !== 'bad')
      const { green, yellow, red } = paint(output)
      const marks = { ok: green('ok  '), missing: yellow('-   '), bad: red('BAD ') }
      const lines = checks.map(({ state, what, detail }) => `${marks[state]} ${what.padEnd(26)} ${detail}`)
      print(json === true ? JSON.stringify({ ok, checks }) : lines.join('\n'))
      if (!ok) process.exitCode = exitCodes.failed
    })
}

/** One thing that was checked. `missing` is something that only some uses need. */
interface Finding {
  readonly what: string
  readonly state: 'ok' | 'missing' | 'bad'
  readonly detail: string
}

/** Checks everything zeroth may need on this machine. */
export async function checkMachine(): Promise<Finding[]> {
  const checks: readonly [what: string, whenItFails: Finding['state'], check: () => string | Promise<string>][] = [
    ['Node', 'bad', nodeVersion],
    ['WebAssembly SIMD', 'missing', simd],
    ['a small run', 'bad', smallRun],
    ['processors and memory', 'bad', () => `${availableParallelism()} threads, ${gigabytes(freemem())} free`],
    ['this folder can be written', 'bad', writable],
    ['disk', 'bad', disk],
    ['a port on this machine', 'missing', port],
    ['onnxruntime', 'missing', onnxruntime],
    [
      'sharp (images)',
      'missing',
      async () => `libvips ${await (await import('../../../robustness/images/index.ts')).imageLibrary()}`,
    ],
    ['python3 (examples only)', 'missing', python],
  ]
  const findings: Finding[] = []
  for (const [what, whenItFails, check] of checks) {
    try {
      findings.push({ what, state: 'ok', detail: await check() })
    } catch (error) {
      findings.push({ what, state: whenItFails, detail: plainText((error as Error).message) })
    }
  }
  return findings
}

function nodeVersion(): string {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) throw new Error(`${process.versions.node}: 20.19 or later is needed`)
  return process.versions.node
}

function simd(): string {
  const { name } = openKernels('fastest', 100, 'float64')
  if (name !== 'wasm') throw new Error('not here: runs are the same, 60 times slower')
  return 'used for the hot loops'
}

/** Rosenbrock's function of two variables. */
function valley([x = 0, y = 0]: Float64Array): number {
  const [rest, rise] = [1 - x, y - x * x]
  return rest * rest + 100 * rise * rise
}

function smallRun(): string {
  const { value, queries } = minimizeSync(valley, [-1.2, 1])
  if (!(value < 1e-9)) throw new Error(`minimised to ${value}: this is wrong, please report it`)
  return `${queries} queries, down to ${value.toPrecision(2)}`
}

async function writable(): Promise<string> {
  const folder = await mkdtemp(join(process.cwd(), '.zeroth-doctor-'))
  try {
    await writeFile(join(folder, 'file'), 'text')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return process.cwd()
}

async function disk(): Promise<string> {
  const { bavail, bsize } = await statfs(process.cwd())
  const free = bavail * bsize
  if (free < 100e6) throw new Error(`${gigabytes(free)} free: runs may not fit`)
  return `${gigabytes(free)} free`
}

function port(): Promise<string> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => server.close(() => resolve('can listen on 127.0.0.1')))
  })
}

async function onnxruntime(): Promise<string> {
  const { onnxRuntimeVersion } = await import('../../../robustness/models/index.ts')
  return onnxRuntimeVersion()
}

function python(): string {
  const { status, stdout } = spawnSync('python3', ['--version'], { encoding: 'utf8', timeout: 5000 })
  if (status !== 0) throw new Error('not found')
  return stdout.trim()
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`
}
