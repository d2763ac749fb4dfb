import type { JsonObject } from '../../spec/index.ts'
import { limitsText, modelText } from '../attack/attack-settings.ts'
import { type Check, type CheckedAttack, demandChecks, imageChecks } from './checks.ts'
import { wellFormed } from './well-formed.ts'

/**
 * An evaluation as JUnit XML: a suite with a test case for each demand on the robust accuracy, where there are any, and one
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
