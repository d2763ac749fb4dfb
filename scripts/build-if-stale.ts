import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Builds dist once before the tests that run what is published, unless it is newer than every source file. */
export function setup(): void {
  if (isStale()) execFileSync('npm', ['run', 'build'], { cwd: root, stdio: 'pipe' })
}

function isStale(): boolean {
  const built = join(root, 'dist/index.js')
  if (!existsSync(built)) return true
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((path) => join('src', path))
  const newest = Math.max(
    ...['package.json', 'tsdown.config.ts', 'tsdown.plotting.config.ts', ...sources].map(modified),
  )
  return newest > statSync(built).mtimeMs
}

function modified(path: string): number {
  return path.endsWith('.test.ts') ? 0 : statSync(join(root, path)).mtimeMs
}
