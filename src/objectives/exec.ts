import { z } from 'zod'
import { recordFailure, recordValue } from '../core/answers.ts'
import { countOption } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import type { Asker } from './exec/asker.ts'
import { closable } from './exec/closable.ts'
import { lanes } from './exec/lanes.ts'
import { type Reply, requestOf } from './exec/message.ts'
import { oneShotAsker } from './exec/one-shot.ts'
import { persistentAsker } from './exec/persistent.ts'
import { openProgram, type Program, shortened } from './exec/program.ts'

const text = z.string().refine((value) => !value.includes('\0'), 'must not hold a zero byte')
const filled = text.refine((value) => value !== '', 'must not be empty')

const setting = z.union([
  text,
  z.strictObject({ env: filled.describe('the environment variable that holds it') }),
  z.strictObject({ file: filled.meta({ path: true }).describe('the file that holds it') }),
])

/** A program in any language, asked by lines of JSON on its standard input. */
export const execObjective = definePart({
  kind: 'objective',
  name: 'exec',
  summary: 'A program in any language that reads points from its standard input and writes values.',
  options: z.object({
    dim: countOption.describe('number of variables'),
    command: z
      .array(text)
      .min(1)
      .refine(([file]) => file !== '', { error: 'must not be empty', path: [0] })
      .describe('the program and its arguments; each reaches it as it is, there is no shell'),
    cwd: filled
      .meta({ path: 'folder' })
      .optional()
      .describe('the folder it is started in; the current one if left out, in a spec the folder of the spec'),
    env: z
      .record(filled, setting)
      .default({})
      .describe('added to its environment: texts, or { env } and { file } that say where a secret is'),
    mode: z
      .enum(['persistent', 'one-shot'])
      .default('persistent')
      .describe('whether a process answers many queries or one'),
    processes: countOption.max(1024).default(1).describe('processes at work at once'),
    timeout: z.number().positive().default(60_000).describe('milliseconds in which a query must be answered'),
    maxLineBytes: countOption.default(1_000_000).describe('bytes of a line of output at most'),
  }),
  examples: (dim) => [
    { dim, command: [process.execPath, '-e', sumOfSquares] },
    { dim, command: [process.execPath, '-e', sumOfSquares], mode: 'one-shot', processes: 2 },
  ],
  make: ({ dim, mode, processes, ...rest }): Objective => {
    let known: Program | undefined
    const program = (): Program => (known ??= openProgram(rest))
    const makeAsker = mode === 'persistent' ? persistentAsker : oneShotAsker
    const askers = Array.from({ length: processes }, () => makeAsker(program))
    const lend = lanes(askers)
    const x = new Float64Array(dim)
    let lastId = 0

    const answer = async (asker: Asker, queries: Queries, row: number, into: Answers, signal: AbortSignal) => {
      try {
        signal.throwIfAborted()
        const request = requestOf(++lastId, queries, row, x)
        record(await asker.ask(request, signal), into, row, program())
      } catch (error) {
        recordFailure(into, row, error)
      }
    }

    const evaluate = async (queries: Queries, into: Answers, signal: AbortSignal): Promise<void> => {
      let next = 0
      const work = async (): Promise<void> => {
        while (next < queries.rows) {
          const row = next++
          await lend((asker) => answer(asker, queries, row, into, signal))
        }
      }
      await Promise.all(Array.from({ length: Math.min(processes, queries.rows) }, work))
    }

    const release = async (): Promise<void> => {
      await Promise.all(askers.map((asker) => asker.close()))
      known = undefined
    }

    return { dim, ...closable(evaluate, release) }
  },
})

/** Longest error of a program that is kept as it is. */
const longestError = 1000

function record({ value, error }: Reply, into: Answers, row: number, program: Program): void {
  if (error === undefined) {
    // What is no number is shown to the user.
    recordValue(into, row, typeof value === 'string' ? program.redact(value) : value)
    return
  }
  const said = shortened(program.redact(error), longestError)
  recordFailure(into, row, program.failure(`answered with an error: ${said}`))
}

/** What the conformance suite asks: it answers one request or many. */
const sumOfSquares = `
  require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, x } = JSON.parse(line)
    console.log(JSON.stringify({ id, value: x.reduce((sum, v) => sum + v * v, 0) }))
  })`
