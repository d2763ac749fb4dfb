import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import {
  CST,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml'
import { ZerothError } from '../../optimizer/core/errors.ts'
import { type Locate, oneLine, wholeSpec } from './place.ts'
import { checkPlainData, isObject, type JsonObject } from './plain-data.ts'

/** A spec that was read from a text, with what is needed to speak about it: `compileSpec(source.spec, source)`. */
export interface SpecSource {
  /** What the text says. Not checked yet, but plain data. */
  readonly spec: JsonObject
  /** Paths in the spec begin here. */
  readonly folder: string
  readonly locate: Locate
}

/** Where a text comes from. */
export interface TextOrigin {
  /** How errors call it. */
  readonly name?: string | undefined
  /** Paths in it begin here; the current folder if left out. */
  readonly folder?: string | undefined
}

/** Bytes of a spec at most. */
const largest = 1_000_000

/** Reads a spec from a file, YAML or JSON. */
export function readSpec(file: string): SpecSource {
  const bytes = readLimited(file)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalidSpec(`${file}: a spec must be UTF-8 text`)
  }
  return parseSpec(text, { name: file, folder: dirname(resolve(file)) })
}

/** Reads a spec from a text, YAML or JSON. */
export function parseSpec(text: string, { name = 'spec', folder = process.cwd() }: TextOrigin = {}): SpecSource {
  if (Buffer.byteLength(text) > largest) throw tooLarge(name)
  const { value, position } = openYaml(text, name)
  const locate: Locate = (path) => `${name}${position(path)}: `
  checkPlainData(value, wholeSpec(locate))
  if (isObject(value)) return { spec: value, folder, locate }
  const given = value === null ? 'nothing' : Array.isArray(value) ? 'a list' : `a ${typeof value}`
  throw invalidSpec(`${name}: a spec must be a map of keys and values, got ${given}`)
}

/** The bytes of a regular file: anything else may never end. */
function readLimited(file: string): Uint8Array {
  try {
    const info = statSync(file)
    if (!info.isFile()) throw invalidSpec(`${file}: a spec must be a file`)
    if (info.size > largest) throw tooLarge(file)
    return readFileSync(file)
  } catch (error) {
    if (error instanceof ZerothError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'there is no such file' : (code ?? message)
    throw invalidSpec(`${file}: cannot read the spec: ${reason}`)
  }
}

function tooLarge(name: string): ZerothError {
  return invalidSpec(`${name}: a spec has ${largest} bytes at most`)
}

/** A YAML text that was read. */
interface YamlDocument {
  readonly value: unknown
  /** Line and column, as `:3:5`, of the key, or of the nearest one above it that the text has. */
  position(path: readonly PropertyKey[]): string
}

/** What makes a text too much for the parser, and where. */
interface TooMuch {
  readonly offset: number
  readonly reason: string
}

interface Token {
  /** Undefined for a plain or a block scalar. */
  readonly type: string | null | undefined
  readonly offset: number
  readonly column: number
  readonly length: number
}

interface Counts {
  tokens: number
  flow: number
  aliases: number
}

type Document = ReturnType<typeof parseDocument>

/** What the parser calls mistakes in the layout of a YAML text. */
const layoutProblems: readonly string[] = ['BAD_INDENT', 'BLOCK_AS_IMPLICIT_KEY', 'BLOCK_IN_FLOW', 'TAB_AS_INDENT']

/** Reads YAML, and so JSON, without tags of its own, keys that stand twice, and anchors without end. */
function openYaml(text: string, name: string): YamlDocument {
  const tooMuch = guarded(name, () => tooMuchYaml(text))
  if (tooMuch !== undefined) throw invalidSpec(`${name}${positionIn(text, tooMuch.offset)}: ${tooMuch.reason}`)
  const lines = new LineCounter()
  // Keys are compared below: the parser would compare each with every other.
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false, logLevel: 'error' } as const
  const document = guarded(name, () => parseDocument(text, options))
  // Unknown tags are but warnings there; here they are values that mean something else than they seem to.
  const problem: YAMLError | undefined = document.errors[0] ?? document.warnings[0]
  if (problem !== undefined) {
    const { code, message } = problem
    const hint = layoutProblems.includes(code) ? ' (check the indentation; quote texts that contain ": ")' : ''
    const what = code === 'MULTIPLE_DOCS' ? 'a spec is one document, not several' : `${message}${hint}`
    throw invalidSpec(`${name}${shown(lines, problem.pos[0])}: ${what}`)
  }
  const odd = oddNode(document)
  if (odd !== undefined) throw invalidSpec(`${name}${shown(lines, odd.offset)}: ${odd.reason}`)
  const value: unknown = guarded(name, () => document.toJS({ maxAliasCount: maxAliases }))
  return {
    value,
    position: (path) => {
      const offset = nodeAt(document, path)?.range?.[0]
      return offset === undefined ? '' : shown(lines, offset)
    },
  }
}

