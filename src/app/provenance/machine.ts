import { readFileSync } from 'node:fs'
import { cpus, platform, release, totalmem } from 'node:os'

/** What a run was made on, for its record. */
export function machine(): Record<string, string> {
  const processors = cpus()
  return {
    processor: `${processors.length} x ${processors[0]?.model.trim() ?? 'unknown'}`,
    memory: `${Math.round(totalmem() / 1_073_741_824)} GiB`,
    system: `${platform()} ${release()}`,
    node: process.versions.node,
  }
}

/** The version of this package. */
export function zerothVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
