import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { jsonSafe } from '../../optimizer/core/exact-json.ts'
import { isObject } from '../../optimizer/core/options.ts'
import {
  type BaselineComparison,
  changeIn,
  type ImageRecord,
  isUnmeasured,
  type LimitComparison,
} from '../../robustness/records.ts'
import { layout } from '../jobs/evaluation/attack-files.ts'
import { type Judgement, judgementsOf, type StoredAttack, voidReason } from '../jobs/evaluation/status.ts'
import type { JsonObject } from '../spec/index.ts'
import { classAfter, classText } from './attack/attack-run.ts'
import { comparisonSentence, limitName, limitsText, modelText } from './attack/settings.ts'
import { counted, countText, distanceText, intervalText, percentText } from './number-text.ts'

/** An evaluation, and how it compares with its baseline if one was given. */
export interface CheckedAttack extends StoredAttack {
  readonly comparison?: BaselineComparison | undefined
}

/** Something that passes or does not: a demand on the robust accuracy, or an image. */
export interface Check {
  readonly name: string
  readonly result: 'passed' | 'failed' | 'error' | 'skipped'
  /** What was found, in a sentence. */
  readonly text: string
}

/** The check of an image. */
export interface ImageCheck extends Check {
  readonly image: ImageRecord
}

/** What was demanded of the robust accuracy, by --fail-under and by a baseline. */
function demandChecks({ record, report, comparison }: CheckedAttack): Check[] {
  const judged = judgementsOf(record.spec, report).map(judgementCheck)
  const voided = voidReason(report)
  const checks = [...judged, ...(comparison?.limits ?? []).map((limit) => comparisonCheck(limit, comparison))]
  return voided === undefined ? checks : [voidCheck(voided), ...checks]
}

/** A result that must not be used is said, whatever was demanded. */
function voidCheck(why: string): Check {
  return { name: 'the model is the same throughout', result: 'error', text: `the result is void: ${why}` }
}

const results = { met: 'passed', below: 'failed', worse: 'failed', unjudged: 'error' } as const

function judgementCheck({ verdict, robustAccuracy, limit }: Judgement): Check {
  const within = limit === undefined ? '' : ` within ${limitName(limit)}`
  const required = percentText(verdict.failUnder)
  const why = verdict.kind === 'unjudged' ? `: ${verdict.why}` : ''
  const found = { met: 'is not below', below: 'is below', unjudged: 'cannot be held against' }[verdict.kind]
  return {
    name: `robust accuracy${within} of at least ${required}`,
    result: results[verdict.kind],
    text: `robust accuracy ${percentText(robustAccuracy)}${within} ${found} the required ${required}${why}`,
  }
}

