import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { until } from '../../../test/end-to-end/kill-runs.ts'
import { reproduce, startReproduce } from './reproduce.ts'

const cwd = mkdtempSync(join(tmpdir(), 'zeroth-reproduce-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const numbers = ['table-1', 'table-2', 'table-a1', 'table-a2', 'table-a3', 'prop-1', 'fig-1', 'fig-2', 'fig-a1']
const tables = numbers.map((name) => `${name}.csv`)
const figures = ['fig-1', 'fig-2', 'fig-a1', 'fig-a2'].map((name) => `${name}.svg`)
const small = ['--scale', 'quick', '--count', '2', '--iterations', '6']
const csvs = (out: string) =>
  Object.fromEntries(tables.map((name) => [name, readFileSync(join(cwd, out, name), 'utf8')]))
const cells = (out: string) => {
  const folder = join(cwd, out, 'cells')
  return existsSync(folder) ? readdirSync(folder) : []
}

const linksOf = (folder: string, page: string) =>
  [...readFileSync(join(cwd, folder, page), 'utf8').matchAll(/\]\(([^)]+)\)/g)].map(([, file = '']) => file)
const brokenLinks = (folder: string, page: string) =>
  linksOf(folder, page).filter((file) => !existsSync(join(cwd, folder, file)))

