import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const main = fileURLToPath(new URL('../../dist/app/cli/main.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'zeroth-soak-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Resident memory of a process in bytes; undefined once it is gone. */
function memoryOf(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? undefined : 1024 * Number(kilobytes)
  } catch {
    return undefined
  }
}

test.skipIf(process.platform !== 'linux')(
  'ten million queries of a stored run take at most 20 MB more than the first million',
  async () => {
    const args = ['minimize', '--function', 'quadratic', '--dim', '10', '--max-queries', '10_000_000', '--json']
    const child = spawn(process.execPath, [main, ...args, '--out', join(folder, 'run')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const sizes: number[] = []
    const timer = setInterval(() => {
      const size = memoryOf(child.pid as number)
      if (size !== undefined) sizes.push(size)
    }, 250)
    let printed = ''
    child.stdout.on('data', (data) => {
      printed += data
    })
    await new Promise((resolve) => child.once('close', resolve))
    clearInterval(timer)
    const { queries } = JSON.parse(printed) as { queries: number }
    expect(queries).toBeGreaterThan(9_999_900)
    // The last samples are left out: they belong to the end, which reads the point and writes it.
    const tenth = Math.ceil(sizes.length / 10)
    const early = Math.max(...sizes.slice(tenth, 2 * tenth))
    const late = Math.max(...sizes.slice(-2 * tenth, -2))
    process.stderr.write(
      `soak: ${sizes.length} samples, ${(early / 1e6).toFixed(0)} MB early, ${(late / 1e6).toFixed(0)} MB late\n`,
    )
    expect(late - early).toBeLessThan(20e6)
  },
)