function comparisonCheck(limit: LimitComparison, comparison: BaselineComparison | undefined): Check {
  const within = limitName(limit) === '' ? '' : ` within ${limitName(limit)}`
  const { regressions } = limit
  const names = regressions.slice(0, mostNamed).map(({ title }) => title)
  const more = regressions.length - names.length
  const list = names.length === 0 ? '' : `; no longer robust: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return {
    name: `robust accuracy${within} no worse than the baseline`,
    result: results[limit.kind],
    text: `${comparisonSentence(limit, comparison?.images)}${list}`,
  }
}

const mostNamed = 10

/**
 * The images. If something is demanded, that decides, and an image may be fooled; if nothing is, an image that is
 * fooled has failed.
 */
function imageChecks(attack: CheckedAttack): ImageCheck[] {
  const isDemanded = demandChecks(attack).length > 0
  const names = attack.record.images.classNames
  return attack.report.images.map((image) => {
    const { status, reason } = image
    const text =
      status === 'fooled' ? fooledText(image, names) : (reason ?? `withstood ${countText(image.queries)} queries`)
    const result =
      status === 'robust'
        ? 'passed'
        : status === 'skipped'
          ? 'skipped'
          : status !== 'fooled'
            ? 'error'
            : isDemanded
              ? 'passed'
              : 'failed'
    return { name: image.title, result, text: status === 'robust' ? text : `${status}: ${text}`, image }
  })
}

/** What an image that was fooled is taken for, after how many queries, and how far it was changed. */
function fooledText(image: ImageRecord, names: readonly string[] | undefined): string {
  const change = changeIn(image)
  const distances = change === null ? '' : `, l2 ${distanceText(change.l2)}, linf ${distanceText(change.linf)}`
  const effort = image.first === null ? '' : ` after ${countText(image.first.queries)} queries`
  return `${classText(image.label, names)} taken for ${classText(classAfter(image), names)}${effort}${distances}`
}

/**
 * An evaluation as JUnit XML: a suite with a test case for each demand on the robust accuracy, if there are any, and one
 * with a test case for each image.
 */
export function junitXml(attack: CheckedAttack): string {
  const { record } = attack
  const suites = [
    { name: 'zeroth.robustness', checks: demandChecks(attack) },
    { name: 'zeroth.images', checks: imageChecks(attack) },
  ].filter(({ checks }) => checks.length > 0)
  const all = suites.flatMap(({ checks }) => checks)
  const properties = {
    model: modelText(record.spec.model as JsonObject),
    images: record.images.name,
    within: limitsText(record.spec),
    zeroth: record.zeroth,
  }
  const made = suites.map(({ name, checks }, i) => suite(name, i, checks, record.created, properties))
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="zeroth" ${counts(all)}>\n${made.join('')}</testsuites>\n`
}

function suite(
  name: string,
  id: number,
  checks: readonly Check[],
  created: string,
  properties: Readonly<Record<string, string>>,
): string {
  // The schema wants a time without a zone: this is UTC.
  const about = `id="${id}" package="zeroth" hostname="localhost" timestamp="${xml(created.slice(0, 19))}"`
  const rows = Object.entries(properties).map(
    ([key, value]) => `      <property name="${key}" value="${xml(value)}"/>\n`,
  )
  const cases = checks.map((check) => testCase(name, check))
  return `  <testsuite name="${name}" ${about} ${counts(checks)}>
    <properties>\n${rows.join('')}    </properties>\n${cases.join('')}    <system-out/>\n    <system-err/>\n  </testsuite>\n`
}

function counts(checks: readonly Check[]): string {
  const count = (result: Check['result']): number => checks.filter((each) => each.result === result).length
  return `tests="${checks.length}" failures="${count('failed')}" errors="${count('error')}" skipped="${count('skipped')}" time="0"`
}

