import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const cwd = fileURLToPath(new URL('../../..', import.meta.url))

function npmRun(script: string, ...args: readonly string[]): string {
  return execFileSync('npm', ['run', '--silent', script, '--', ...args], { cwd, encoding: 'utf8', stdio: 'pipe' })
}

test('npm run theory tries out every statement of the paper', () => {
  const { passed, statements } = JSON.parse(npmRun('theory', '--quick', '--json'))
  expect(passed).toBe(true)
  expect(statements.length).toBeGreaterThan(15)
})

test.each([
  ['start', 'npm start [-- --model digits --count 10'],
  ['compare', 'npm run compare [-- options]'],
  ['reproduce', 'Usage: npm run reproduce -- [options] [command] [what...]'],
])('npm run %s passes its arguments on', (script, text) => {
  expect(npmRun(script, '--help')).toContain(text)
})

test('npm run reproduce keeps apart what is an option of its own and of a command', () => {
  const listed = JSON.parse(npmRun('reproduce', 'list', 'paper', '--json'))
  expect(listed).toEqual({ folder: `${cwd}paper`, reproductions: [] })
})
