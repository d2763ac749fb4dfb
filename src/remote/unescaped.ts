/** A text with everything taken out that escaping puts in, and where each character of it was. */
export interface Unescaped {
  readonly text: string
  /** The piece of the original that a character stands for begins here. */
  readonly starts: readonly number[]
  /** It ends before this. */
  readonly ends: readonly number[]
}

/** How often a text may have been escaped, each time in another way. */
const layers = 4

/** Stands for any characters beyond ASCII: what becomes of them depends on who reads them in which encoding. */
const foreign = '\ufffd'

const names: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  sol: '/',
}

/** A character escaped as in JSON, JavaScript, Python, a URL or HTML, or one that escaping changes. */
const piece =
  /\\+u([\da-f]{4})|\\+x([\da-f]{2})|%([\da-f]{2})|&#x([\da-f]{1,6});|&#(\d{1,7});|&([a-z]\w{1,7});|\\+[bfnrt]|\\+|[^\0-\x7f]+|[+\s]/gi

/**
 * Reads a text as if it had never been escaped, once or several times over. Texts that differ only by how they are
 * escaped become the same; some others do, too: it is good for finding a text, not for reading it.
 */
export function unescaped(text: string): Unescaped {
  let current = positioned(text)
  for (let layer = 0; layer < layers; layer++) {
    const next = peeled(current)
    if (next.text === current.text) break
    current = next
  }
  return current
}

function positioned(text: string): Unescaped {
  const starts = Array.from({ length: text.length }, (_, i) => i)
  return { text, starts, ends: starts.map((start) => start + 1) }
}

/** One layer less. */
function peeled({ text, starts, ends }: Unescaped): Unescaped {
  const next = { text: '', starts: [] as number[], ends: [] as number[] }
  const add = (characters: string, from: number, to: number): void => {
    // One for all that follow each other: a letter may have become several bytes.
    if (characters === foreign && next.text.endsWith(foreign)) next.ends[next.ends.length - 1] = ends[to - 1] as number
    else {
      next.text += characters
      for (let i = 0; i < characters.length; i++) {
        next.starts.push(starts[characters.length === to - from ? from + i : from] as number)
        next.ends.push(ends[characters.length === to - from ? from + i : to - 1] as number)
      }
    }
  }
  let done = 0
  for (const match of text.matchAll(piece)) {
    add(text.slice(done, match.index), done, match.index)
    done = match.index + match[0].length
    add(meaning(match), match.index, done)
  }
  add(text.slice(done), done, text.length)
  return next
}

/** What an escape stands for, in as few characters as the usual ways to write it leave apart. */
function meaning([whole, unit, latin, byte, hex, decimal, name]: RegExpMatchArray): string {
  const code = unit ?? latin ?? byte ?? hex
  if (code !== undefined) return plain(Number.parseInt(code, 16))
  if (decimal !== undefined) return plain(Number(decimal))
  if (name !== undefined) return names[name.toLowerCase()] ?? foreign
  if (/^\\+[bfnrt]$|^[+ \t-\r]$/.test(whole)) return ' '
  return whole.startsWith('\\') ? '' : foreign
}

function plain(code: number): string {
  return code > 127 ? foreign : String.fromCharCode(code)
}
