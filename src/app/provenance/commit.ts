import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What the program is made from: a change of anything else does not change what it does. */
const sources = ['src', 'paper', 'assets', 'package.json', 'package-lock.json']

/** Milliseconds that git may take. */
const patience = 3000

/**
 * The commit this package stands at, as "1bcdfe7", or "1bcdfe7 + changes" where its sources have been changed since.
 * Undefined if it is neither a git checkout nor built from one, or if git cannot say: nothing depends on it.
 */
export function commit(folder: string = fileURLToPath(new URL('../../..', import.meta.url))): string | undefined {
  // A package that lies in somebody else's checkout is none itself. Built programs may be copied to where there is no git.
  if (!existsSync(join(folder, '.git'))) return builtFrom(folder)
  try {
    const hash = git(folder, ['rev-parse', '--short', 'HEAD'])
    if (!/^[0-9a-f]{4,64}$/.test(hash)) return undefined
    const changes = git(folder, ['status', '--porcelain', '--untracked-files=all', '--', ...sources])
    return changes === '' ? hash : `${hash} + changes`
  } catch {
    return undefined
  }
}

/** The commit that `scripts/build-paper.mjs` noted beside the programs it built. */
function builtFrom(folder: string): string | undefined {
  const note = join(folder, '.paper', 'commit')
  const text = existsSync(note) ? readFileSync(note, 'utf8').trim() : ''
  return /^[0-9a-f]{4,64}( \+ changes)?$/.test(text) ? text : undefined
}

/** What git says, without running anything that the checkout brings and without writing to it. */
function git(folder: string, words: readonly string[]): string {
  const careful = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '--no-optional-locks']
  return execFileSync('git', [...careful, '-C', folder, ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: patience,
    killSignal: 'SIGKILL',
    windowsHide: true,
    env: withoutGit(process.env),
  }).trim()
}

/** Variables such as GIT_DIR would make git speak of another checkout. */
function withoutGit(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')))
}
