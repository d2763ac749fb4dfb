import { askInPieces, originalRow, recordFailure } from '../../optimizer/core/answers.ts'
import { ZerothError } from '../../optimizer/core/errors.ts'
import { exactJson, exactNumber, numberOf, shownReply } from '../../optimizer/core/exact-json.ts'
import {
  count,
  flag,
  join,
  json,
  type Output,
  oneOf,
  optional,
  table,
  withDefault,
} from '../../optimizer/core/options.ts'
import { definePart } from '../../optimizer/core/part.ts'
import type { Answers, ClosableObjective, Queries } from '../../optimizer/core/types.ts'
import { variablesOption } from '../../optimizer/core/variables.ts'
import { closable } from '../../optimizer/objectives/closable.ts'
import { checkVariables } from '../../optimizer/objectives/function.ts'
import { type Endpoint, type EndpointRequest, endpoint, endpointOptions } from '../../optimizer/remote/endpoint.ts'
import {
  type ReplyPath,
  type RequestTemplate,
  replyPathOption,
  replyValue,
  requestTemplate,
  shownPath,
} from '../../optimizer/remote/json-service.ts'

const placesOfPoint = ['$x', '$variables', '$sample', '$iteration', '$row']
const placesOfBatch = ['$points', '$variables', '$samples', '$iteration', '$rows']

const options = join(
  table({
    /** Number of variables. */
    dim: count,
    /** The variables by name; those of the spec if left out there: "$variables" in the body is an object of them, batched a list of these. */
    variables: optional(variablesOption),
  }),
  endpointOptions,
  table({
    /** Method of the requests. Default 'POST'. */
    method: withDefault(oneOf('POST', 'PUT', 'PATCH'), 'POST'),
    /**
     * JSON of a request, in which the strings "$x", "$variables", "$sample", "$iteration" and "$row" are filled in;
     * batched: "$points", "$variables", "$samples", "$iteration", "$rows". {"x": "$x"} or, batched, {"points": "$points"}
     * if left out, with "variables": "$variables" where they have names.
     */
    body: optional(json),
    /**
     * Where the number is in the reply, batched the list of numbers: "a.b.0", or a list of keys, or "" for the reply
     * itself. "value" or, batched, "values" if left out.
     */
    value: optional(replyPathOption),
    /** A request holds many points and its reply one number for each. Default false. */
    batched: withDefault(flag, false),
    /** Points per request at most; all rows of an iteration if left out. At least 1. */
    batchSize: optional(count),
    /** Requests under way at once. */
    concurrency: withDefault(count, 4),
  }),
)

/** A service that answers points with numbers, both in JSON. */
export const httpObjective = definePart({
  kind: 'objective',
  name: 'http',
  summary: 'A web service: points go out as JSON, the number is read from the JSON that comes back.',
  options,
  examples: (dim) => [
    { dim, url: 'http://127.0.0.1:8080/' },
    { dim, url: 'http://127.0.0.1:8080/', batched: true, batchSize: 3 },
  ],
  make(given): ClosableObjective {
    const { dim, variables, batched, batchSize, concurrency } = given
    checkVariables('http', variables, dim)
    if (!batched && batchSize !== undefined) {
      throw new ZerothError('invalid-option', 'http.batchSize does nothing without batched: true')
    }
    const service = endpoint(given, 'http')
    const template = templateOf(given)
    const ask: Ask = { service, method: given.method, path: given.value ?? (batched ? 'values' : 'value') }
    const evaluate = (queries: Queries, into: Answers, stop: AbortController): Promise<void> => {
      const size = batched ? (batchSize ?? queries.rows) : 1
      return askInPieces({ rows: queries.rows, size, width: concurrency, stop }, into, ({ first, count }) => {
        const rows = Array.from({ length: count }, (_, i) => first + i)
        const body = (): string => template.text(filler(queries, rows, given))
        return answerRows(ask, body, rows, batched, into, stop.signal)
      })
    }
    return { dim, ...closable(evaluate, () => undefined) }
  },
})

