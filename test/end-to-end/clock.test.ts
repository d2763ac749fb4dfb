import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const main = fileURLToPath(new URL('../../dist/app/cli/main.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'zeroth-clock-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A clock on the wall that is put forward by a day whenever somebody looks at it. */
const jumping = `data:text/javascript,${encodeURIComponent(`
  const TrueDate = Date
  let days = 0
  globalThis.Date = class extends TrueDate {
    constructor(...given) { super(...(given.length > 0 ? given : [TrueDate.now() + 86_400_000 * ++days])) }
    static now() { return TrueDate.now() + 86_400_000 * ++days }
  }`)}`

function run(out: string, node: readonly string[] = []): { hash: string; seconds: number; stopReason: string } {
  const problem = ['--function', 'rosenbrock', '--dim', '5', '--max-queries', '3000', '--max-time', '60s']
  const args = [...node, main, 'minimize', ...problem, '--out', join(folder, out), '--json']
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as ReturnType<typeof run>
}

test('a clock that jumps by days changes nothing', () => {
  const steady = run('steady')
  const jumped = run('jumped', ['--import', jumping])
  expect(jumped.hash).toBe(steady.hash)
  expect(jumped.stopReason).toBe('max-queries')
  expect(jumped.seconds).toBeLessThan(60)
})
