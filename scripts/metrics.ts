// Prints the size and shape of the published source: npm run metrics. With folders as arguments, of those instead; with
// --check it fails if the source has outgrown its limits; with --loaded it also counts the modules that two jobs load.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { limits, measure, outgrown, readSource, type SourceFile } from './architecture/measures.ts'

main(process.argv.slice(2))

function main(given: readonly string[]): void {
  const folders = given.filter((word) => !word.startsWith('--'))
  const { counts, longFunctions, cycles } = measure((folders.length === 0 ? ['src'] : folders).flatMap(sourceFiles))
  if (given.includes('--loaded')) {
    counts['modules loaded by minimize'] = modulesLoadedBy(
      '--input-type=module',
      '-e',
      `import { minimize } from '${pathToFileURL('dist/optimizer/minimize/minimize.js')}'
await minimize((x) => x[0] * x[0] + x[1] * x[1], [1, 2])`,
    )
    const attack = ['attack', '--model', 'digits', '--count', '1', '--max-queries', '200']
    counts['modules loaded by zeroth attack'] = modulesLoadedBy('dist/app/cli/main.js', ...attack)
  }
  for (const [name, value] of Object.entries(counts)) {
    const limit = limits[name]
    const room = limit === undefined ? '' : `  (at most ${limit.toLocaleString('en')})`
    console.log(`${name.padEnd(32)}${value.toLocaleString('en').padStart(10)}${room}`)
  }
  for (const { path, name, lines } of longFunctions) console.log(`  ${lines} lines: ${name} in ${path}`)
  for (const cycle of cycles) console.log(`  cycle: ${cycle.join(' -> ')}`)
  if (given.includes('--check')) {
    const broken = outgrown(counts)
    for (const sentence of broken) console.error(sentence)
    if (broken.length > 0) process.exitCode = 1
  }
}

function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts'))
    .sort()
    .map((path) => readSource(path, readFileSync(path, 'utf8')))
}

/** How many modules of dist, which has one per source file, a program loads: V8 lists them for its coverage. */
function modulesLoadedBy(...words: string[]): number {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-metrics-'))
  const coverage = join(folder, 'coverage')
  try {
    const command = words.map((word) => (word.startsWith('dist/') ? join(process.cwd(), word) : word))
    execFileSync(process.execPath, command, {
      cwd: folder,
      stdio: 'pipe',
      env: { ...process.env, NODE_V8_COVERAGE: coverage },
    })
    const dist = pathToFileURL(join(process.cwd(), 'dist/')).href
    const urls = readdirSync(coverage).flatMap((file) => {
      const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8')) as { result: { url: string }[] }
      return result.map(({ url }) => url).filter((url) => url.startsWith(dist))
    })
    return new Set(urls).size
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
