import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from 'tsdown'
import { build as buildPage } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import plotting from '../../tsdown.plotting.config.ts'
import page from '../../vite.page.config.ts'
import { redis, startRedis } from '../queue/redis-server.ts'
import { bin, install, packed, readsPictures, root, run, timeout } from './packed.ts'

const peers = ['onnxruntime-node@1.30.0', 'sharp@0.35.5']
const queuePeers = ['bullmq@6.7.0', 'ioredis@6.0.0']

/** Every entry point of the package. */
const entries = [
  '',
  ...['report', 'objectives', 'models', 'images', 'embedded', 'robustness'].map((name) => `/${name}`),
]
  .concat(['/spec', '/store', '/jobs', '/queue'])
  .map((name) => `zeroth${name}`)

let folder: string
let tarball: string
let packedFiles: string[]

// dist is built before these tests start: see scripts/build-if-stale.ts.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zeroth-package-'))
  ;({ tarball, files: packedFiles } = await packed(folder))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await run('npm', [...install, tarball], folder)
}, timeout)

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

test('the installed package minimises a quadratic within its budget', { timeout }, async () => {
  const script = `
    import { minimize, zoAdaMM } from 'zeroth'
    const square = (x) => x.reduce((sum, value) => sum + value * value, 0)
    const byDefault = await minimize(square, [1, 1, 1], { seed: 1, maxQueries: 500 })
    const byName = await minimize(square, [1, 1, 1], { seed: 1, maxQueries: 500, solver: zoAdaMM() })
    const summary = ({ value, queries }) => ({ value, queries })
    console.log(JSON.stringify([summary(byDefault), summary(byName)]))`
  await writeFile(join(folder, 'minimise.js'), script)
  const results = JSON.parse(await run(process.execPath, ['minimise.js'], folder)) as Summary[]
  for (const { value, queries } of results) {
    expect(value).toBeLessThan(1.5)
    expect(queries).toBeGreaterThan(0)
    expect(queries).toBeLessThanOrEqual(500)
  }
})

test('every entry point of the installed package can be imported', { timeout }, async () => {
  const script = `
    const entries = ${JSON.stringify(entries)}
    const modules = await Promise.all(entries.map((entry) => import(entry)))
    console.log(JSON.stringify(modules.map((module) => Object.keys(module).length)))`
  await writeFile(join(folder, 'entries.js'), script)
  const exported = JSON.parse(await run(process.execPath, ['entries.js'], folder)) as number[]
  expect(Math.min(...exported)).toBeGreaterThan(0)
})

test('the package holds the embedded classifiers, the images that may be passed on, and their terms', async () => {
  const every = ['model.onnx', 'model.preprocessing.json', 'rates.json', 'README.md']
  const digits = [...every, 'images-idx3-ubyte', 'labels-idx1-ubyte', 'LICENSE'].map((file) => `assets/digits/${file}`)
  // The images of CIFAR-10 have no licence.
  const cifar10 = every.map((file) => `assets/cifar10/${file}`)
  const held = packedFiles.filter((path) => /^assets\/(digits|cifar10)\//.test(path))
  expect(held.sort()).toEqual([...digits, ...cifar10].sort())
  const terms = await readFile(join(folder, 'node_modules/zeroth/assets/digits/LICENSE'), 'utf8')
  expect(terms).toContain('Attribution-ShareAlike 3.0 Unported')
  expect(packedFiles).toContain('SECURITY.md')
})

test('no command in the docs or the help needs images that are not in the package', { timeout }, async () => {
  const installed = join(folder, 'node_modules/zeroth')
  const pages = packedFiles.filter((path) => path.endsWith('.md') || path.startsWith('examples/'))
  const texts = await Promise.all(pages.map((path) => readFile(join(installed, path), 'utf8')))
  const help = await run(process.execPath, [join(installed, 'dist/app/cli/main.js'), 'attack', '--help'], folder)
  const commands = [...texts, help].flatMap((text) => text.replaceAll('\\\n', ' ').split('\n'))
  const withCifar = commands.filter((line) => /zeroth .*(model|images) cifar10/.test(line))
  // This page says where the images are.
  expect(withCifar.filter((line) => !line.includes('{ cifar:') && !line.startsWith('In the repository'))).toEqual([])
})

test('what JSR is told of the package is what npm is told', () => {
  const [ofNpm, ofJsr] = ['package.json', 'jsr.json'].map((file) => JSON.parse(readFileSync(join(root, file), 'utf8')))
  expect(ofJsr).toMatchObject({ version: ofNpm.version, license: ofNpm.license, exports: './src/index.ts' })
})

test('the package holds nothing of the paper', () => {
  const ofThePaper = /paper|theory|reproduc|experiments|claims|beyond/
  // This page is about a solver of the package.
  expect(packedFiles.filter((path) => ofThePaper.test(path) && path !== 'docs/beyond.md')).toEqual([])
})

test('the package holds its documentation without pictures, and prints it', { timeout }, async () => {
  const pages = packedFiles.filter((path) => path.startsWith('docs/'))
  expect(pages).toEqual(expect.arrayContaining(['docs/minimize.md', 'docs/options.md', 'docs/command-line.md']))
  expect(pages.filter((path) => !/^docs\/[a-z-]+\.md$/.test(path))).toEqual([])
  const zeroth = join(folder, 'node_modules/zeroth/dist/app/cli/main.js')
  expect(await run(process.execPath, [zeroth, 'docs', 'options'], folder)).toContain('### `zoAdaMM`')
})

test('an installation is small: at most 25 MB in 40 packages', { timeout }, async () => {
  const lock = JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: Record<string, unknown>
  }
  expect(Object.keys(lock.packages).length).toBeLessThanOrEqual(40)
  expect(Object.keys(lock.packages)).not.toContain('node_modules/onnxruntime-node')
  expect(await bytesIn(join(folder, 'node_modules'))).toBeLessThanOrEqual(25e6)
})

