import { execFileSync } from 'node:child_process'
import { cpus, platform, release, totalmem } from 'node:os'

/** Where and when numbers were taken: a benchmark without it says nothing. */
export function machineLines(command: string): string[] {
  const processors = cpus()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  return [
    `- Command: \`${command}\``,
    `- Commit: ${commit()}`,
    `- Date: ${new Date().toISOString().slice(0, 10)}`,
    `- Machine: ${processors.length} x ${processors[0]?.model.trim() ?? 'unknown processor'}, ${memory}, ${platform()} ${release()}`,
    `- Node ${process.versions.node}, V8 ${process.versions.v8}`,
  ]
}

function commit(): string {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim()
  try {
    const isClean = git('status', '--porcelain', '--untracked-files=no', '--', 'src', 'assembly') === ''
    return `${git('rev-parse', '--short', 'HEAD')}${isClean ? '' : ' with changes in src'}`
  } catch {
    return 'unknown'
  }
}
