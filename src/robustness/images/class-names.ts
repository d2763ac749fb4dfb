import { didYouMean, show, ZerothError } from '../../optimizer/core/errors.ts'
import { dataError } from './data-error.ts'

/** What a class is called; undefined where it has no name, or none but its number. */
export function className(index: number | null | undefined, names: readonly string[] | undefined): string | undefined {
  const name = index === null || index === undefined ? undefined : names?.[index]
  return name === undefined || name === '' || name === String(index) ? undefined : name
}

/**
 * The names of classes in a text: a JSON list; a JSON object by number, whose entries may be lists that end with the name
 * (as ImageNet's are often kept); lines of a number, a comma and the name; or a name on each line. Numbers begin with 0, or
 * with 1 where there is no 0.
 */
export function parseClassNames(text: string, where: string): string[] {
  const plain = text.replace(/^\ufeff/, '')
  const names = /^\s*[[{]/.test(plain) ? jsonNames(plain, where) : linesOfNames(plain, where)
  if (names.length === 0) throw dataError(where, 'holds no names of classes')
  return names
}

/** The number of a class that is given by its name; case and all but one of several synonyms (`tench, Tinca tinca`) may be left out. */
export function classNumber(name: string, names: readonly string[]): number {
  const wanted = name.trim().toLowerCase()
  const ways: ((each: string) => boolean)[] = [
    (each) => each === name,
    (each) => each.trim().toLowerCase() === wanted,
    (each) =>
      each
        .toLowerCase()
        .split(',')
        .some((synonym) => synonym.trim() === wanted),
  ]
  for (const isMeant of ways) {
    const found = names.flatMap((each, i) => (isMeant(each) ? [i] : []))
    if (found.length === 1) return found[0] as number
    if (found.length > 1) {
      throw new ZerothError('invalid-option', `${show(name)} names the classes ${found.join(', ')}: give the number`)
    }
  }
  throw new ZerothError('invalid-option', `there is no class ${show(name)}${didYouMean(name, names)} (${known(names)})`)
}

const mostNamed = 10

function known(names: readonly string[]): string {
  const all = names.filter((name) => name !== '')
  const more = all.length - mostNamed
  return `known: ${all.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function jsonNames(text: string, where: string): string[] {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch (error) {
    throw dataError(where, `is not JSON (${(error as Error).message})`, error)
  }
  if (Array.isArray(found)) return found.map((each, i) => nameOf(each, `${where}: entry ${i}`))
  const entries = Object.entries(found as object).map(([key, value]): Numbered => {
    if (/^\d+$/.test(key)) return [Number(key), nameOf(Array.isArray(value) ? value.at(-1) : value, `${where}: ${key}`)]
    throw dataError(where, `must have the numbers of classes as keys, got ${show(key)}`)
  })
  return inOrder(entries, where)
}

function nameOf(value: unknown, where: string): string {
  if (typeof value === 'string' && value.trim() !== '') return value.trim()
  throw dataError(where, `must be a name, got ${show(value)}`)
}

type Numbered = readonly [index: number, name: string]

const numberedLine = /^\s*"?(\d+)"?\s*[,;\t]\s*(.*?)\s*$/

function linesOfNames(text: string, where: string): string[] {
  const lines = text.split(/\r\n|\n|\r/).map((line) => line.trim())
  while (lines.at(-1) === '') lines.pop()
  const numbered = lines.map((line) => numberedLine.exec(line))
  // A table may have a line with the names of its columns.
  const isTable = numbered.length > 1 && numbered.slice(1).every((match) => match !== null)
  if (isTable || (numbered.length === 1 && numbered[0] !== null)) {
    const rows = numbered.flatMap((match) =>
      match === null ? [] : [[Number(match[1]), unquoted(match[2] ?? '')] as const],
    )
    return inOrder(rows, where)
  }
  return lines.map((line, i) => nameOf(unquoted(line), `${where} line ${i + 1}`))
}

function unquoted(cell: string): string {
  return /^".*"$/.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell
}

/** Names by their numbers, none missing and none twice. */
function inOrder(entries: readonly Numbered[], where: string): string[] {
  const names = new Map<number, string>()
  for (const [index, name] of entries) {
    if (names.has(index)) throw dataError(where, `names class ${index} twice`)
    names.set(index, nameOf(name, `${where}: class ${index}`))
  }
  const first = names.has(0) ? 0 : 1
  return entries.map((_, i) => {
    const name = names.get(first + i)
    if (name !== undefined) return name
    throw dataError(where, `has no name for class ${first + i}: there must be one for each, counted from 0 or from 1`)
  })
}