test('the package has the terms of every package that it bundles', { timeout }, async () => {
  const terms = await readFile(join(folder, 'node_modules/zeroth/THIRD-PARTY-LICENSES'), 'utf8')
  const named = [...terms.matchAll(/^-{80}\n\n(\S+ \S+) \(\S+\)$/gm)].map(([, name]) => name)
  const bundled = await bundledPackages()
  expect(bundled.length).toBeGreaterThan(30)
  expect(named.sort()).toEqual(bundled)
  expect(packedFiles).toContain('THIRD-PARTY-LICENSES')
})

test('it installs into a project that has other versions of what some uses need, and works with them', {
  timeout,
}, async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'zeroth-elsewhere-'))
  try {
    await writeFile(join(elsewhere, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
    await run('npm', [...install, 'sharp@0.34.5'], elsewhere)
    // With exact versions of peers, this was ERESOLVE.
    await run('npm', [...install, tarball], elsewhere)
    expect(await readsPictures(elsewhere)).toEqual({ formats: 3, sharp: '0.34.5' })
  } finally {
    await rm(elsewhere, { recursive: true, force: true })
  }
})

test('a run of a program and its report need nothing else', { timeout }, async () => {
  const program = `process.stdin.on('data', (text) => { for (const line of String(text).trim().split('\\n')) { const { x } = JSON.parse(line); console.log(JSON.stringify({ value: x[0] * x[0] })) } })`
  await writeFile(join(folder, 'program.mjs'), program)
  const zeroth = [join(folder, 'node_modules/zeroth/dist/app/cli/main.js')]
  const command = `${process.execPath} program.mjs`
  await run(
    process.execPath,
    [...zeroth, 'minimize', '--exec', command, '--dim', '1', '--max-queries', '60', '--out', 'run'],
    folder,
  )
  await run(process.execPath, [...zeroth, 'report', 'run'], folder)
  expect(await readFile(join(folder, 'run/report.html'), 'utf8')).toContain('<svg')
})

test('the page needs nothing else', { timeout }, async () => {
  const zeroth = join(folder, 'node_modules/zeroth/dist/app/cli/main.js')
  const child = spawn(process.execPath, [zeroth, 'ui', '.', '--port', '0', '--json'], { cwd: folder })
  try {
    const { url } = JSON.parse(String((await once(child.stdout, 'data'))[0])) as { url: string }
    const html = await (await fetch(url)).text()
    const [, script = ''] = /src="\.\/(assets\/[^"]+)"/.exec(html) ?? []
    const answer = await fetch(new URL(script, url))
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect((await answer.text()).length).toBeGreaterThan(100_000)
    const headers = { 'x-zeroth-token': new URL(url).searchParams.get('token') ?? '' }
    expect(await (await fetch(new URL('api/works', url), { headers })).json()).toMatchObject({ folder })
  } finally {
    child.kill('SIGKILL')
  }
})

