import { askInPieces, recordFailure } from '../../optimizer/core/answers.ts'
import { poolOf } from '../../optimizer/core/async.ts'
import { shownReply } from '../../optimizer/core/exact-json.ts'
import {
  count,
  integerFrom,
  listOf,
  mapped,
  noted,
  oneOf,
  optional,
  positive,
  recordOf,
  refine,
  table,
  text,
  union,
  withDefault,
} from '../../optimizer/core/options.ts'
import { definePart } from '../../optimizer/core/part.ts'
import type { Answers, ClosableObjective, Queries } from '../../optimizer/core/types.ts'
import { variablesOption } from '../../optimizer/core/variables.ts'
import { closable } from '../../optimizer/objectives/closable.ts'
import { checkVariables } from '../../optimizer/objectives/function.ts'
import { hideSecret, looksSecret, referenceOptions, type SecretSource } from '../../optimizer/remote/secret.ts'
import { urlObject } from '../../optimizer/remote/url.ts'
import { type Asker, oneShotAsker, persistentAsker, type Reply, requestOf } from './exec/asker.ts'
import { openProgram, type Program, truncated } from './exec/program.ts'

const plain = refine(text, (value) => !value.includes('\0'), 'must not hold a zero byte')
const filled = refine(plain, (value) => value !== '', 'must not be empty')

const command = refine(listOf(plain, 1), ([file]) => file !== '', 'must not be empty', [0])

/** A program in any language, asked by lines of JSON on its standard input. */
export const execObjective = definePart({
  kind: 'objective',
  name: 'exec',
  summary: 'A program in any language that reads points from its standard input and writes values.',
  options: table({
    /** Number of variables. */
    dim: count,
    /** The variables by name; those of the spec if left out there: requests hold the point as an object, "variables", too. */
    variables: optional(variablesOption),
    /**
     * The program and its arguments; there is no shell. ${NAME} is replaced by the environment variable when it starts,
     * so that no secret is stored.
     */
    command: command,
    /** The folder it is started in; the current one if left out, in a spec the folder of the spec. */
    cwd: noted(optional(union(filled, urlObject)), { path: 'folder' }),
    /** Added to its environment: texts, or { env } and { file } that say where a secret is. Default {}. */
    env: noted(
      withDefault(
        mapped(
          refine(
            recordOf(union(plain, ...referenceOptions)),
            (env) => !Object.hasOwn(env, ''),
            'must not hold an empty name',
          ),
          (env) => withoutSecrets(env),
        ),
        {},
      ),
      { secret: true },
    ),
    /** Whether a process answers many queries or one. Default 'persistent'. */
    mode: withDefault(oneOf('persistent', 'one-shot'), 'persistent'),
    /** Processes at work at once. At least 1 and at most 1024; default 1. */
    processes: withDefault(integerFrom(1, 1024), 1),
    /** Milliseconds in which a query must be answered. Above 0; default 60000. */
    timeout: withDefault(positive, 60_000),
    /** Bytes of a line of output at most. At least 1; default 1000000. */
    maxLineBytes: withDefault(count, 1_000_000),
  }),
  examples: (dim) => [
    { dim, command: [process.execPath, '-e', sumOfSquares] },
    { dim, command: [process.execPath, '-e', sumOfSquares], mode: 'one-shot', processes: 2 },
  ],
  make: ({ dim, variables, mode, processes, ...rest }): ClosableObjective => {
    checkVariables('exec', variables, dim)
    const program = openProgram(rest)
    const makeAsker = mode === 'persistent' ? persistentAsker : oneShotAsker
    const askers = Array.from({ length: processes }, () => makeAsker(program))
    const { lend } = poolOf(askers)
    const x = new Float64Array(dim)
    let lastId = 0

    const answer = async (asker: Asker, queries: Queries, row: number, into: Answers, signal: AbortSignal) => {
      try {
        signal.throwIfAborted()
        const request = requestOf(++lastId, queries, row, x, variables)
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
export function withoutSecrets(settings: Readonly<Record<string, SecretSource>>): Record<string, SecretSource> {
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
