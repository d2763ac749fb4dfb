import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { call } from './call.ts'
import { cliFolder } from './cli-folder.ts'

const fixtures = fileURLToPath(new URL('../fixtures/jobs', import.meta.url))
const place = cliFolder()
const works = ['finished', 'series', 'tuning', 'attack-finished']

/** All files of a folder, those of its folders included. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** The commands that read a work, and one that continues it. */
const commands = (work: string): string[][] => [
  ['list', join(work, '..')],
  ['show', work],
  ['report', work, '--out', place('page.html')],
  ['export', work, '--out', place('data.csv')],
  ['compare', work, work],
  ['resume', work, '--quiet'],
]

/** Files that a work has, or may have: of those of the same name one. */
function placesIn(name: string): string[] {
  const own = filesIn(join(fixtures, name)).map((file) => file.slice(fixtures.length + 1))
  const more = ['lock', 'checkpoint-a', 'result.json', 'summary.json'].map((file) => join(name, file))
  return [...new Map([...more, ...own].map((file) => [basename(file), file])).values()]
}

test.skipIf(process.platform === 'win32').each(works)(
  'a pipe in the place of any file of %s: no command waits',
  async (name) => {
    for (const file of placesIn(name)) {
      rmSync(place('piped'), { recursive: true, force: true })
      cpSync(join(fixtures, name), place('piped', name), { recursive: true })
      rmSync(place('piped', file), { force: true })
      spawnSync('mkfifo', [place('piped', file)])
      for (const args of commands(place('piped', name)).filter(([what]) => what !== 'compare')) {
        // Whether it is refused or can do without: it ends.
        const { code, stderr } = await call(...args)
        expect([file, args[0], code, stderr.includes('a mistake in zeroth')]).toEqual([file, args[0], code, false])
      }
    }
  },
)

test.skipIf(process.platform === 'win32')('nothing is written to where links in a folder lead', async () => {
  const victim = place('victim')
  writeFileSync(victim, 'mine')
  for (const name of works) {
    cpSync(join(fixtures, name), place('linked', name), { recursive: true })
    const folders = [place('linked', name), ...filesIn(place('linked', name)).map((file) => join(file, '..'))]
    const names = ['report.html', 'index.html', 'summary.json', 'images.csv', 'result.json', 'lock', 'stop', 'data.csv']
    for (const folder of new Set(folders)) {
      for (const each of [...names, ...readdirSync(folder)]) {
        for (const planted of [join(folder, each), `${join(folder, each)}.tmp`]) {
          if (!existsSync(planted)) symlinkSync(victim, planted)
        }
      }
    }
    await call('report', place('linked', name))
    // The link in the place of a lock names no process: it would be watched for a while, and then replaced.
    await call('resume', place('linked', name), '--quiet', '--take-lock')
    await call('export', place('linked', name))
    expect(readFileSync(victim, 'utf8')).toBe('mine')
  }
})

test('control characters of names never reach the terminal', async () => {
  const evil = 'a\x1b]0;owned\x07\x1b[2K\x1b[31m\x9b31m\r\u202eb\x7f\nc'
  for (const name of works) {
    const parent = place('named', `${name} ${evil}`)
    mkdirSync(parent, { recursive: true })
    cpSync(join(fixtures, name), join(parent, evil), { recursive: true })
    const empty = join(parent, 'empty')
    mkdirSync(empty)
    const begun = ['minimize', '--function', 'sphere', '--dim', '2', '--max-queries', '9', '--out']
    const more = [
      ['list', empty],
      ['show', empty],
      ['resume', empty],
      ['report', empty],
      ['compare', parent, '--json'],
      ['export', join(parent, evil)],
      ['resume', join(parent, evil), '--json'],
      ['resume', join(parent, evil), '--max-queries', '900'],
      [...begun, join(parent, `new ${evil}`)],
      [...begun, join(parent, `new ${evil}`)],
      [...begun, join(parent, `more ${evil}`), '--repeat', '2'],
      ['attack', '--model', 'digits', '--count', '1', '--max-queries', '9', '--out', join(parent, `attack ${evil}`)],
      ['minimize', join(parent, evil)],
      ['validate', join(parent, evil)],
      ['minimize', '--module', join(parent, evil), '--dim', '2', '--max-queries', '9'],
    ]
    for (const args of [...commands(join(parent, evil)), ...more]) {
      const { stdout, stderr } = await call(...args)
      // Lines of CSV end as RFC 4180 has it.
      const shown = [...(stdout + stderr).replaceAll('\r\n', '\n')].filter((each) => /[^\P{C}\n]/u.test(each))
      expect([args.slice(0, 1), shown, stdout + stderr].slice(0, shown.length === 0 ? 2 : 3)).toEqual([
        args.slice(0, 1),
        [],
      ])
    }
  }
})
