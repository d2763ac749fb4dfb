import process from 'node:process'
import { createInterface } from 'node:readline'
import { Command } from 'commander'
import {
  type Answers,
  createSession,
  decodeCheckpoint,
  encodeCheckpoint,
  type NamedVariables,
  points,
  type Queries,
  type Session,
  ZerothError,
} from '../../../index.ts'
import { show } from '../../../optimizer/core/errors.ts'
import { exactJson, numberOf, parseJson } from '../../../optimizer/core/exact-json.ts'
import { zerothVersion } from '../../provenance/machine.ts'
import { compileAsked, type JsonObject } from '../../spec/index.ts'
import { resultOf } from '../../store/index.ts'
import { output } from '../program.ts'
import { explainError } from '../terminal.ts'

const details = `
Every line on standard input is a request, every line on standard output the
reply to one, in their order: {"id": 1, "method": "create", "spec": {...}} gives
{"id": 1, "result": {...}} or {"id": 1, "error": {"code", "message"}}.
  create  spec (dim, start or variables; no objective), checkpoint: a session
  ask     session: the queries of its next iteration
  tell    session, values: each a number, or {"error": "why"} where it failed
  best    session: the best point so far
  save    session: a checkpoint, for create
  stop    session: ends it, and gives its result
  close   session: forgets it
It ends with its standard input. "zeroth docs python" says more.

Example:
  $ echo '{"id":1,"method":"create","spec":{"dim":2}}' | zeroth serve`

/** `zeroth serve`: ask and tell for programs in other languages, as lines of JSON over standard input and output. */
export function serveCommand(): Command {
  return new Command().addHelpText('after', details).action(async () => {
    const server = makeServer()
    // On a terminal Ctrl-C goes to both: whoever asks may still want to save. Without it, standard input ends.
    process.on('SIGINT', () => undefined)
    for await (const line of createInterface({ input: process.stdin })) {
      if (line.trim() !== '') output.write(`${exactJson(server(line))}\n`)
    }
  })
}

/** A session, and what its points are called. */
interface Served {
  readonly session: Session
  readonly variables: NamedVariables | undefined
  /** When it began. */
  readonly began: number
  asked: Queries | undefined
}

type Request = Readonly<Record<string, unknown>>

/** Answers requests, each a line of JSON. */
export function makeServer(): (line: string) => Record<string, unknown> {
  const sessions = new Map<number, Served>()
  let latest = 0

  const create = ({ spec, checkpoint }: Request): object => {
    const isObject = typeof spec === 'object' && spec !== null && !Array.isArray(spec)
    if (!isObject) throw refused(`create.spec must be an object, got ${show(spec)}`)
    const { start, session: options } = compileAsked(spec as JsonObject)
    const resume = checkpoint === undefined ? undefined : decodeCheckpoint(textOf('create.checkpoint', checkpoint))
    const session = createSession(start, { ...options, resume })
    const served = { session, variables: options.variables, began: performance.now(), asked: undefined }
    sessions.set(++latest, served)
    const names = options.variables === undefined ? {} : { names: options.variables.names }
    return { session: latest, dim: start.length, ...names, zeroth: zerothVersion(), ...stateOf(served) }
  }
  const served = ({ session }: Request): Served => {
    const found = sessions.get(session as number)
    if (found === undefined) throw refused(`there is no session ${show(session)}${listed([...sessions.keys()])}`)
    return found
  }
  const methods: Readonly<Record<string, (request: Request) => object>> = {
    create,
    ask: (request) => ask(served(request)),
    tell: (request) => tell(served(request), request.values),
    best: (request) => bestOf(served(request)),
    save: (request) => ({ checkpoint: encodeCheckpoint(served(request).session.checkpoint()) }),
    stop(request) {
      const found = served(request)
      found.session.stop('aborted')
      return stateOf(found)
    },
    close(request) {
      served(request)
      sessions.delete(request.session as number)
      return {}
    },
  }
  return (line) => {
    let id: unknown = null
    try {
      const request = requestIn(line)
      id = request.id ?? null
      const method = Object.hasOwn(methods, String(request.method)) ? methods[String(request.method)] : undefined
      if (method === undefined) {
        throw refused(`there is no method ${show(request.method)} (known: ${Object.keys(methods).join(', ')})`)
      }
      return { id, result: method(request) }
    } catch (error) {
      const { message, code } = explainError(error)
      return { id, error: { code, message } }
    }
  }
}

function requestIn(line: string): Request {
  let request: unknown
  try {
    request = parseJson(line)
  } catch (error) {
    throw refused(`a request must be one line of JSON (${(error as Error).message})`)
  }
  if (typeof request === 'object' && request !== null && !Array.isArray(request)) return request as Request
  throw refused(`a request must be an object, got ${show(request)}`)
}

function ask(served: Served): object {
  const { session, variables } = served
  served.asked = session.ask()
  return { queries: points(served.asked).map((point) => variables?.named(point) ?? point) }
}

function tell(served: Served, values: unknown): object {
  const { session, asked } = served
  if (asked === undefined) throw new ZerothError('wrong-order', 'tell: nothing was asked')
  if (!Array.isArray(values) || values.length !== asked.rows) {
    const got = Array.isArray(values) ? `a list of ${values.length}` : show(values)
    throw refused(`tell.values must be a list of ${asked.rows}, one for each query, got ${got}`)
  }
  const answers = session.answers()
  for (const [row, value] of values.entries()) answer(answers, row, value)
  session.tell(answers)
  served.asked = undefined
  return stateOf(served)
}

/** One answer: a number, or why there is none. */
function answer(answers: Answers, row: number, value: unknown): void {
  const number = numberOf(value)
  if (number !== undefined) {
    answers.values[row] = number
    return
  }
  const { error } = Object(value) as { error?: unknown }
  if (value !== null && typeof error !== 'string') {
    throw refused(`tell.values[${row}] must be a number, null or { "error": text }, got ${show(value)}`)
  }
  answers.failed[row] = 1
  answers.reasons[row] = typeof error === 'string' ? error : 'there was no answer'
}

/** Whether a session has ended, with its result where it has. */
function stateOf({ session, began }: Served): object {
  const { outcome } = session
  if (outcome === undefined) return { done: false, warnings: session.warnings }
  return { done: true, warnings: session.warnings, result: resultOf(outcome, (performance.now() - began) / 1000) }
}

function bestOf({ session }: Served): object {
  const { point, variables, value } = session.best
  const { iteration = 0, queries = 0 } = session.latest ?? {}
  return { point, variables, value, iterations: iteration, queries }
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw refused(`${name} must be text, got ${show(value)}`)
}

function listed(known: readonly number[]): string {
  return known.length === 0 ? ': none has been created' : ` (there are: ${known.join(', ')})`
}

function refused(message: string): ZerothError {
  return new ZerothError('invalid-option', message)
}
