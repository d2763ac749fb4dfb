import { html, type Markup } from '../../../src/app/report/markup.ts'
import { numberMarkup, pageTable } from '../../../src/app/report/page/elements.ts'
import { shortNumber } from '../../../src/app/report/table.ts'

/** The verdict on a claim; a small sample often allows none. */
export type ClaimVerdict = 'holds' | 'does not hold' | 'cannot be said from this scale'

/** Two methods, or two states of one, compared image by image. */
export interface ClaimEvidence {
  readonly problem: string
  readonly method: string
  readonly other: string
  readonly measure: string
  /** Images that both have. */
  readonly pairs: number
  readonly mean: number
  readonly otherMean: number
  /** Mean over the images of method - other, with its 99 % interval. */
  readonly difference: number
  readonly low: number
  readonly high: number
  readonly direction: 'less' | 'more' | 'unclear'
}

/** A verdict, and what it rests on. */
export interface ClaimReading {
  readonly verdict: ClaimVerdict
  readonly evidence: readonly ClaimEvidence[]
  readonly remarks: readonly string[]
}

/** A claim of the paper and its verdicts. */
export interface ClaimResult {
  readonly id: string
  readonly claim: string
  /** Holds only if it holds both ways. */
  readonly verdict: ClaimVerdict
  readonly iterations: ClaimReading
  readonly queries: ClaimReading
}

const badges: Readonly<Record<ClaimVerdict, string>> = {
  holds: 'good',
  'does not hold': 'bad',
  'cannot be said from this scale': 'warn',
}

/** How verdicts are reached. */
export const claimsText =
  "Methods are compared image by image: a difference counts if the 99 % interval of its mean, by Student's t over the images, excludes 0, and never with fewer than five images. An image that was not fooled within the limit counts as fooled right after it; Table A3 averages only over the images fooled. A claim holds if it holds against every method it is about, at equal iterations, as in the paper, and at equal queries, which is fair; it does not hold if one comparison clearly shows the opposite. This is one seed on one network: see the sizes below before drawing conclusions."

/** The claims of the paper with their verdicts, and their evidence. */
export function claimsSection(claims: readonly ClaimResult[]): Markup {
  const columns = [
    { title: 'claim', cell: ({ id, claim }: ClaimResult) => html`<span class="prose"><b>${id}</b> ${claim}</span>` },
    { title: 'at equal iterations', cell: ({ iterations }: ClaimResult) => badge(iterations.verdict) },
    { title: 'at equal queries', cell: ({ queries }: ClaimResult) => badge(queries.verdict) },
    { title: 'verdict', cell: ({ verdict }: ClaimResult) => badge(verdict) },
  ]
  return html`<section aria-labelledby="claims"><h2 id="claims">Claims of the paper</h2>
<p>${claimsText}</p>
${pageTable('Verdicts', columns, claims)}
${claims.map(details)}</section>\n`
}

function badge(verdict: ClaimVerdict): Markup {
  const text = verdict === 'cannot be said from this scale' ? 'cannot be said' : verdict
  return html`<span class="badge ${badges[verdict]}">${text}</span>`
}

function details({ id, claim, iterations, queries }: ClaimResult): Markup {
  const remarks = [...new Set([...iterations.remarks, ...queries.remarks])]
  return html`<details class="paper"><summary>${id}: the evidence</summary>
<p class="remark">${claim} The difference is the first minus the second, averaged over the images.</p>
${evidenceTable('At equal iterations', iterations)}${evidenceTable('At equal queries', queries)}
${remarks.map((remark) => html`<p class="remark">${remark}</p>`)}</details>\n`
}

function evidenceTable(caption: string, { evidence }: ClaimReading): Markup | undefined {
  if (evidence.length === 0) return undefined
  const number = (value: number): Markup => numberMarkup(value, shortNumber(value))
  return pageTable(
    caption,
    [
      { title: 'method', cell: ({ method }: ClaimEvidence) => method },
      { title: 'against', cell: ({ other }: ClaimEvidence) => other },
      { title: 'problem', cell: ({ problem }: ClaimEvidence) => problem },
      { title: 'measure', cell: ({ measure }: ClaimEvidence) => measure },
      { title: 'images', numeric: true, cell: ({ pairs }: ClaimEvidence) => String(pairs) },
      {
        title: 'means',
        numeric: true,
        cell: (row: ClaimEvidence) => html`${number(row.mean)} / ${number(row.otherMean)}`,
      },
      {
        title: 'difference',
        numeric: true,
        cell: (row: ClaimEvidence) => html`${number(row.difference)} (${number(row.low)} to ${number(row.high)})`,
      },
      { title: 'is', cell: ({ direction }: ClaimEvidence) => direction },
    ],
    evidence,
  )
}