interface Ask {
  readonly service: Endpoint
  readonly method: string
  readonly path: ReplyPath
}

function templateOf({ body, batched, variables }: Output<typeof options>): RequestTemplate {
  const needed = batched ? '$points' : '$x'
  const known = (batched ? placesOfBatch : placesOfPoint).filter(
    (place) => place !== '$variables' || variables !== undefined,
  )
  const standard = { [needed.slice(1)]: needed, ...(variables === undefined ? {} : { variables: '$variables' }) }
  const template = requestTemplate(body ?? standard, known, 'http.body')
  if (template.places.has(needed) || template.places.has('$variables')) return template
  throw new ZerothError(
    'invalid-option',
    `http.body must hold the string "${needed}": without it, requests do not say where to evaluate`,
  )
}

/** What stands for a place in the request for these rows; without a batch there is one. */
function filler(
  queries: Queries,
  rows: readonly number[],
  { dim, variables, batched }: Output<typeof options>,
): (place: string) => string {
  const point = new Float64Array(dim)
  const pointText = (row: number): string => {
    queries.write(row, point)
    return exactJson(point)
  }
  const namedText = (row: number): string => {
    queries.write(row, point)
    return variables?.json(point, exactNumber) ?? ''
  }
  const each = (text: (row: number) => string): string => rows.map(text).join(',')
  const texts: Readonly<Record<string, () => string>> = {
    $x: () => each(pointText),
    $sample: () => each((row) => exactNumber(queries.sample(row))),
    $row: () => each((row) => exactNumber(originalRow(queries, row))),
    $variables: () => (batched ? `[${each(namedText)}]` : each(namedText)),
    $points: () => `[${each(pointText)}]`,
    $samples: () => `[${each((row) => exactNumber(queries.sample(row)))}]`,
    $rows: () => `[${each((row) => exactNumber(originalRow(queries, row)))}]`,
    $iteration: () => exactNumber(queries.key.iteration),
  }
  return (place) => (texts[place] as () => string)()
}

/** Asks for some rows and records what comes back: a number, or why there is none. */
async function answerRows(
  ask: Ask,
  body: () => string,
  rows: readonly number[],
  batched: boolean,
  into: Answers,
  signal: AbortSignal,
): Promise<void> {
  try {
    signal.throwIfAborted()
    const request = { method: ask.method, body: body(), contentType: 'application/json', signal }
    const { bytes } = await ask.service.call(request)
    const values = batched
      ? listIn(ask, request, bytes, rows.length)
      : [replyValue(ask.service, request, bytes, ask.path)]
    rows.forEach((row, i) => {
      const number = numberOf(values[i])
      if (number !== undefined) into.values[row] = number
      else recordFailure(into, row, notANumber(ask, request, values[i], batched ? i : undefined))
    })
  } catch (error) {
    for (const row of rows) recordFailure(into, row, error)
  }
}

function listIn(ask: Ask, request: EndpointRequest, bytes: Uint8Array, count: number): readonly unknown[] {
  const list = replyValue(ask.service, request, bytes, ask.path)
  if (Array.isArray(list) && list.length === count) return list
  const found = `has ${shownReply(list)} at ${shownPath(ask.path)}; a list of ${count} numbers is needed`
  throw odd(ask, request, found)
}

function notANumber(ask: Ask, request: EndpointRequest, value: unknown, entry: number | undefined): ZerothError {
  const where = entry === undefined ? shownPath(ask.path) : `entry ${entry} of ${shownPath(ask.path)}`
  return odd(ask, request, `has ${shownReply(value)} at ${where} instead of a number`)
}

function odd({ service }: Ask, request: EndpointRequest, what: string): ZerothError {
  return service.error(request, `answered, but the reply ${what}`, { retryable: false })
}
