// @ts-check
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { Application } from 'typedoc'
import { build } from 'vitepress'
import { movingPicture } from './moving-picture.mjs'

/*
 * Builds the site into site/built: the pages of docs/, the reference from the doc comments, the playground.
 *   npm run docs
 */

const site = dirname(fileURLToPath(import.meta.url))
const root = dirname(site)
const staged = join(site, 'staged')
const built = join(site, 'built')

for (const folder of [staged, built]) rmSync(folder, { recursive: true, force: true })
cpSync(join(root, 'docs'), staged, { recursive: true })
// VitePress takes along the pages and their pictures only; the results also link to the numbers behind them.
cpSync(join(root, 'docs/results'), join(staged, 'public/results'), {
  recursive: true,
  filter: (file) => !/\.(md|svg)$/.test(file),
})
cpSync(join(site, 'config.mjs'), join(staged, '.vitepress/config.mjs'))
cpSync(join(site, 'index.md'), join(staged, 'index.md'))
writeFileSync(join(staged, 'search.svg'), await movingPicture())
execFileSync(process.execPath, [join(root, 'scripts/playground.mjs'), join(staged, 'public/playground')])
await writeReference()
keepLinksInside(staged)
await build(staged, { outDir: built })
console.log(`the site is in ${relative(process.cwd(), built)}: open index.html, or serve the folder to have search`)

/** A page for each entry point of the package, from the doc comments of what it exports. */
async function writeReference() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const entryPoints = Object.values(exports)
    .flatMap((each) => (typeof each === 'object' ? [each.types] : []))
    .map((types) => join(root, types.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts')))
  const application = await Application.bootstrapWithPlugins({
    name: 'zeroth',
    entryPoints,
    sortEntryPoints: false,
    basePath: root,
    displayBasePath: join(root, 'src'),
    tsconfig: join(root, 'tsconfig.json'),
    plugin: ['typedoc-plugin-markdown'],
    readme: 'none',
    disableSources: true,
    excludeInternal: true,
    excludeExternals: true,
    skipErrorChecking: true,
    logLevel: 'Error',
    outputs: [{ name: 'markdown', path: join(staged, 'reference') }],
    // Options of the Markdown plugin.
    ...{ outputFileStrategy: 'modules', entryFileName: 'index', hideBreadcrumbs: true, hidePageHeader: true },
    ...{ useCodeBlocks: true, parametersFormat: 'table', interfacePropertiesFormat: 'table' },
  })
  const project = await application.convert()
  if (project === undefined) throw new Error('the doc comments cannot be read: see above')
  // What is written in an import.
  for (const module of project.children ?? [])
    module.name = module.name === 'index' ? 'zeroth' : `zeroth/${module.name}`
  await application.generateOutputs(project)
}

/**
 * Links to files that are not on the site become text.
 * @param {string} folder
 */
function keepLinksInside(folder) {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.md') || file.startsWith('.vitepress')) continue
    const path = join(folder, file)
    const text = readFileSync(path, 'utf8')
    const inside = text.replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (link, label, to) => {
      if (/^[a-z]+:|^#/.test(to)) return link
      const target = posix.join(posix.dirname(file), to.replace(/#.*/, ''))
      return !target.startsWith('..') && existsSync(join(folder, target)) ? link : label
    })
    if (inside !== text) writeFileSync(path, inside)
  }
}
