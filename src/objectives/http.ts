import { recordFailure } from '../core/answers.ts'
import { ZerothError } from '../core/errors.ts'
import { askInPieces } from '../core/in-parallel.ts'
import type { Output } from '../core/option-type.ts'
import { choice, count, flag, optional, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { json } from '../core/schema.ts'
import { originalRow } from '../core/some-rows.ts'
import type { Answers, ClosableObjective, Queries } from '../core/types.ts'
import { type Endpoint, type EndpointRequest, endpoint, endpointOptions } from '../remote/endpoint.ts'
import { exactJson, numberJson, numberOf, shownReply } from '../remote/exact-json.ts'
import {
  type ReplyPath,
  type RequestTemplate,
  replyPathOption,
  replyValue,
  requestTemplate,
  shownPath,
} from '../remote/json-service.ts'
import { closable } from './closable.ts'
import { checkNames, namesOption } from './named-points.ts'

const placesOfPoint = ['$x', '$variables', '$sample', '$iteration', '$row']
const placesOfBatch = ['$points', '$variables', '$samples', '$iteration', '$rows']

const options = table({
  dim: count('number of variables'),
  names: namesOption('"$variables" in the body is an object of them, batched a list of these'),
  ...endpointOptions,
  method: choice(['POST', 'PUT', 'PATCH'], 'method of the requests', 'POST'),
  body: optional(
    json,
    'JSON of a request, in which the strings "$x", "$variables", "$sample", "$iteration" and "$row" are filled in; batched: ' +
      '"$points", "$variables", "$samples", "$iteration", "$rows". {"x": "$x"} or, batched, {"points": "$points"} if left ' +
      'out, with "variables": "$variables" where there are names',
  ),
  value: optional(
    replyPathOption,
    'where the number is in the reply, batched the list of numbers: "a.b.0", or a list of keys, or "" for the reply ' +
      'itself. "value" or, batched, "values" if left out',
  ),
  batched: flag('a request holds many points and its reply one number for each', false),
  batchSize: optional(count('points per request at most; all rows of an iteration if left out')),
  concurrency: count('requests under way at once', 4),
})

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
    const { dim, names, batched, batchSize, concurrency } = given
    checkNames('http', names, dim)
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

function templateOf({ body, batched, names }: Output<typeof options>): RequestTemplate {
  const needed = batched ? '$points' : '$x'
  const known = (batched ? placesOfBatch : placesOfPoint).filter(
    (place) => place !== '$variables' || names !== undefined,
  )
  const standard = { [needed.slice(1)]: needed, ...(names === undefined ? {} : { variables: '$variables' }) }
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
  { dim, names = [], batched }: Output<typeof options>,
): (place: string) => string {
  const point = new Float64Array(dim)
  const pointText = (row: number): string => {
    queries.write(row, point)
    return exactJson(point)
  }
  const namedText = (row: number): string => {
    queries.write(row, point)
    return `{${names.map((name, i) => `${JSON.stringify(name)}:${numberJson(point[i] as number)}`).join(',')}}`
  }
  const each = (text: (row: number) => string): string => rows.map(text).join(',')
  const texts: Readonly<Record<string, () => string>> = {
    $x: () => each(pointText),
    $sample: () => each((row) => numberJson(queries.sample(row))),
    $row: () => each((row) => numberJson(originalRow(queries, row))),
    $variables: () => (batched ? `[${each(namedText)}]` : each(namedText)),
    $points: () => `[${each(pointText)}]`,
    $samples: () => `[${each((row) => numberJson(queries.sample(row)))}]`,
    $rows: () => `[${each((row) => numberJson(originalRow(queries, row)))}]`,
    $iteration: () => numberJson(queries.key.iteration),
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
