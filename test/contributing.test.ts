import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

test('the table of folders in CONTRIBUTING.md has every folder of the source, and no other', () => {
  const page = readFileSync(at('CONTRIBUTING.md'), 'utf8')
  const listed = [...page.matchAll(/^\| `(src\/[^`]+)` +\| (.+?) +\|/gm)].map((match) => match[1])
  const files = readdirSync(at('src'), { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path))
  const rooms = new Set(files.map((path) => `src/${posix.dirname(path.replaceAll('\\', '/'))}`))
  // Only the entry points, and what the page of `zeroth ui` and its server share, stand outside the folders listed.
  const outside = ['src/.', 'src/app/ui']
  expect(
    [...rooms].filter((room) => !outside.includes(room) && !listed.some((each) => `${room}/`.startsWith(`${each}/`))),
  ).toEqual([])
  expect(listed.filter((each) => ![...rooms].some((room) => `${room}/`.startsWith(`${each}/`)))).toEqual([])
})
