import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { install, packed, run } from './packed.ts'

const system = process.platform === 'win32' ? 'windows' : process.platform
const short = process.platform === 'win32' ? 'win' : process.platform

/** Where npm has the program of a runtime, for this machine: its package, and the file in there. */
const programs = {
  bun: { package: `@oven/bun-${system}-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`, file: 'bin/bun' },
  deno: { package: `@deno/${process.platform}-${process.arch}${short === 'linux' ? '-glibc' : ''}`, file: 'deno' },
  workerd: {
    package: `@cloudflare/workerd-${system}-${process.arch === 'arm64' ? 'arm64' : '64'}`,
    file: 'bin/workerd',
  },
  node: { package: `node-${short}-${process.arch}`, file: 'bin/node' },
} as const

/** Installs a runtime from npm, in a folder of its own, if it is not there; returns its program. */
export async function runtime(name: keyof typeof programs, version: string, home: string): Promise<string> {
  const { package: from, file } = programs[name]
  const prefix = join(home, `${name}-${version}`)
  const program = join(prefix, 'node_modules', from, file)
  if (existsSync(program)) return program
  mkdirSync(prefix)
  await run('npm', [...install, '--no-save', '--prefix', prefix, `${from}@${version}`], prefix)
  return program
}

/** A project in which the package is installed as npm would publish it, with programs that give an account of it. */
export async function projectIn(folder: string): Promise<void> {
  const { tarball } = await packed(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await run('npm', [...install, tarball], folder)
  copyFileSync(fileURLToPath(new URL('account.mjs', import.meta.url)), join(folder, 'account.mjs'))
  const printed = 'console.log(JSON.stringify(await account(zeroth)))'
  const imports = `import * as zeroth from 'zeroth'\nimport { account } from './account.mjs'\n`
  writeFileSync(join(folder, 'main.mjs'), `${imports}${printed}\n`)
  const required = `const zeroth = require('zeroth')\nimport('./account.mjs').then(async ({ account }) => {\n${printed}\n})\n`
  writeFileSync(join(folder, 'main.cjs'), required)
  writeFileSync(join(folder, 'worker.mjs'), `${imports}export default { async test() {\n${printed}\n} }\n`)
}

/** What a program says of the package. */
export function accountBy(program: string, args: readonly string[], folder: string): Record<string, unknown> {
  return JSON.parse(execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }))
}

/** Runs the package in workerd: bundled into one file, as Cloudflare's own tools do it. */
export async function accountByWorkerd(workerd: string, folder: string): Promise<Record<string, unknown>> {
  await build({
    absWorkingDir: folder,
    entryPoints: ['worker.mjs'],
    outfile: join(folder, 'worker.js'),
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    logLevel: 'silent',
  })
  const worker = '(modules = [(name = "worker.js", esModule = embed "worker.js")], compatibilityDate = "2025-01-01")'
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = ${worker})]);`
  writeFileSync(join(folder, 'config.capnp'), config)
  return accountBy(workerd, ['test', 'config.capnp'], folder)
}
