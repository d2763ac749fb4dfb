import { type ErrorCode, ZerothError } from '../../optimizer/core/errors.ts'
import { Issue, type Output, parseOptions, type Table } from '../../optimizer/core/options.ts'

/** Says where in the text a path of a spec stands, as the beginning of a message: `run.yaml:3:5: `. */
export type Locate = (path: readonly PropertyKey[]) => string

/** A place in a spec. */
export interface Place {
  readonly path: readonly PropertyKey[]
  readonly locate: Locate
}

/** Messages are for one line of a terminal. */
const longestMessage = 2000

/** The whole spec. */
export function wholeSpec(locate: Locate = () => ''): Place {
  return { path: [], locate }
}

/** A place below another one. */
export function below(place: Place, ...keys: readonly PropertyKey[]): Place {
  return { path: [...place.path, ...keys], locate: place.locate }
}

/** A place in words: `spec.solver.estimator`. */
export function shownPlace({ path }: Place): string {
  return ['spec', ...path.map(shownKey)].join('.')
}

/** An error about a place; `text` follows the place's name, and stays on one line whatever it quotes. */
export function failAt(place: Place, text: string, code: ErrorCode = 'invalid-option', cause?: unknown): ZerothError {
  return locatedError(place, `${shownPlace(place)}${text}`, code, cause)
}

/** As `parseOptions`, with errors that say where in the spec. */
export function parseAt<Schema extends Table>(place: Place, schema: Schema, given: unknown): Output<Schema> {
  try {
    return parseOptions(shownPlace(place), schema, given)
  } catch (error) {
    if (!(error instanceof ZerothError)) throw error
    const message = error.message.replace(/(is required \(.*\)), got undefined$/, '$1')
    throw locatedError(below(place, ...pathOfIssue(schema, given)), message, error.code)
  }
}

/** What `work` returns; its errors are about this place. */
export function within<T>(place: Place, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const code = error instanceof ZerothError ? error.code : 'invalid-option'
    throw failAt(place, `: ${message}`, code, error)
  }
}

function locatedError(place: Place, message: string, code: ErrorCode, cause?: unknown): ZerothError {
  const text = oneLine(`${place.locate(place.path)}${message}`)
  return new ZerothError(code, text, cause === undefined ? {} : { cause })
}

/** A text without line breaks and other invisible characters, of bearable length. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get through.
  const line = text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ')
  return line.length > longestMessage ? `${line.slice(0, longestMessage)}...` : line
}

/** Which option a schema complains about first. */
function pathOfIssue(schema: Table, given: unknown): readonly PropertyKey[] {
  const found = schema.read(given)
  if (!(found instanceof Issue)) return []
  return found.unknown === undefined ? found.path : [...found.path, found.unknown.key]
}

function shownKey(key: PropertyKey): string {
  const text = String(key)
  return text.length > 60 ? `${text.slice(0, 60)}...` : text
}
