import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

test('the table of folders in CONTRIBUTING.md has every folder of the source, and no other', () => {
  const page = readFileSync(at('CONTRIBUTING.md'), 'utf8')
  const listed = [...page.matchAll(/^\| `(src\/[^`]+)` +\| (.+?) +\|/gm)].map((match) => match[1])
  // The page and its server import different things.
  const folders = foldersIn('src').flatMap((folder) => (folder === 'src/ui' ? foldersIn(folder) : [folder]))
  expect([...listed].sort()).toEqual(folders.sort())
})

function foldersIn(folder: string): string[] {
  const entries = readdirSync(at(folder), { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${folder}/${name}`)
}
