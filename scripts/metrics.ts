// Prints the size and shape of the published source: npm run metrics. With folders as arguments, of those instead.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import process from 'node:process'
import ts from 'typescript'
import { readSyntax } from './architecture/syntax.ts'

/** Functions in these folders may be long: they are numeric kernels. */
const kernels = /^src\/kernels\//

interface SourceFile {
  readonly path: string
  readonly text: string
  readonly imports: readonly string[]
}

interface LongFunction {
  readonly path: string
  readonly name: string
  readonly lines: number
}

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
    .map((path) => {
      const text = readFileSync(join(path), 'utf8')
      const imports = readSyntax(path, text)
        .imports.filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => posix.join(posix.dirname(path), specifier))
      return { path, text, imports: [...new Set(imports)] }
    })
}

function linesOf(text: string): number {
  return text.trimEnd().split('\n').length
}

function isGenerated(text: string): boolean {
  return /^\/\/ (Generated|Written) by /m.test(text.slice(0, 500))
}

function importersOf({ path }: SourceFile, files: readonly SourceFile[]): number {
  return files.filter(({ imports }) => imports.includes(path)).length
}

function longFunctions({ path, text }: SourceFile): LongFunction[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found: LongFunction[] = []
  const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const lines = lineAt(node.getEnd()) - lineAt(node.getStart()) + 1
      if (lines > 40) found.push({ path, name: nameOf(node), lines })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function nameOf(node: ts.Node): string {
  const named = node as { readonly name?: ts.Node }
  if (named.name !== undefined) return named.name.getText()
  const { parent } = node
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : 'a function'
}

/** Groups of files that import each other in a circle, types included: the strongly connected components. */
function fileCycles(files: readonly SourceFile[]): string[][] {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]))
  const reaches = (from: string, to: string): boolean => {
    const seen = new Set<string>()
    const waiting = [...(importsOf.get(from) ?? [])]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next === to) return true
      if (seen.has(next)) continue
      seen.add(next)
      waiting.push(...(importsOf.get(next) ?? []))
    }
    return false
  }
  const circular = files.map(({ path }) => path).filter((path) => reaches(path, path))
  const groups: string[][] = []
  for (const path of circular) {
    const group = groups.find(([first]) => reaches(first as string, path) && reaches(path, first as string))
    if (group === undefined) groups.push([path])
    else group.push(path)
  }
  return groups
}