function testCase(suite: string, { name, result, text }: Check): string {
  const open = `    <testcase name="${xml(name)}" classname="${suite}" time="0">`
  const said = xml(text)
  const inside = {
    passed: `<system-out>${said}</system-out>`,
    failed: `<failure message="${said}" type="robustness">${said}</failure>`,
    error: `<error message="${said}" type="unmeasured">${said}</error>`,
    skipped: `<skipped message="${said}"/>`,
  }[result]
  return `${open}${inside}</testcase>\n`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** A text within XML 1.0: what it cannot hold at all, such as control characters, becomes a replacement character. */
export function xml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get through.
  const impossible = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufdd0-\ufdef\ufffe\uffff]/g
  return wellFormed(text)
    .replace(impossible, '\ufffd')
    .replace(/[&<>"']/g, (each) => entities[each] as string)
    .replace(/[\t\n\r]/g, (each) => `&#${each.charCodeAt(0)};`)
}

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
 * could not be measured. Paths are relative to `from` if they lie in it.
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

function uriOf(path: string, from: string): string {
  const way = relative(from, resolve(path))
  const isInside = way !== '' && !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`)
  if (!isInside) return pathToFileURL(path).href
  return way
    .split(sep)
    .map((part) => encodeURIComponent(wellFormed(part)))
    .join('/')
}

/** Images that are named: a page of a job is no place for hundreds. */
const mostImages = 20

/** An evaluation as GitHub-flavored Markdown, for the summary of a job. */
export function githubSummary(attack: CheckedAttack): string {
  const { record, report, comparison } = attack
  const { summary, warnings } = report
  const rows: [string, string][] = [
    ['robust accuracy', `**${percentText(summary.robustAccuracy)}** of ${counted(summary.looked, 'image')}`],
    ['clean accuracy', percentText(summary.cleanAccuracy)],
    ['attack success', `${countText(summary.fooled)} of ${counted(summary.attacked, 'image')}`],
    ['not measured', countText(report.images.filter(isUnmeasured).length)],
    ['within', markdown(limitsText(record.spec))],
    ['queries', countText(summary.queries)],
  ]
  const parts = [
    `## Robustness of ${markdown(modelText(record.spec.model as JsonObject))}`,
    ...demandChecks(attack).map(demandLine),
    table(['', ''], rows),
    limitsTable(attack),
    comparison === undefined ? '' : regressionsText(attack),
    imagesTable(attack),
    ...warnings.map((text) => `> [!WARNING]\n> ${markdown(text)}`),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n\n`
}

const marks: Readonly<Record<Check['result'], string>> = { passed: '✅', failed: '❌', error: '⚠️', skipped: '➖' }

function demandLine({ result, text }: Check): string {
  return `${marks[result]} ${markdown(text)}`
}

function limitsTable({ report: { summary } }: CheckedAttack): string {
  if (summary.limits === undefined) return ''
  const rows = summary.limits.map((limit) => {
    const interval = intervalText(limit.robustAccuracyInterval)
    return [limitName(limit), percentText(limit.robustAccuracy), interval, countText(limit.fooled)]
  })
  return table(['limit', 'robust accuracy', '95 % interval', 'fooled'], rows)
}

function regressionsText({ comparison }: CheckedAttack): string {
  const titles = new Set((comparison?.limits ?? []).flatMap(({ regressions }) => regressions.map(({ title }) => title)))
  if (titles.size === 0) return ''
  const some = [...titles].slice(0, mostImages).map((title) => `- ${markdown(title)}`)
  const more = titles.size - some.length
  const rest = more > 0 ? [`- and ${countText(more)} more`] : []
  return [`No longer robust, but so in the baseline:`, '', ...some, ...rest].join('\n')
}

function imagesTable({ report, record }: CheckedAttack): string {
  const fooled = report.images.filter(({ status }) => status === 'fooled')
  if (fooled.length === 0) return ''
  const rows = fooled
    .slice(0, mostImages)
    .map((image) => [markdown(image.title), markdown(fooledText(image, record.images.classNames))])
  const more = fooled.length - rows.length
  const content = table(['image', 'result'], rows)
  const rest = more > 0 ? `\n\nand ${countText(more)} more` : ''
  return `<details><summary>${countText(fooled.length)} fooled</summary>\n\n${content}${rest}\n\n</details>`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

const longest = 300

/** A text that Markdown shows as it is, on one line: no markup, no links, no mentions, no HTML, no end of a table's cell. */
export function markdown(text: string): string {
  const line = wellFormed(text)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
  const short = line.length > longest ? `${wellFormed(line.slice(0, longest))}…` : line
  return (
    short
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replace(/[\\`*_{}[\]()#!|~$]/g, (each) => `&#${each.charCodeAt(0)};`)
      .replace(/^([-+=]|\d+[.])/, (each) => `&#${each.charCodeAt(0)};${each.slice(1)}`)
      // What would become a mention, or a link by itself.
      .replace(
        /@|:\/\/|www\./g,
        (each) => `${each[0] === 'w' ? 'www&#46;' : `&#${each.charCodeAt(0)};${each.slice(1)}`}`,
      )
  )
}

/** A text in which half a character, as broken file names hold, is a replacement character: files are UTF-8. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}
