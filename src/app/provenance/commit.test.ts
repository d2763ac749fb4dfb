import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { commit } from './commit.ts'

const home = mkdtempSync(join(tmpdir(), 'zeroth-commit-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const { PATH } = process.env
afterEach(() => {
  process.env.PATH = PATH
  delete process.env.GIT_DIR
})

const git = (folder: string, ...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', '-C', folder, ...words], {
    encoding: 'utf8',
  }).trim()

/** A checkout with one commit. */
function checkout(name: string): string {
  const folder = join(home, name)
  mkdirSync(join(folder, 'src'), { recursive: true })
  writeFileSync(join(folder, 'src', 'a.ts'), '1')
  writeFileSync(join(folder, 'package.json'), '{}')
  git(folder, 'init', '--quiet')
  git(folder, 'add', '.')
  git(folder, 'commit', '--quiet', '--message', 'one')
  return folder
}

describe('the commit', () => {
  test('of a checkout is its short hash', () => {
    const folder = checkout('clean')
    const hash = git(folder, 'rev-parse', '--short', 'HEAD')
    expect(hash).toMatch(/^[0-9a-f]{7,}$/)
    expect(commit(folder)).toBe(hash)
  })

  test('says where the sources have been changed since, or have new files', () => {
    const folder = checkout('changed')
    const hash = git(folder, 'rev-parse', '--short', 'HEAD')
    mkdirSync(join(folder, 'reproduction'))
    writeFileSync(join(folder, 'reproduction', 'x'), 'results make no other program')
    expect(commit(folder)).toBe(hash)
    writeFileSync(join(folder, 'src', 'b.ts'), '2')
    expect(commit(folder)).toBe(`${hash} + changes`)
    rmSync(join(folder, 'src', 'b.ts'))
    writeFileSync(join(folder, 'src', 'a.ts'), '3')
    expect(commit(folder)).toBe(`${hash} + changes`)
  })

  test('of a package inside the checkout of somebody else is unknown', () => {
    const folder = join(checkout('outer'), 'node_modules', 'zeroth')
    mkdirSync(folder, { recursive: true })
    expect(commit(folder)).toBeUndefined()
    process.env.GIT_DIR = join(home, 'outer', '.git')
    expect(commit(folder)).toBeUndefined()
  })

  test('is that of the folder whatever variables say, and unknown where git is missing or has nothing to say', () => {
    const [one, other] = [checkout('one'), checkout('other')]
    git(other, 'commit', '--quiet', '--allow-empty', '--message', 'two')
    const hash = git(one, 'rev-parse', '--short', 'HEAD')
    process.env.GIT_DIR = join(other, '.git')
    expect(commit(one)).toBe(hash)
    process.env.PATH = home
    expect(commit(one)).toBeUndefined()
    process.env.PATH = PATH
    const broken = join(home, 'broken')
    mkdirSync(join(broken, '.git'), { recursive: true })
    expect(commit(broken)).toBeUndefined()
  })

  test('of programs copied to where there is no git is the one they were built from', () => {
    const folder = join(home, 'copied')
    mkdirSync(join(folder, '.paper'), { recursive: true })
    expect(commit(folder)).toBeUndefined()
    writeFileSync(join(folder, '.paper', 'commit'), '1bcdfe7 + changes\n')
    expect(commit(folder)).toBe('1bcdfe7 + changes')
    writeFileSync(join(folder, '.paper', 'commit'), '<b>no hash</b>\n')
    expect(commit(folder)).toBeUndefined()
  })

  test('of this package, if anything, is a hash', () => {
    expect(commit() ?? '0000000').toMatch(/^[0-9a-f]{7,}( \+ changes)?$/)
  })
})
