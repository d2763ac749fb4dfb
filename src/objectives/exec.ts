import { recordFailure } from '../core/answers.ts'
import { askInPieces } from '../core/in-parallel.ts'
import { choice, count, noted, option, optional, positive, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { poolOf } from '../core/pool.ts'
import { listOf, mapped, recordOf, text, that, union, wholeFrom } from '../core/schema.ts'
import type { Answers, ClosableObjective, Queries } from '../core/types.ts'
import { shownReply } from '../remote/exact-json.ts'
import { hideSecret, looksSecret, referenceOptions, type SecretSource } from '../remote/secret.ts'
import { urlObject } from '../remote/url.ts'
import { closable } from './closable.ts'
import { type Asker, type Reply, requestOf } from './exec/message.ts'
import { oneShotAsker } from './exec/one-shot.ts'
import { persistentAsker } from './exec/persistent.ts'
import { openProgram, type Program, truncated } from './exec/program.ts'
import { checkNames, namesOption } from './named-points.ts'

const plain = that(text, (value) => !value.includes('\0'), 'must not hold a zero byte')
const filled = that(plain, (value) => value !== '', 'must not be empty')

const command = that(listOf(plain, 1), ([file]) => file !== '', 'must not be empty', [0])

/** A program in any language, asked by lines of JSON on its standard input. */
export const execObjective = definePart({
  kind: 'objective',
  name: 'exec',
  summary: 'A program in any language that reads points from its standard input and writes values.',
  options: table({
    dim: count('number of variables'),
    names: namesOption('requests hold the point as an object, "variables", too'),
    command: option(
      command,
      `the program and its arguments; there is no shell. \${NAME} is replaced by the environment variable when it starts, so that no secret is stored`,
    ),
    cwd: noted(
      optional(
        union(filled, urlObject),
        'the folder it is started in; the current one if left out, in a spec the folder of the spec',
      ),
      { path: 'folder' },
    ),
    env: noted(
      option(
        mapped(
          that(
            recordOf(union(plain, ...referenceOptions)),
            (env) => !Object.hasOwn(env, ''),
            'must not hold an empty name',
          ),
          (env) => withoutSecrets(env),
        ),
        'added to its environment: texts, or { env } and { file } that say where a secret is',
        {},
      ),
      { secret: true },
    ),
    mode: choice(['persistent', 'one-shot'], 'whether a process answers many queries or one', 'persistent'),
    processes: option(wholeFrom(1, 1024), 'processes at work at once', 1),
    timeout: positive('milliseconds in which a query must be answered', 60_000),
    maxLineBytes: count('bytes of a line of output at most', 1_000_000),
  }),
  examples: (dim) => [
    { dim, command: [process.execPath, '-e', sumOfSquares] },
    { dim, command: [process.execPath, '-e', sumOfSquares], mode: 'one-shot', processes: 2 },
  ],
  make: ({ dim, names, mode, processes, ...rest }): ClosableObjective => {
    checkNames('exec', names, dim)
    const program = openProgram(rest)
    const makeAsker = mode === 'persistent' ? persistentAsker : oneShotAsker
    const askers = Array.from({ length: processes }, () => makeAsker(program))
    const { lend } = poolOf(askers)
    const x = new Float64Array(dim)
    let lastId = 0

    const answer = async (asker: Asker, queries: Queries, row: number, into: Answers, signal: AbortSignal) => {
      try {
        signal.throwIfAborted()
        const request = requestOf(++lastId, queries, row, x, names)
        record(await asker.ask(request, signal), into, row, program)
      } catch (error) {
        recordFailure(into, row, error)
      }
    }

    const evaluate = (queries: Queries, into: Answers, stop: AbortController): Promise<void> =>
      askInPieces({ rows: queries.rows, size: 1, width: processes, stop }, into, ({ first: row }) =>
        lend((asker) => answer(asker, queries, row, into, stop.signal)),
      )

    const release = async (): Promise<void> => {
      await Promise.all(askers.map((asker) => asker.close()))
    }

    return { dim, ...closable(evaluate, release) }
  },
})

/** Longest error of a program that is kept as it is. */
const longestError = 1000

function record(reply: Reply, into: Answers, row: number, program: Program): void {
  if (typeof reply.value === 'number') into.values[row] = reply.value
  else recordFailure(into, row, program.failure(truncated(program.redact(oddity(reply)), longestError)))
}

/** What is wrong with a reply that is no number. */
function oddity({ value, error, instead }: Reply): string {
  if (error !== undefined) return `answered with an error: ${error}`
  if (instead !== undefined) return `answered without the field value: its reply is ${instead}`
  return `answered with the value ${shownReply(value)} instead of a number`
}

/** Settings whose names tell that they are secrets, put out of sight. */
function withoutSecrets(settings: Readonly<Record<string, SecretSource>>): Record<string, SecretSource> {
  const isSecret = (name: string, value: SecretSource): value is string =>
    typeof value === 'string' && looksSecret(name, value)
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, isSecret(name, value) ? hideSecret(value) : value]),
  )
}

/** What the conformance suite asks: it answers one request or many. */
const sumOfSquares = `
  require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, x } = JSON.parse(line)
    console.log(JSON.stringify({ id, value: x.reduce((sum, v) => sum + v * v, 0) }))
  })`
