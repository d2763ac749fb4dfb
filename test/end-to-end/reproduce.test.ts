import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { until } from './kill-runs.ts'
import { start, zeroth } from './zeroth.ts'

const cwd = mkdtempSync(join(tmpdir(), 'zeroth-reproduce-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const tables = ['table-1', 'table-2', 'table-a1', 'table-a2', 'table-a3', 'prop-1'].map((name) => `${name}.csv`)
const figures = ['fig-1', 'fig-2', 'fig-a1', 'fig-a2'].map((name) => `${name}.svg`)
const small = ['--scale', 'quick', '--count', '2', '--iterations', '6']
const csvs = (out: string) =>
  Object.fromEntries(tables.map((name) => [name, readFileSync(join(cwd, out, name), 'utf8')]))
const cells = (out: string) => {
  const folder = join(cwd, out, 'cells')
  return existsSync(folder) ? readdirSync(folder) : []
}

test('all of the paper in miniature: every table, every figure, a page without gaps', async () => {
  const { code, stdout, stderr } = await zeroth(['reproduce', ...small, '--workers', '2', '--out', 'all', '--json'], {
    cwd,
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const result = JSON.parse(stdout)
  expect(result).toMatchObject({ status: 'finished', cells: 137, done: 137 })
  for (const file of ['index.html', 'claims.json', ...tables, ...figures]) {
    expect(result.files).toContain(file)
    expect(readFileSync(join(cwd, 'all', file)).length).toBeGreaterThan(100)
  }
  const html = readFileSync(join(cwd, 'all', 'index.html'), 'utf8')
  expect(html).not.toMatch(/\bNaN\b|undefined|Not run yet/)
  expect(html).toContain('ZO-AdaMM reproduced: quick scale, tuned settings')
  expect(csvs('all')['table-a3.csv']?.trim().split('\n')).toHaveLength(9)
  expect(csvs('all')['table-a1.csv']?.trim().split('\n')).toHaveLength(1 + 8 * 5)
})

test('killed and interrupted, it goes on and ends with the same tables', async () => {
  const part = ['reproduce', 'table-a3', 'table-2', 'fig-a2', ...small, '--workers', '2', '--out']
  const killed = start([...part, 'killed'], { cwd })
  await until(() => cells('killed').length >= 8)
  killed.child.kill('SIGKILL')
  expect((await killed.ended).code).toBe(null)

  const stopped = start([...part, 'killed', '--json'], { cwd })
  await until(() => cells('killed').length >= 16)
  stopped.child.kill('SIGINT')
  const { code, stdout } = await stopped.ended
  expect(code).toBe(130)
  expect(JSON.parse(stdout)).toMatchObject({ status: 'aborted', out: join(cwd, 'killed') })

  const ended = await zeroth(['reproduce', '--out', 'killed'], { cwd })
  expect(ended.code).toBe(0)
  expect(ended.stdout).toContain('3 tables and figures')
  for (const name of ['table-a3.csv', 'table-2.csv', 'fig-a2.csv', 'fig-a2-zo-adamm-6.png']) {
    expect(readFileSync(join(cwd, 'killed', name)).equals(readFileSync(join(cwd, 'all', name)))).toBe(true)
  }
})
