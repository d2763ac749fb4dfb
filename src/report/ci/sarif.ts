import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ImageRecord } from '../../attacks/records.ts'
import { jsonSafe } from '../../core/json-safe.ts'
import { layout } from '../../work/evaluation/attack-files.ts'
import { type Check, type CheckedAttack, demandChecks, type ImageCheck, imageChecks } from './checks.ts'
import { wellFormed } from './well-formed.ts'

const home = 'https://www.npmjs.com/package/zeroth'

/** What SARIF calls rules. */
const rules = {
  'robust-accuracy': 'The robust accuracy is lower than what was demanded, or could not be judged.',
  'adversarial-image': 'The model is fooled by a small change of an image.',
  'unmeasured-image': 'An image could not be measured.',
} as const

type Rule = keyof typeof rules

/**
 * An evaluation as SARIF 2.1.0: a result for each demand that is not met, for each image that is fooled, and for each that
 * could not be measured. Paths are relative to `from` where they lie in it.
 */
export function sarifJson(attack: CheckedAttack, from = process.cwd()): string {
  const demands = demandChecks(attack)
  const place = { attack, from }
  const results = [
    ...demands.filter(isMissed).map((check) => result('robust-accuracy', check, 'error', pathOf(place))),
    ...imageChecks(attack).flatMap((check) => imageResult(check, demands.length > 0, place)),
  ]
  const { zeroth: version, created } = attack.record
  const driver = {
    name: 'zeroth',
    version,
    informationUri: home,
    rules: Object.entries(rules).map(([id, text]) => ({ id, shortDescription: { text }, helpUri: home })),
  }
  const invocations = [{ executionSuccessful: true, startTimeUtc: created }]
  const schema = 'https://json.schemastore.org/sarif-2.1.0.json'
  const runs = [{ tool: { driver }, invocations, columnKind: 'utf16CodeUnits', results }]
  return `${JSON.stringify(jsonSafe({ $schema: schema, version: '2.1.0', runs }), null, 1)}\n`
}

function isMissed({ result: found }: Check): boolean {
  return found === 'failed' || found === 'error'
}

interface Place {
  readonly attack: CheckedAttack
  /** The folder that paths are relative to. */
  readonly from: string
}

function imageResult(check: ImageCheck, isDemanded: boolean, place: Place): object[] {
  const { image } = check
  if (check.result === 'error') return [result('unmeasured-image', check, 'warning', pathOf(place, image))]
  if (image.status !== 'fooled') return []
  return [result('adversarial-image', check, isDemanded ? 'warning' : 'error', pathOf(place, image))]
}

function result(ruleId: Rule, { name, text }: Check, level: 'error' | 'warning', uri: string): object {
  return {
    ruleId,
    ruleIndex: Object.keys(rules).indexOf(ruleId),
    level,
    message: { text: wellFormed(`${name}: ${text}`) },
    locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine: 1 } } }],
    // The same finding of a later evaluation is the same alert.
    partialFingerprints: { 'zeroth/v1': wellFormed(`${ruleId}:${name}`) },
  }
}

/** Where a finding is: the file of an image, its saved picture, or the evaluation itself. */
function pathOf({ attack: { folder, record }, from }: Place, image?: ImageRecord): string {
  const { images } = record.spec
  const { folder: options } = isObject(images) ? images : {}
  const own = isObject(options) && typeof options.folder === 'string' ? options.folder : undefined
  if (image !== undefined && own !== undefined) return uriOf(join(own, image.title), from)
  return uriOf(join(folder, image?.files?.original ?? layout.summary), from)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function uriOf(path: string, from: string): string {
  const way = relative(from, resolve(path))
  const isInside = way !== '' && !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`)
  if (!isInside) return pathToFileURL(path).href
  return way
    .split(sep)
    .map((part) => encodeURIComponent(wellFormed(part)))
    .join('/')
}
