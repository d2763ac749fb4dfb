import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sections } from '../site/pages.mjs'

const docs = new URL('../docs/', import.meta.url)
const listed = sections.flatMap(({ pages }) => pages.map(([file]) => file))

test('the side bar of the site has every page of docs once, and none that is not there', () => {
  const there = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.endsWith('notes.md'))
    .map((file) => file.replace(/\.md$/, ''))
  // The reference is made from the doc comments when the site is built.
  expect(listed.filter((file) => file !== 'reference/index').sort()).toEqual(there.sort())
})

test('the entry points that the reference is made from are there', () => {
  const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    exports: Readonly<Record<string, string | { readonly types: string }>>
  }
  const sources = Object.values(exports).flatMap((each) =>
    typeof each === 'string' ? [] : [each.types.replace('./dist/', '../src/').replace(/\.d\.ts$/, '.ts')],
  )
  expect(sources.length).toBeGreaterThan(10)
  for (const source of sources) expect(existsSync(new URL(source, import.meta.url)), source).toBe(true)
})

test('links to the playground are followed by the browser: the router of the site would show that there is no such page', () => {
  const [config, start] = ['config.mjs', 'index.md'].map((file) =>
    readFileSync(new URL(`../site/${file}`, import.meta.url), 'utf8'),
  )
  expect(config).toContain("link: '/playground/index.html', target: '_self'")
  const links = [...(start ?? '').matchAll(/<a href="\.\/playground\/[^>]*>/g)].map(([link]) => link)
  expect(links).toHaveLength(2)
  for (const link of links) expect(link).toContain('target="_self"')
})

test('the README compares with others as the start page does, and says what to use instead', () => {
  const [start = '', readme = ''] = ['site/index.md', 'README.md'].map((file) =>
    readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'),
  )
  const tables = [...start.matchAll(/^\| (?:minimiser|attack) [\s\S]*?\n\n/gm)].map(([table]) => table)
  expect(tables).toHaveLength(2)
  for (const table of tables) expect(readme).toContain(table)
  const [instead = 'nothing'] = /^Use something else for [\s\S]*?\n\n/m.exec(start) ?? []
  expect(readme).toContain(instead)
})
