import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isStale } from './stale.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const tsdown = fileURLToPath(new URL('../node_modules/tsdown/dist/run.mjs', import.meta.url))
const sources = ['package.json', 'tsdown.paper.config.ts', 'scripts/page-script.mjs', 'src', 'paper']

/** Builds the programs of paper/ into .paper, unless they are newer than every source file, and notes their commit there. */
export async function buildPaper() {
  if (isStale('.paper/paper/reproduction/main.js', sources)) build()
  if (!existsSync(`${root}.git`)) return
  const { commit } = await import(`${root}.paper/app/provenance/commit.js`)
  writeFileSync(`${root}.paper/commit`, `${commit() ?? ''}\n`)
}

function build() {
  execFileSync(process.execPath, [tsdown, '--config', 'tsdown.paper.config.ts'], {
    cwd: root,
    stdio: 'pipe',
  })
}
