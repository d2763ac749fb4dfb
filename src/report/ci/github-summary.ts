import type { JsonObject } from '../../spec/index.ts'
import { limitName, limitsText, modelText } from '../attack/attack-settings.ts'
import { counted, countText, percentText } from '../number-text.ts'
import { type Check, type CheckedAttack, demandChecks, fooledText } from './checks.ts'
import { wellFormed } from './well-formed.ts'

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
    ['not measured', countText(summary.failed)],
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
    const [low, high] = limit.robustAccuracyInterval
    const interval = `${percentText(low)} to ${percentText(high)}`
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
