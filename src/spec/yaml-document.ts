import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml'
import { ZerothError } from '../core/errors.ts'
import { oneLine } from './place.ts'
import { maxAliases, type TooMuch, tooMuchYaml } from './yaml-limits.ts'

/** A YAML text that was read. */
export interface YamlDocument {
  readonly value: unknown
  /** Line and column, as `:3:5`, of the key, or of the nearest one above it that the text has. */
  position(path: readonly PropertyKey[]): string
}

type Document = ReturnType<typeof parseDocument>

/** Reads YAML, and so JSON, without tags of its own, keys that stand twice, and anchors without end. */
export function openYaml(text: string, name: string): YamlDocument {
  const tooMuch = guarded(name, () => tooMuchYaml(text))
  if (tooMuch !== undefined) throw invalidSpec(`${name}${positionIn(text, tooMuch.offset)}: ${tooMuch.reason}`)
  const lines = new LineCounter()
  // Keys are compared below: the parser would compare each with every other.
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false, logLevel: 'error' } as const
  const document = guarded(name, () => parseDocument(text, options))
  // Unknown tags are but warnings there; here they are values that mean something else than they seem to.
  const problem: YAMLError | undefined = document.errors[0] ?? document.warnings[0]
  if (problem !== undefined) {
    const what = problem.code === 'MULTIPLE_DOCS' ? 'a spec is one document, not several' : problem.message
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
export function invalidSpec(message: string): ZerothError {
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
        if (keys.has(key.value)) return found(key, `the key ${key.value} stands here twice`)
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
