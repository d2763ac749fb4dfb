import { ZerothError } from '../../optimizer/core/errors.ts'
import { exactNumber, numberOf, shownReply } from '../../optimizer/core/exact-json.ts'
import {
  count,
  flag,
  imageDimensions,
  join,
  json,
  listOf,
  type Output,
  omit,
  oneOf,
  optional,
  table,
  text,
  withDefault,
} from '../../optimizer/core/options.ts'
import { definePart } from '../../optimizer/core/part.ts'
import { type Endpoint, endpoint, endpointOptions } from '../../optimizer/remote/endpoint.ts'
import {
  type RequestTemplate,
  replyPathOption,
  replyValue,
  requestTemplate,
  shownPath,
} from '../../optimizer/remote/json-service.ts'
import type { Model, ModelSource } from './model.ts'
import { type Compute, networkModel, placeData, remotePlace } from './network-model.ts'
import {
  checkScores,
  completePreprocessing,
  imageSize,
  labelsNotice,
  type NetworkInput,
  preprocessingOption,
} from './preprocessing.ts'

const options = join(
  endpointOptions,
  table({
    /** Size of an image. */
    shape: imageDimensions,
    /** How many classes there are, dummy ones not counted. At least 1. */
    classes: count,
    /** What the service wants its images to be like. Default {}. */
    preprocessing: withDefault(omit(preprocessingOption, 'shape', 'classes'), {}),
    /** Method of the requests. Default 'POST'. */
    method: withDefault(oneOf('POST', 'PUT', 'PATCH'), 'POST'),
    /**
     * JSON of a request, in which the string "$image" (batched: "$images") stands for the image as lists in lists,
     * "$pixels" for all its values in one list. {"image": "$image"} or, batched, {"images": "$images"} if left out.
     */
    body: optional(json),
    /**
     * Where the list of scores is in the reply, batched the list of such lists: "a.b.0", a list of keys, or "". Default
     * 'scores'.
     */
    scoresPath: withDefault(replyPathOption, 'scores'),
    /**
     * Where the class is in the reply of a service that answers with a class and no scores, batched the list of classes;
     * takes the place of scoresPath.
     */
    classPath: optional(replyPathOption),
    /** What the service calls its classes, in the order of their numbers, where it answers with a name. */
    classNames: optional(listOf(text, 1)),
    /** A request holds many images and its reply as many lists of scores. Default false. */
    batched: withDefault(flag, false),
    /** Images per request at most, where they are batched. At least 1; default 16. */
    batch: withDefault(count, 16),
    /** Requests under way at once. */
    concurrency: withDefault(count, 4),
  }),
)

type Options = Output<typeof options>

/** A web service that answers images with scores, both in JSON, as a classifier. */
export const httpModel = definePart({
  kind: 'model',
  name: 'http-classifier',
  summary: 'A web service: images go out as JSON, scores are read from the JSON that comes back.',
  options,
  examples: () => [
    { url: 'http://127.0.0.1:8080/', shape: { channels: 1, height: 28, width: 28 }, classes: 10 },
    { url: 'http://127.0.0.1:8080/', shape: { channels: 3, height: 8, width: 8 }, classes: 4, batched: true },
  ],
  make: (given): ModelSource => {
    const template = templateOf(given)
    return { open: async () => modelOf(given, template) }
  },
})

function templateOf({ body, batched }: Options): RequestTemplate {
  const images = batched ? '$images' : '$image'
  const known = [images, '$pixels']
  const fallback = batched ? { images } : { image: images }
  const template = requestTemplate(body ?? fallback, known, 'http-classifier.body')
  if (template.places.size > 0) return template
  throw new ZerothError(
    'invalid-option',
    `http-classifier.body must hold ${known.map((each) => `"${each}"`).join(' or ')}`,
  )
}

