import { posix } from 'node:path'
import ts from 'typescript'
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
