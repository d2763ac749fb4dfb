import ts from 'typescript'

/** One import, re-export, dynamic import or import type. */
export interface Import {
  readonly specifier: string
  readonly typeOnly: boolean
}

/** What the architecture rules need to know of a source file. Comments and strings have no part in it. */
export interface Syntax {
  readonly imports: readonly Import[]
  /** Uses of what would make results differ between runs or engines, as they read: `Math.random`, `Date`, `**`. */
  readonly irreproducible: readonly string[]
  readonly hasDefaultExport: boolean
  /** Whether it has a loop that takes a session, or anything like one, through its iterations. */
  readonly loopsOverSession: boolean
  /** Its functions, and how many lines each takes. */
  readonly functions: readonly { readonly name: string; readonly lines: number }[]
}

/** What was read before: the rules and the measures look at the same files, and parsing is what takes the time. */
const known = new Map<string, Syntax>()

/** Reads a source file. */
export function readSyntax(path: string, text: string): Syntax {
  const key = `${path.endsWith('x')}:${text}`
  const syntax = known.get(key) ?? parse(path, text)
  known.set(key, syntax)
  return syntax
}

function parse(path: string, text: string): Syntax {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const nodes = allNodes(source)
  return {
    imports: nodes.flatMap(importOf),
    irreproducible: [...new Set(nodes.flatMap(irreproducible))],
    hasDefaultExport: nodes.some(isDefaultExport),
    loopsOverSession: nodes.some(isSessionLoop),
    functions: nodes.flatMap((node) => functionOf(node, source)),
  }
}

function functionOf(node: ts.Node, source: ts.SourceFile): { name: string; lines: number }[] {
  if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return []
  const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line
  return [{ name: nameOf(node), lines: lineAt(node.getEnd()) - lineAt(node.getStart(source)) + 1 }]
}

function nameOf(node: ts.Node): string {
  const named = node as { readonly name?: ts.Node }
  if (named.name !== undefined) return named.name.getText()
  const { parent } = node
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : 'a function'
}

/** A node and all below it, in the order of the text. */
function allNodes(node: ts.Node, into: ts.Node[] = []): readonly ts.Node[] {
  into.push(node)
  ts.forEachChild(node, (child) => void allNodes(child, into))
  return into
}

function importOf(node: ts.Node): Import[] {
  if (ts.isImportDeclaration(node)) return named(node.moduleSpecifier, importsTypesOnly(node.importClause))
  if (ts.isExportDeclaration(node)) {
    return named(node.moduleSpecifier, node.isTypeOnly || allTypes(node.exportClause))
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return named(node.argument.literal, true)
  if (ts.isExternalModuleReference(node)) return named(node.expression, false)
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return named(node.arguments[0], false)
  }
  return []
}

function named(specifier: ts.Node | undefined, typeOnly: boolean): Import[] {
  return specifier !== undefined && ts.isStringLiteralLike(specifier) ? [{ specifier: specifier.text, typeOnly }] : []
}

function importsTypesOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false
  return clause.isTypeOnly || (clause.name === undefined && allTypes(clause.namedBindings))
}

function allTypes(names: ts.NamedImportBindings | ts.NamedExportBindings | undefined): boolean {
  if (names === undefined || !(ts.isNamedImports(names) || ts.isNamedExports(names))) return false
  return names.elements.length > 0 && names.elements.every((element) => element.isTypeOnly)
}

const bannedOfMath = ['random', 'pow']

function irreproducible(node: ts.Node): string[] {
  if (node.kind === ts.SyntaxKind.AsteriskAsteriskToken) return ['**']
  if (node.kind === ts.SyntaxKind.AsteriskAsteriskEqualsToken) return ['**=']
  if (ts.isIdentifier(node) && node.text === 'Date' && !isPropertyName(node)) return ['Date']
  return propertiesTaken(node)
    .filter(
      ({ of, name }) => (of === 'Math' && bannedOfMath.includes(name)) || (of === 'globalThis' && name === 'Date'),
    )
    .map(({ of, name }) => (of === 'Math' ? `Math.${name}` : name))
}

function isPropertyName(node: ts.Identifier): boolean {
  const parent = node.parent
  return (
    (ts.isPropertyAccessExpression(parent) ||
      ts.isPropertyAssignment(parent) ||
      ts.isPropertySignature(parent) ||
      ts.isPropertyDeclaration(parent)) &&
    parent.name === node
  )
}

/** `of.name`, `of['name']` and `const { name } = of`. */
function propertiesTaken(node: ts.Node): { of: string; name: string }[] {
  if (ts.isPropertyAccessExpression(node)) return [{ of: node.expression.getText(), name: node.name.text }]
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)) {
    return [{ of: node.expression.getText(), name: node.argumentExpression.text }]
  }
  if (ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name) && node.initializer !== undefined) {
    const of = node.initializer.getText()
    return node.name.elements.map((element) => ({ of, name: (element.propertyName ?? element.name).getText() }))
  }
  return []
}

function isDefaultExport(node: ts.Node): boolean {
  if (ts.isExportAssignment(node)) return true
  if (ts.isExportSpecifier(node)) return node.name.text === 'default'
  return ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(isDefaultKeyword)
}

function isDefaultKeyword(modifier: ts.Modifier): boolean {
  return modifier.kind === ts.SyntaxKind.DefaultKeyword
}

/**
 * A loop that advances a session: it calls `turn`, or `ask` and `tell` of the same thing, or goes on until there is an
 * `outcome`. Consumers of a loop, `for await (... of drive(...))`, do none of these.
 */
function isSessionLoop(node: ts.Node): boolean {
  if (!ts.isIterationStatement(node, false)) return false
  const inside = allNodes(node)
  const calls = inside.flatMap(methodCall)
  const asked = calls.filter(({ name }) => name === 'ask').map(({ of }) => of)
  if (calls.some(({ name, of }) => name === 'turn' || (name === 'tell' && asked.includes(of)))) return true
  if (inside.some((each) => ts.isCallExpression(each) && each.expression.getText() === 'turn')) return true
  const condition = conditionOf(node)
  return condition !== undefined && allNodes(condition).flatMap(propertiesTaken).some(isOutcome)
}

function methodCall(node: ts.Node): { of: string; name: string }[] {
  return ts.isCallExpression(node) ? propertiesTaken(node.expression) : []
}

function conditionOf(loop: ts.IterationStatement): ts.Node | undefined {
  if (ts.isWhileStatement(loop) || ts.isDoStatement(loop)) return loop.expression
  return ts.isForStatement(loop) ? loop.condition : undefined
}

function isOutcome({ name }: { readonly name: string }): boolean {
  return name === 'outcome'
}