/** An error about the text of a spec, in one line. */
function invalidSpec(message: string): ZerothError {
  return new ZerothError('invalid-data', oneLine(message))
}

/** Keys that are no plain text or stand twice in a map, and lists that hold themselves. */
function oddNode(document: Document): TooMuch | undefined {
  let odd: TooMuch | undefined
  const found = (node: unknown, reason: string): symbol => {
    odd = { offset: (node as Node | null)?.range?.[0] ?? 0, reason }
    return visit.BREAK
  }
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key) || typeof key.value !== 'string') return found(key, 'a key must be a text')
        if (keys.has(key.value)) return found(key, `the key ${key.value} appears twice`)
        keys.add(key.value)
      }
      return undefined
    },
    Alias(_, node, path) {
      const holdsItself = path.some((each) => isCollection(each) && each.anchor === node.source)
      return holdsItself ? found(node, `the anchor ${node.source} holds itself`) : undefined
    },
  })
  return odd
}

/** The node of the last key on the path that the text has. */
function nodeAt(document: Document, path: readonly PropertyKey[]): Node | undefined {
  let node = document.contents as Node | null
  let found: Node | undefined
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document) ?? null
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === String(step)) : undefined
    const item = isSeq(node) ? (node.items[Number(step)] as Node | undefined) : undefined
    if (pair === undefined && item === undefined) break
    found = item ?? (pair?.key as Node)
    node = item ?? (pair?.value as Node | null)
  }
  return found
}

/** What goes wrong inside the parser is about this text. */
function guarded<T>(name: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const reason = error instanceof RangeError ? 'it is nested too deep' : (error as Error).message
    throw invalidSpec(`${name}: the spec cannot be read: ${reason}`)
  }
}

function shown(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset)
  return `:${line}:${col}`
}

function positionIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `:${before.length}:${(before.at(-1) ?? '').length + 1}`
}

/** Levels of brackets at most. */
const deepestFlow = 50

/** Columns in which a line or a list may begin: every level of nesting takes one at least. */
const lastColumn = 100

/** Words and marks at most: a list has two for each of its numbers. */
const mostTokens = 250_000

/** Uses of anchors at most: a few lines of nested ones stand for billions of values. */
const maxAliases = 100

/**
 * Looks through a text, without building anything, for what the parser would take too long or nest too deep for. It must
 * not be left to try: running out of stack inside a regular expression ends the whole process.
 */
function tooMuchYaml(text: string): TooMuch | undefined {
  const counts = { tokens: 0, flow: 0, aliases: 0 }
  for (const token of tokensOf(text)) {
    count(token, counts)
    const reason = tooMuch(token, counts)
    if (reason !== undefined) return { offset: token.offset, reason }
  }
  return undefined
}

function count({ type }: Token, counts: Counts): void {
  counts.tokens++
  if (type === 'flow-map-start' || type === 'flow-seq-start') counts.flow++
  if (type === 'flow-map-end' || type === 'flow-seq-end') counts.flow--
  if (type === 'alias') counts.aliases++
}

function tooMuch({ type, column, length }: Token, { tokens, flow, aliases }: Counts): string | undefined {
  if (tokens > mostTokens) return `the spec is too long: it may have ${mostTokens} words and marks`
  if (flow > deepestFlow) return `brackets may be nested ${deepestFlow} deep at most`
  if (aliases > maxAliases) return `anchors may be used ${maxAliases} times at most`
  const opens = flow === 0 && (type === 'seq-item-ind' || type === 'explicit-key-ind')
  const indents = type === 'space' && column === 0
  const begins = opens ? column : indents ? length : 0
  return begins > lastColumn ? `lines and lists must begin within ${lastColumn} columns` : undefined
}

/** The tokens of a text with their places. */
function* tokensOf(text: string): Generator<Token, void, void> {
  let offset = 0
  let lineStart = 0
  let scalarFollows = false
  for (const token of new Lexer().lex(text)) {
    // Marks of the lexer's own, which are not in the text.
    const isMark = token === CST.SCALAR || token === CST.DOCUMENT || token === CST.FLOW_END
    if (!isMark) {
      const type = scalarFollows ? undefined : CST.tokenType(token)
      yield { type, offset, column: offset - lineStart, length: token.length }
      offset += token.length
      if (token.endsWith('\n')) lineStart = offset
    }
    scalarFollows = token === CST.SCALAR
  }
}