test('an attack says what to install, and works after that one command, also by npx in another folder', {
  timeout,
}, async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'zeroth-elsewhere-'))
  const zeroth = join(folder, 'node_modules/zeroth/dist/app/cli/main.js')
  const attack = ['attack', '--model', 'digits', '--count', '1', '--max-queries', '50']
  try {
    await expect(run(process.execPath, [zeroth, ...attack], elsewhere)).rejects.toThrow(
      `zeroth attack on an ONNX file needs onnxruntime-node and, for JPEG, sharp: npm install zeroth ${peers.join(' ')} --ignore-scripts`,
    )
    await writeFile(join(elsewhere, 'package.json'), JSON.stringify({ private: true }))
    await run('npm', [...install, tarball, ...peers], elsewhere)
    const byNpx = await run('npx', ['--no', 'zeroth', ...attack, '--out', 'by-npx'], elsewhere)
    expect(byNpx).toMatch(/^attack success .* of 1 image/m)
    // Installed in its own folder, it finds these packages in the one it is started in.
    expect(await run(process.execPath, [zeroth, ...attack], elsewhere)).toMatch(/^attack success .* of 1 image/m)
  } finally {
    await rm(elsewhere, { recursive: true, force: true })
  }
})

test.skipIf('missing' in redis)('a queue says what to install, and works after that', { timeout }, async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'zeroth-elsewhere-'))
  const zeroth = join(folder, 'node_modules/zeroth/dist/app/cli/main.js')
  const problem = ['--function', 'rosenbrock', '--dim', '2']
  const server = await startRedis()
  try {
    const queued = ['minimize', ...problem, '--max-queries', '30', '--queue', server.url, '--out']
    await expect(run(process.execPath, [zeroth, ...queued, 'no'], elsewhere)).rejects.toThrow(
      `a queue needs bullmq and ioredis: npm install zeroth ${queuePeers.join(' ')} --ignore-scripts`,
    )
    await writeFile(join(elsewhere, 'package.json'), JSON.stringify({ private: true }))
    await run('npm', [...install, ...queuePeers], elsewhere)
    // Installed in its own folder, it finds these packages in the one it is started in.
    const worker = spawn(process.execPath, [zeroth, 'worker', server.url, ...problem], { cwd: elsewhere })
    expect(await run(process.execPath, [zeroth, ...queued, 'yes'], elsewhere)).toMatch(/^30 queries|queries +30/m)
    worker.kill('SIGKILL')
  } finally {
    await server.close()
    await rm(elsewhere, { recursive: true, force: true })
  }
})

test('the installed package classifies the embedded images', { timeout }, async () => {
  await run('npm', [...install, ...peers], folder)
  const script = `
    import { embeddedImages, embeddedModel, embeddedNames, tunedRate } from 'zeroth/embedded'
    import { measureAccuracy } from 'zeroth/models'
    const counts = {}
    for (const name of embeddedNames) {
      const model = await embeddedModel(name, { sessions: 2 }).open()
      const images = await embeddedImages(name).catch(({ message }) => message)
      counts[name] = typeof images === 'string' ? images : (await measureAccuracy(model, images)).correct
      await model.close()
      if (!(tunedRate(name, 'constrained', 'zo-adamm').value > 0)) throw new Error('no rate')
    }
    console.log(JSON.stringify(counts))`
  await writeFile(join(folder, 'classify.js'), script)
  expect(JSON.parse(await run(process.execPath, ['classify.js'], folder))).toEqual({
    digits: 129,
    cifar10:
      'the images of CIFAR-10 are not in the package, because they have no licence: zeroth docs embedded says where they are',
  })
})