function modelOf(given: Options, template: RequestTemplate): Model {
  const { shape, batched, preprocessing: said, classes } = given
  const { layout = 'NCHW', labelOffset = 0 } = said
  const service = endpoint(given, 'http-classifier')
  const inner =
    layout === 'NCHW' ? [shape.channels, shape.height, shape.width] : [shape.height, shape.width, shape.channels]
  const images: NetworkInput = {
    shape,
    layout,
    fixedBatch: undefined,
    sides: (count) => (batched ? [count, ...inner] : inner),
  }
  checkScores(classes + labelOffset, { labelOffset }, `http-classifier at ${service.shown}`)
  const isClass = given.classPath !== undefined
  const kind = isClass ? ({ scores: 'labels' } as const) : {}
  const preprocessing = completePreprocessing({ ...said, ...kind }, { ...images, type: 'float64' }, 'http-classifier')
  const outputs = isClass ? 1 : classes + labelOffset
  const batch = batched ? given.batch : 1
  const places = Array.from({ length: given.concurrency }, () => {
    const data = placeData({ name: service.shown, type: 'float64', images, batch })
    const compute: Compute = async (count, signal) => {
      const flat = batched ? [count, imageSize(shape)] : [imageSize(shape)]
      const body = template.text((place) => nestedJson(data, place === '$pixels' ? flat : images.sides(count)))
      return ask(service, given, body, count, signal)
    }
    return remotePlace(images, data, compute)
  })
  return networkModel({
    name: service.shown,
    preprocessing,
    type: 'float64',
    outputs,
    classes,
    batch,
    runtime: `a service at ${service.shown}`,
    warnings: preprocessing.scores === 'labels' ? [labelsNotice] : [],
    places,
    interrupt: service.close,
    release: async () => undefined,
  })
}

/** Sends a request and reads the scores, or the classes, out of the reply. */
async function ask(
  service: Endpoint,
  { method, scoresPath, classPath, classNames, batched, classes, preprocessing: { labelOffset = 0 } }: Options,
  body: string,
  count: number,
  signal: AbortSignal | undefined,
): Promise<number[]> {
  const request = { method, body, contentType: 'application/json', signal }
  const odd: Odd = (what) => service.error(request, `answered, but ${what}`, { retryable: false })
  const { bytes } = await service.call(request)
  const path = classPath ?? scoresPath
  const found = replyValue(service, request, bytes, path)
  const rows = batched ? found : [found]
  if (!Array.isArray(rows) || rows.length !== count) {
    const wanted = classPath === undefined ? 'lists of scores' : 'classes'
    throw odd(`${shownPath(path)} is ${shownReply(rows)}; a list of ${count} ${wanted} is needed`)
  }
  if (classPath !== undefined) return rows.map((row) => classOf(row, { classNames, labelOffset }, shownPath(path), odd))
  return rows.flatMap((row) => scoresOf(row, classes + labelOffset, shownPath(path), odd))
}

type Odd = (what: string) => ZerothError

function classOf(
  row: unknown,
  { classNames, labelOffset }: { readonly classNames: readonly string[] | undefined; readonly labelOffset: number },
  where: string,
  odd: Odd,
): number {
  const found = numberOf(row)
  if (found !== undefined && Number.isInteger(found)) return found
  const named = classNames?.indexOf(String(row)) ?? -1
  if (named >= 0) return named + labelOffset
  const needed =
    classNames === undefined
      ? 'the number of a class is needed, or classNames (--class-names) that say which it is'
      : `it is none of the ${classNames.length} classNames`
  throw odd(`${where} holds ${shownReply(row)}; ${needed}`)
}

function scoresOf(row: unknown, wanted: number, where: string, odd: Odd): number[] {
  if (!Array.isArray(row) || row.length !== wanted) {
    throw odd(`${where} holds ${shownReply(row)}; a list of ${wanted} scores is needed`)
  }
  return row.map((each) => {
    const score = numberOf(each)
    if (score === undefined) throw odd(`${where} holds ${shownReply(each)} where a score should be`)
    return score
  })
}

/** Numbers as JSON lists in lists, as long as the sides say. */
function nestedJson(data: ArrayLike<number>, sides: readonly number[], offset = 0): string {
  const [length = 0, ...inner] = sides
  const size = inner.reduce((product, side) => product * side, 1)
  const entry = (index: number): string => {
    const start = offset + index * size
    return inner.length === 0 ? exactNumber(data[start] as number) : nestedJson(data, inner, start)
  }
  return `[${Array.from({ length }, (_, index) => entry(index)).join(',')}]`
}
