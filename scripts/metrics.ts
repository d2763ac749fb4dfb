// Prints the size and shape of the published source: npm run metrics. With folders as arguments, of those instead.
import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import process from 'node:process'
import {
  fileCycles,
  importersOf,
  isGenerated,
  linesOf,
  longFunctions,
  readSource,
  type SourceFile,
} from './architecture/measures.ts'
import { readSyntax } from './architecture/syntax.ts'

/** Functions in these folders may be long: they are numeric kernels. */
const kernels = /^src\/kernels\//

main(process.argv.slice(2))

function main(given: readonly string[]): void {
  const folders = given.length === 0 ? ['src'] : given
  const files = folders.flatMap(sourceFiles)
  const functions = files.filter(({ path }) => !kernels.test(path)).flatMap(longFunctions)
  const cycles = fileCycles(files)
  const rows: [string, number | string][] = [
    ['files', files.length],
    ['lines', files.reduce((sum, { text }) => sum + linesOf(text), 0)],
    ['folders', new Set(files.map(({ path }) => posix.dirname(path))).size],
    ['generated files', files.filter(({ text }) => isGenerated(text)).length],
    [
      'generated lines',
      files.filter(({ text }) => isGenerated(text)).reduce((sum, { text }) => sum + linesOf(text), 0),
    ],
    ['functions over 40 lines', functions.length],
    ['functions over 60 lines', functions.filter(({ lines }) => lines > 60).length],
    ['files with one importer', files.filter((file) => importersOf(file, files) === 1).length],
    ['file cycles', cycles.length],
    [
      'files that loop over a session',
      files.filter(({ path, text }) => readSyntax(path, text).loopsOverSession).length,
    ],
  ]
  for (const [name, value] of rows) console.log(`${name.padEnd(32)}${value.toLocaleString('en')}`)
  for (const { path, name, lines } of functions.sort((a, b) => b.lines - a.lines))
    console.log(`  ${lines} lines: ${name} in ${path}`)
  for (const cycle of cycles) console.log(`  cycle: ${cycle.join(' -> ')}`)
}

function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .sort()
    .map((path) => readSource(path, readFileSync(path, 'utf8')))
}
