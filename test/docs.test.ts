import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format, promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commands } from '../src/app/cli/command-line.ts'
import type { Solver } from '../src/optimizer/core/types.ts'
import { type SolverTraits, solverConforms } from './conformance/solver.ts'
import { type RedisServer, redis, startRedis } from './queue/redis-server.ts'

// Every ```ts block of the docs is type-checked and run; a ```text block right after it is what it must print.
const root = fileURLToPath(new URL('..', import.meta.url))
const workshop = join(root, 'node_modules/.zeroth-docs')
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'site/index.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(isPage)
    .map((page) => `docs/${page}`),
]

interface Block {
  readonly name: string
  readonly file: string
  readonly code: string
  readonly prints: string | undefined
}

const blocks = pages.flatMap(blocksOf)
rmSync(workshop, { recursive: true, force: true })
mkdirSync(workshop, { recursive: true })
for (const { file, code } of blocks) writeFileSync(file, `${code}\nexport {}\n`)
const typeErrors = checkTypes()
afterAll(() => rmSync(workshop, { recursive: true, force: true }))

describe.each(pages)('%s', (page) => {
  const own = blocks.filter((block) => block.name.startsWith(page))
  // A page about queues finds a server where it says that one is.
  const needsRedis = own.some(({ code }) => code.includes('REDIS_URL'))
  if (needsRedis) withRedis()
  for (const { name, file, code, prints } of own) {
    test.skipIf('missing' in redis && code.includes('REDIS_URL'))(
      `${name} runs${prints === undefined ? '' : ' and prints what the page says'}`,
      async () => {
        const printed: string[] = []
        const log = console.log
        console.log = (...values: unknown[]) => void printed.push(format(...values))
        try {
          await import(/* @vite-ignore */ file)
        } finally {
          console.log = log
        }
        if (prints !== undefined) expect(printed.join('\n')).toBe(prints)
      },
    )
  }

  test('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    const named = [...readFileSync(join(root, page), 'utf8').matchAll(/npm run ([a-z][a-z:]*)/g)].map(
      (match) => match[1],
    )
    expect(named.filter((script) => script === undefined || !(script in scripts))).toEqual([])
  })

  test('links only to files that exist', () => {
    // The start page of the site is put beside the pages of docs.
    const folder = page === 'site/index.md' ? join(root, 'docs') : join(root, page, '..')
    const links = [...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(
      (match) => match[1],
    )
    const missing = links.filter((link) => {
      try {
        readFileSync(join(folder, link as string))
        return false
      } catch (error) {
        return (error as NodeJS.ErrnoException).code !== 'EISDIR'
      }
    })
    expect(missing).toEqual([])
  })
})

function withRedis(): void {
  let server: RedisServer | undefined
  beforeAll(async () => {
    if ('missing' in redis) return
    server = await startRedis()
    process.env.REDIS_URL = server.url
  })
  afterAll(async () => {
    delete process.env.REDIS_URL
    await server?.close()
  })
}

test('the README names every solver', async () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const { parts } = await import('../src/registry.ts')
  const exported = Object.entries(await import('../src/parts.ts')).flatMap(([name, part]) =>
    (parts.solver as readonly unknown[]).includes(part) ? [name] : [],
  )
  expect(exported).toContain('zoAdaMM')
  expect(exported.filter((name) => !readme.includes(`\`${name}\``))).toEqual([])
})

test('docs/command-line.md names every command', () => {
  const page = readFileSync(join(root, 'docs/command-line.md'), 'utf8')
  expect(commands.map(({ name }) => name)).toContain('worker')
  expect(commands.filter(({ name }) => !page.includes(`\n| \`${name}\` `))).toEqual([])
})

describe('the solvers of docs/your-own-solver.md conform:', async () => {
  const log = console.log
  console.log = () => undefined
  const modules = await Promise.all(
    blocks
      .filter(({ name }) => name.startsWith('docs/your-own-solver.md'))
      .map(({ file }) => import(/* @vite-ignore */ `${file}?conforms`) as Promise<Record<string, () => Solver>>),
  ).finally(() => {
    console.log = log
  })
  const traits: Record<string, SolverTraits> = {
    patternSearch: { isRandom: false },
    randomWalk: { ends: 'converged' },
    steepest: { ends: 'converged', isRandom: false, isStaged: true },
    inTurn: {},
  }
  const solvers = modules.flatMap((module) => Object.entries(module))

  test('each page has its own', () => {
    expect(solvers.map(([name]) => name)).toEqual(Object.keys(traits))
  })

  for (const [name, make] of solvers) describe(name, () => solverConforms(() => make(), traits[name]))
})

test('all code blocks pass the strict type check', async () => {
  expect(await typeErrors).toBe('')
})

/** What the compiler complains about; it is at work while the blocks run. */
async function checkTypes(): Promise<string> {
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      typeRoots: [join(root, 'node_modules/@types')],
    },
    include: [join(workshop, '*.ts')],
  }
  const file = join(workshop, 'tsconfig.json')
  writeFileSync(file, JSON.stringify(config))
  const compiler = join(root, 'node_modules/@typescript/native/bin/tsc')
  return promisify(execFile)(process.execPath, [compiler, '-p', file]).then(
    () => '',
    (error: { stdout: string; message: string }) => error.stdout || error.message,
  )
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8')
  const fences = /```ts\n([\s\S]*?)```(?:\s*```text\n([\s\S]*?)\n```)?/g
  return [...text.matchAll(fences)].map((match, i) => ({
    name: `${page} block ${i + 1}`,
    file: join(workshop, `${page.replace(/\W/g, '-')}-${i + 1}.ts`),
    code: match[1] as string,
    prints: match[2],
  }))
}

function isPage(file: string): boolean {
  return file.endsWith('.md')
}
