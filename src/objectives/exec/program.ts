import { existsSync } from 'node:fs'
import { ZerothError } from '../../core/errors.ts'
import { redactor } from '../../remote/redactor.ts'
import { resolveSecret } from '../../remote/secret.ts'

/** A setting of the environment: a text, or where the secret is to be found. */
export type Setting = string | { readonly env: string } | { readonly file: string }

/** What is started, and how it is spoken of. */
export interface Program {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly timeout: number
  readonly maxLineBytes: number
  /** Takes secrets out of a text that somebody will read. */
  redact(text: string): string
  /** A query that brought no answer, as an error: what the program did, and the last lines of its stderr. */
  failure(what: string, lastWords?: readonly string[]): ZerothError
}

/** The options a program is made of. */
export interface ProgramOptions {
  readonly command: readonly string[]
  readonly cwd?: string | undefined
  readonly env: Readonly<Record<string, Setting>>
  readonly timeout: number
  readonly maxLineBytes: number
}

/** A plain setting of at least this length is kept out of messages, too: somebody may have put a token there. */
const suspicious = 8

/** What Node writes below the message of an error: where it was thrown, and its own version. */
const uninteresting = /^(at .*|Node\.js v[\d.]+|\^+)$/

/** Looks up the secrets and checks the folder. */
export function openProgram({ command, cwd, env: settings, timeout, maxLineBytes }: ProgramOptions): Program {
  const [file = '', ...args] = command
  if (cwd !== undefined && !existsSync(cwd)) {
    throw new ZerothError('invalid-option', `exec.cwd: there is no folder ${cwd}`, { retryable: false })
  }
  const given = Object.entries(settings).map(([name, setting]) => {
    return { name, setting, value: resolveSecret(setting, `exec.env.${name}`) }
  })
  const secret = given.filter(({ setting, value }) => typeof setting !== 'string' || value.length >= suspicious)
  // Of a secret of several lines, each line is one: a program's messages reach us line by line.
  const redact = redactor(secret.flatMap(({ value }) => [value, ...value.split(/[\r\n]+/)]))
  const name = shortened(redact(command.join(' ')).replace(/\s+/g, ' '), 80)
  return {
    file,
    args,
    cwd,
    env: { ...process.env, ...Object.fromEntries(given.map((each) => [each.name, each.value])) },
    timeout,
    maxLineBytes,
    redact,
    failure(what, lastWords = []) {
      const telling = lastWords.findLast((line) => !uninteresting.test(line))
      const because = telling === undefined ? '' : `; last line of stderr: ${telling}`
      const cause = lastWords.length === 0 ? undefined : lastWords.join('\n')
      return new ZerothError('query-failed', `exec: ${name} ${what}${because}`, { cause })
    },
  }
}

/** A text cut to a readable length. */
export function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 3)}...` : text
}
