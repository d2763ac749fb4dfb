import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

test('the table of folders in CONTRIBUTING.md has every folder of the source, and no other', () => {
  const page = readFileSync(at('CONTRIBUTING.md'), 'utf8')
  const listed = [...page.matchAll(/^\| `(src\/[^`]+)` +\| (.+?) +\|/gm)].map((match) => match[1])
  const folders = readdirSync(at('src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect([...listed].sort()).toEqual(folders.map(({ name }) => `src/${name}`).sort())
})
