import { CST, Lexer } from 'yaml'

/** Levels of brackets at most. */
const deepestFlow = 50

/** Columns in which a line or a list may begin: every level of nesting takes one at least. */
const lastColumn = 100

/** Words and marks at most: a list has two for each of its numbers. */
const mostTokens = 250_000

/** Uses of anchors at most: a few lines of nested ones stand for billions of values. */
export const maxAliases = 100

/** What makes a text too much for the parser, and where. */
export interface TooMuch {
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

/**
 * Looks through a text, without building anything, for what the parser would take too long or nest too deep for. It must
 * not be left to try: running out of stack inside a regular expression ends the whole process.
 */
export function tooMuchYaml(text: string): TooMuch | undefined {
  const counts = { tokens: 0, flow: 0, aliases: 0 }
  for (const token of tokensOf(text)) {
    count(token, counts)
    const reason = tooMuch(token, counts)
    if (reason !== undefined) return { offset: token.offset, reason }
  }
  return undefined
}

interface Counts {
  tokens: number
  flow: number
  aliases: number
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