test('the declarations of the installed package type-check in a strict consumer', { timeout }, async () => {
  const source = `
    import { box, minimize } from 'zeroth'
    import * as report from 'zeroth/report'
    import * as objectives from 'zeroth/objectives'
    import * as models from 'zeroth/models'
    import * as datasets from 'zeroth/images'
    import * as embedded from 'zeroth/embedded'
    import * as attacks from 'zeroth/robustness'

    const result = await minimize((x) => x.reduce((sum, value) => sum + value * value, 0), [1, 1, 1], { seed: 1, maxQueries: 500 })
    export const value: number = result.value
    export const queries: number = result.queries
    export const unitBox = box({ lower: 0, upper: 1 })
    // @ts-expect-error A bound is a number or a list of numbers.
    export const wrongBox = () => box({ lower: 'zero' })
    export const entries = [report, objectives, models, datasets, embedded, attacks]`
  await writeFile(join(folder, 'consumer.ts'), source)
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom']
  await run(process.execPath, [bin('@typescript/native/bin/tsc'), ...options, 'consumer.ts'], folder)
})

const resolutions = [['nodenext'], ['esnext', '--moduleResolution', 'bundler']] as const

// The oldest that knows all that the declarations say (before 5.4 there is no NoInfer), and the newest.
test.each([
  { typescript: '5.4.5', how: resolutions.slice(0, 1) },
  { typescript: '7.0.2', how: resolutions },
])(
  'every declaration of every entry point is sound, nothing else being installed: TypeScript $typescript',
  {
    timeout,
  },
  async ({ typescript, how }) => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'zeroth-types-'))
    try {
      await writeFile(join(elsewhere, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
      await run('npm', [...install, tarball, `typescript@${typescript}`], elsewhere)
      const source = entries.map((entry, i) => `import * as e${i} from '${entry}'\nvoid e${i}`).join('\n')
      await writeFile(join(elsewhere, 'all.ts'), `${source}\nexport const wrong: number = e0.minimize\n`)
      const strict = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--target', 'es2022', '--lib', 'es2022,dom']
      for (const resolution of how) {
        const options = ['node_modules/typescript/bin/tsc', ...strict, '--module', ...resolution, 'all.ts']
        const { message = '' } = await run(process.execPath, options, elsewhere).then(Object, (error: Error) => error)
        // One error is planted: so the declarations were read.
        expect(message.match(/^\S+ error TS.*$/gm)).toEqual([
          expect.stringMatching(/^all\.ts\(\d+,\d+\): error TS2322/),
        ])
      }
    } finally {
      await rm(elsewhere, { recursive: true, force: true })
    }
  },
)

test('publint finds nothing to improve in the package', { timeout }, async () => {
  expect(await run(process.execPath, [bin('publint/src/cli.js'), 'run', tarball, '--strict'], folder)).toMatch(
    'All good!',
  )
})

test('the types of every entry point resolve under attw', { timeout }, async () => {
  await run(process.execPath, [bin('@arethetypeswrong/cli/dist/index.js'), tarball, '--profile', 'esm-only'], folder)
})

interface Summary {
  readonly value: number
  readonly queries: number
}

/** What the files of a folder add up to. */
async function bytesIn(path: string): Promise<number> {
  const files = await readdir(path, { recursive: true, withFileTypes: true })
  const sizes = files.filter((file) => file.isFile()).map((file) => lstat(join(file.parentPath, file.name)))
  return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0)
}

/** The packages, with their versions, of all modules that the bundler puts into the files that charts are drawn with. */
async function bundledPackages(): Promise<string[]> {
  const modules = new Set<string>()
  const listing = {
    name: 'listing',
    generateBundle(_: unknown, bundle: Readonly<Record<string, { readonly modules?: object }>>): void {
      for (const { modules: held = {} } of Object.values(bundle))
        for (const path of Object.keys(held)) modules.add(path)
    },
  }
  const outDir = join(folder, 'bundled')
  await build({ ...plotting, config: false, cwd: root, outDir, plugins: [listing], logLevel: 'silent' })
  const plugins = [...(page.plugins ?? []), listing]
  await buildPage({ ...page, configFile: false, build: { ...page.build, write: false }, plugins, logLevel: 'silent' })
  const foreign = [...modules].filter((path) => path.includes('/node_modules/') && !path.startsWith('\0'))
  return [...new Set(foreign.map((path) => packageOf(dirname(path))))].sort()
}

/** The nearest package.json with a name: packages have nameless ones in their folders. */
function packageOf(path: string): string {
  const file = join(path, 'package.json')
  const { name, version } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  return name === undefined || version === undefined ? packageOf(dirname(path)) : `${name} ${version}`
}
