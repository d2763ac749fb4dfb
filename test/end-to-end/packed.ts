import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Guards against what never ends. */
export const timeout = 600_000

/** How npm installs without asking anybody anything. */
export const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']

/** Packs the package as npm would publish it. dist is built before these tests start: see scripts/build-if-stale.ts. */
export async function packed(folder: string): Promise<{ readonly tarball: string; readonly files: string[] }> {
  const told = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], root)
  const [{ filename, files }] = JSON.parse(told) as [{ filename: string; files: { path: string }[] }]
  return { tarball: join(folder, filename), files: files.map(({ path }) => path) }
}

/** Runs a program and returns what it prints; a failure carries all of its output. */
export function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // The CPU library of onnxruntime-node is in its package: its install script would only fetch one for GPUs.
    const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' }
    execFile(program, args, { cwd, timeout, env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${[program, ...args].join(' ')} failed\n${stdout}\n${stderr}`, { cause: error }))
    })
  })
}

/** A program of a package that the repository has. */
export function bin(path: string): string {
  return join(root, 'node_modules', path)
}

/** Has the package that is installed in a folder read pictures of every format; returns how many, and by which sharp. */
export async function readsPictures(folder: string): Promise<unknown> {
  const script = `
    import { readFileSync } from 'node:fs'
    import sharp from 'sharp'
    import { readImage } from 'zeroth/images'
    const raw = { width: 40, height: 30, channels: 3 }
    const pixels = Buffer.from(Array.from({ length: 40 * 30 * 3 }, (_, i) => (i * 7) % 256))
    let formats = 0
    for (const format of ['png', 'jpeg', 'webp']) {
      const { shape, pixels: values } = await readImage(await sharp(pixels, { raw })[format]().toBuffer(), { size: 8 })
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      if (shape.height === 8 && shape.channels === 3 && Math.abs(mean - 0.5) < 0.02) formats++
    }
    const { version } = JSON.parse(readFileSync('node_modules/sharp/package.json', 'utf8'))
    console.log(JSON.stringify({ formats, sharp: version }))`
  await writeFile(join(folder, 'pictures.mjs'), script)
  return JSON.parse(await run(process.execPath, ['pictures.mjs'], folder))
}
