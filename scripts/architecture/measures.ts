import { posix } from 'node:path'
import { readSyntax } from './syntax.ts'

/** A file with the files of ours that it imports, types included. */
export interface SourceFile {
  readonly path: string
  readonly text: string
  readonly imports: readonly string[]
}

/** A function of more than 40 lines. */
interface LongFunction {
  readonly path: string
  readonly name: string
  readonly lines: number
}

/** Functions in this folder may be long: they are numeric kernels. */
const kernels = /^src\/optimizer\/kernels\//

/**
 * What the source may grow to: 5 % above what it was when it was last tidied up. Raising one of these is a commit of its own
 * that says why.
 */
export const limits: Readonly<Record<string, number>> = {
  files: 400,
  lines: 76_500,
  kilobytes: 3_225,
  'generated lines': 15,
  'functions over 60 lines': 0,
  'files with one importer': 97,
  'file cycles': 0,
  'files that loop over a session': 1,
  // Counted with --loaded, of what `npm run build` has made.
  'modules loaded by minimize': 30,
  'modules loaded by zeroth attack': 195,
}

/** The size and shape of these files: counts by name, and what to look at. */
export function measure(files: readonly SourceFile[]): {
  counts: Record<string, number>
  longFunctions: LongFunction[]
  cycles: string[][]
} {
  const functions = files.filter(({ path }) => !kernels.test(path)).flatMap(longFunctions)
  const generated = files.filter(({ text }) => isGenerated(text))
  const lonely = files.filter((file) => importersOf(file, files) === 1)
  const cycles = fileCycles(files)
  const counts = {
    files: files.length,
    lines: linesIn(files),
    kilobytes: Math.round(files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) / 1000),
    folders: new Set(files.map(({ path }) => posix.dirname(path))).size,
    'generated lines': linesIn(generated),
    'functions over 40 lines': functions.length,
    'functions over 60 lines': functions.filter(({ lines }) => lines > 60).length,
    'files with one importer': lonely.length,
    'of them up to 45 lines': lonely.filter(({ text }) => linesOf(text) <= 45).length,
    'file cycles': cycles.length,
    'files that loop over a session': files.filter(({ path, text }) => readSyntax(path, text).loopsOverSession).length,
  }
  return { counts, longFunctions: functions.sort((a, b) => b.lines - a.lines), cycles }
}

/** A sentence for every count above its limit. */
export function outgrown(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(limits)
    .filter(([name, limit]) => (counts[name] ?? 0) > limit)
    .map(
      ([name, limit]) =>
        `${name}: ${counts[name]}, at most ${limit}. Merge or delete first; raising the limit in ` +
        'scripts/architecture/measures.ts is a commit of its own that says why.',
    )
}

function linesIn(files: readonly SourceFile[]): number {
  return files.reduce((sum, { text }) => sum + linesOf(text), 0)
}

/** A file as the measures need it. */
export function readSource(path: string, text: string): SourceFile {
  const imports = readSyntax(path, text)
    .imports.filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => posix.join(posix.dirname(path), specifier))
  return { path, text, imports: [...new Set(imports)] }
}

/** The lines of a text; a line break at its end begins no other. */
export function linesOf(text: string): number {
  return text.trimEnd().split('\n').length
}

/** Whether a program wrote a file. */
export function isGenerated(text: string): boolean {
  return /^\/\/ (Generated|Written) by /m.test(text.slice(0, 500))
}

/** How many files import a file. */
export function importersOf({ path }: SourceFile, files: readonly SourceFile[]): number {
  return files.filter(({ imports }) => imports.includes(path)).length
}

/** The functions of a file with more than 40 lines. */
export function longFunctions({ path, text }: SourceFile): LongFunction[] {
  return readSyntax(path, text)
    .functions.filter(({ lines }) => lines > 40)
    .map((each) => ({ path, ...each }))
}

/** Groups of files that import each other in a circle, types included: the strongly connected components. */
export function fileCycles(files: readonly SourceFile[]): string[][] {
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