test('all of the paper in miniature: every table, every figure, a page without gaps', async () => {
  const { code, stdout, stderr } = await reproduce([...small, '--workers', '2', '--out', 'all', '--json'], {
    cwd,
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const result = JSON.parse(stdout)
  expect(result).toMatchObject({ status: 'finished', cells: 137, done: 137 })
  for (const file of ['index.html', 'index.md', 'claims.json', ...tables, ...figures]) {
    expect(result.files).toContain(file)
    expect(readFileSync(join(cwd, 'all', file)).length).toBeGreaterThan(100)
  }
  const html = readFileSync(join(cwd, 'all', 'index.html'), 'utf8')
  expect(html).not.toMatch(/\bNaN\b|undefined|Not run yet/)
  expect(html).toContain('ZO-AdaMM reproduced: quick scale, tuned settings')
  const typed = `npm run reproduce -- ${small.join(' ')} --workers 2 --out all --json`
  expect(result.sittings).toMatchObject([{ command: typed, attacks: 137 }])
  expect(html).toContain(`<code>${typed}</code>`)
  const markdown = readFileSync(join(cwd, 'all', 'index.md'), 'utf8')
  expect(markdown).toContain(`| command | \`${typed}\` |`)
  expect(brokenLinks('all', 'index.md')).toEqual([])
  expect(linksOf('all', 'index.md')).toEqual(expect.arrayContaining([...tables, ...figures]))
  expect(csvs('all')['table-a3.csv']?.trim().split('\n')).toHaveLength(9)
  expect(csvs('all')['table-a1.csv']?.trim().split('\n')).toHaveLength(1 + 8 * 5)
})

test('what is worth keeping of it is a page, its tables and its figures, and says nothing of where it was made', async () => {
  const tool = fileURLToPath(new URL('../../../tools/keep-results.mjs', import.meta.url))
  const keep = (folder = 'all', ...more: string[]) =>
    execFileSync(process.execPath, [tool, join(cwd, folder), '--out', join(cwd, 'kept'), ...more], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
  expect(keep()).toMatch(/quick\.md and \d+ kB beside it\n$/)
  const first = readFileSync(join(cwd, 'kept', 'quick.md'), 'utf8')
  keep()
  expect(readFileSync(join(cwd, 'kept', 'quick.md'), 'utf8')).toBe(first)
  expect(readdirSync(join(cwd, 'kept')).sort()).toEqual(['README.md', 'quick', 'quick.md'])
  expect(readdirSync(join(cwd, 'kept', 'quick'))).toEqual(
    expect.arrayContaining(['claims.json', ...tables, ...figures]),
  )
  expect(brokenLinks('kept', 'quick.md')).toEqual([])
  expect(brokenLinks('kept', 'README.md')).toEqual(['../reproduce.md'])
  for (const file of ['quick.md', 'README.md', 'quick/claims.json']) {
    expect(readFileSync(join(cwd, 'kept', file), 'utf8')).not.toContain(cwd)
  }
  // It may have been elsewhere before.
  cpSync(join(cwd, 'all'), join(cwd, 'moved'), { recursive: true, filter: (file) => !/cells/.test(file) })
  for (const file of ['index.md', 'claims.json']) {
    const path = join(cwd, 'moved', file)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('--out all', '--out /some/where/all'))
  }
  keep('moved')
  expect(readFileSync(join(cwd, 'kept', 'quick.md'), 'utf8')).toBe(first)
  // One of a few tables does not take the place of one of all, unless it is told to.
  cpSync(join(cwd, 'all'), join(cwd, 'some'), { recursive: true, filter: (file) => !/table-|cells/.test(file) })
  expect(() => keep('some')).toThrow(/holds table-1\.csv, .* which this one has not: give it another name with --name/)
  // A heavy drawing becomes a picture, in the colours that it has on paper.
  const [drawing = ''] = figures
  const heavy = join(cwd, 'some', drawing)
  writeFileSync(heavy, readFileSync(heavy, 'utf8').replace('</svg>', `<!--${' '.repeat(900_000)}--></svg>`))
  expect(keep('some', '--name', 'a-part')).toMatch(/a-part\.md and/)
  const { channels } = await sharp(join(cwd, 'kept', 'a-part', drawing.replace('.svg', '.png'))).stats()
  for (const { mean } of channels) expect(mean).toBeGreaterThan(220)
  expect(readFileSync(join(cwd, 'kept', 'README.md'), 'utf8')).toContain('[a-part](a-part.md)')
})

test('killed and interrupted, it continues and ends with the same tables', async () => {
  const part = ['table-a3', 'table-2', 'fig-a2', ...small, '--workers', '2', '--out']
  const killed = startReproduce([...part, 'killed'], { cwd })
  await until(() => cells('killed').length >= 8)
  killed.child.kill('SIGKILL')
  expect((await killed.ended).code).toBe(null)

  const stopped = startReproduce([...part, 'killed', '--json'], { cwd })
  await until(() => cells('killed').length >= 16)
  stopped.child.kill('SIGINT')
  const { code, stdout } = await stopped.ended
  expect(code).toBe(130)
  expect(JSON.parse(stdout)).toMatchObject({ status: 'aborted', out: join(cwd, 'killed') })

  const ended = await reproduce(['resume', 'killed'], { cwd })
  expect(ended.code).toBe(0)
  expect(ended.stdout).toContain('3 tables and figures')
  const { sittings, seconds } = JSON.parse(readFileSync(join(cwd, 'killed', 'reproduce.json'), 'utf8'))
  const commands = [
    `npm run reproduce -- ${part.join(' ')} killed`,
    `npm run reproduce -- ${part.join(' ')} killed --json`,
    'npm run reproduce -- resume killed',
  ]
  expect(sittings.map(({ command }: { command: string }) => command)).toEqual(commands)
  const sum = (key: string) =>
    sittings.reduce((total: number, each: Record<string, number>) => total + (each[key] ?? 0), 0)
  expect(sum('seconds')).toBeCloseTo(seconds, 6)
  // An attack that a killed process had just ended may be missing, and none is counted twice.
  expect(sum('attacks')).toBeGreaterThan(cells('killed').length - 4)
  expect(sum('attacks')).toBeLessThanOrEqual(cells('killed').length)
  for (const name of ['table-a3.csv', 'table-2.csv', 'fig-a2.csv', 'fig-a2-zo-adamm-6.png']) {
    expect(readFileSync(join(cwd, 'killed', name)).equals(readFileSync(join(cwd, 'all', name)))).toBe(true)
  }
})
