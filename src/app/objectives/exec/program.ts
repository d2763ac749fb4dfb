import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type ErrorCode, ZerothError } from '../../../optimizer/core/errors.ts'
import { redactor, resolveSecret, type SecretSource } from '../../../optimizer/remote/secret.ts'

/** What is known about a query that brought no answer. */
export interface FailureDetails {
  /** The last lines of the program's standard error output. */
  readonly stderrTail?: readonly string[]
  /** Another code than that of a failed query, where no query can ever be answered. */
  readonly code?: ErrorCode
  readonly retryable?: boolean
  readonly timedOut?: boolean
}

/** What is started, and how it is spoken of. */
export interface Program {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string | undefined
  /** Added to the environment of this program. */
  readonly env: Readonly<Record<string, string>>
  readonly timeout: number
  readonly maxLineBytes: number
  /** A word with the environment variables that it refers to, as the command has them. */
  expand(word: string): string
  /** Takes secrets out of a text that somebody will read. */
  redact(text: string): string
  /** A query that brought no answer, as an error: what the program did, and the last it said. */
  failure(what: string, details?: FailureDetails): ZerothError
}

/** The options of a program. */
export interface ProgramOptions {
  readonly command: readonly string[]
  readonly cwd?: string | undefined
  readonly env: Readonly<Record<string, SecretSource>>
  readonly timeout: number
  readonly maxLineBytes: number
  /** The part that starts it, as errors name it: `exec` if left out. */
  readonly part?: string | undefined
}

/** What Node writes below the message of an error: where it was thrown, and its own version. */
const uninteresting = /^(at .*|Node\.js v[\d.]+|\^+)$/

/** Stands for an environment variable inside an argument. */
const reference = /\$\{([A-Z_][A-Z0-9_]*)\}/g

/** Looks up the secrets and checks the folder. */
export function openProgram({ part = 'exec', ...options }: ProgramOptions): Program {
  const { command, cwd, env: settings, timeout, maxLineBytes } = options
  const referred = new Map<string, string>()
  const expand = (word: string): string =>
    word.replace(reference, (_, name: string) => {
      const value = referred.get(name) ?? resolveSecret({ env: name }, `${part}.command`)
      referred.set(name, value)
      return value
    })
  const [file = '', ...args] = command.map(expand)
  const folder = cwd === undefined ? undefined : folderOf(cwd, part)
  const given = Object.entries(settings).map(([name, setting]) => {
    const value = resolveSecret(setting, `${part}.env.${name}`)
    if (value.includes('\0')) throw new ZerothError('invalid-option', `${part}.env.${name} must not hold a zero byte`)
    return { name, setting, value }
  })
  // Settings that do not look like secrets are texts; all others are hidden or somewhere else.
  const secret = given.filter(({ setting }) => typeof setting !== 'string')
  // Of a secret of several lines, each line is one: a program's messages reach us line by line.
  const hidden = [...secret.map(({ value }) => value), ...referred.values()]
  const redact = redactor(hidden.flatMap((value) => [value, ...value.split(/[\r\n]+/)]))
  const name = truncated(redact(command.join(' ')).replace(/\s+/g, ' '), 80)
  return {
    file,
    args,
    cwd: folder,
    env: Object.fromEntries(given.map((each) => [each.name, each.value])),
    timeout,
    maxLineBytes,
    expand,
    redact,
    failure(what, { stderrTail = [], code = 'query-failed', ...details } = {}) {
      const telling = stderrTail.findLast((line) => !uninteresting.test(line))
      const because = telling === undefined ? '' : `; last line of stderr: ${telling}`
      const cause = stderrTail.length === 0 ? undefined : stderrTail.join('\n')
      return new ZerothError(code, `${part}: ${name} ${what}${because}`, { cause, ...details })
    },
  }
}

function folderOf(cwd: string, part: string): string {
  const folder = cwd.startsWith('file:') ? fileURLToPath(cwd) : cwd
  if (existsSync(folder) && statSync(folder).isDirectory()) return folder
  throw new ZerothError('invalid-option', `${part}.cwd: there is no folder ${folder}`)
}

/** A text cut at its end to a readable length. */
export function truncated(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 3)}...` : text
}
