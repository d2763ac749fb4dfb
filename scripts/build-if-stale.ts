import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { buildPaper } from './build-paper.mjs'
import { isStale } from './stale.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Builds dist and the programs of paper/ once before the tests that run them, unless they are newer than every source file. */
export async function setup(): Promise<void> {
  if (
    isStale('dist/index.js', [
      'package.json',
      'tsdown.config.ts',
      'tsdown.plotting.config.ts',
      'vite.page.config.ts',
      'scripts/page-script.mjs',
      'src',
    ])
  ) {
    execFileSync('npm', ['run', 'build'], { cwd: root, stdio: 'pipe' })
  }
  await buildPaper()
}
