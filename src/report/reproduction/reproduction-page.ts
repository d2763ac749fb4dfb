import { attackCss } from '../attack/attack-css.ts'
import type { Background } from '../attack/background.ts'
import { html, type Markup, textOf } from '../markup.ts'
import { countText } from '../number-text.ts'
import { createdTime, pageDocument } from '../page/document.ts'
import { figureFiles, figureMarkup } from '../page/figure-markup.ts'
import { factTable } from '../page/table.ts'
import type { RunPage } from '../run-page.ts'
import { type ClaimResult, claimsSection } from './claims-section.ts'
import type { PaperFigure } from './figures.ts'
import { type PaperTable, paperTableMarkup } from './paper-table.ts'

/** A table or figure of the paper as it came out. */
export interface PaperSection {
  readonly name: string
  readonly title: string
  readonly tables: readonly PaperTable[]
  readonly figures: readonly PaperFigure[]
  readonly remarks: readonly string[]
}

/** What the page of a reproduction is made from. */
export interface ReproductionPageData extends Background {
  readonly title: string
  readonly claims: readonly ClaimResult[]
  readonly sections: readonly PaperSection[]
  /** Attacks that have come to their end, of how many; where some have not, the page is of what there is. */
  readonly progress: { readonly done: number; readonly cells: number; readonly modelCalls: number }
}

const css = `${attackCss}.theirs{color:var(--muted);font-style:italic}
.prose{display:block;min-width:14rem;white-space:normal}
.paper figure{margin:0 0 1.5rem}
.paper figure svg{max-width:100%}
.paper .scroll table{font-size:.8125rem}
.paper thead th,.paper .scroll td,.paper .scroll tbody th{white-space:normal}
.paper .scroll .num{white-space:nowrap}
.paper .scroll thead .num{white-space:normal}
.paper thead th{font-size:.75rem;vertical-align:bottom;line-height:1.3}
.paper th,.paper td{padding:.3rem .7rem .3rem 0}
.paper .num+:not(.num){padding-left:.9rem}
.contents a{color:var(--link)}
.contents{columns:2 20rem;list-style:none;padding:0}`

const footer =
  'Written by zeroth from saved results. Numbers in italics are those of the paper. Hover over a number to see all its digits.'

/** Every table and figure of the paper beside the paper's numbers, with a verdict on each claim, as a single HTML file. */
export function reproductionPage(data: ReproductionPageData): RunPage {
  const { title, sections, claims, progress, created } = data
  const about = html`<span>${countText(progress.done)} attacks, ${countText(progress.modelCalls)} images classified</span>${createdTime(created)}`
  const content = html`${unfinished(progress)}${claimsSection(claims)}
<section aria-labelledby="contents"><h2 id="contents">Contents</h2><ul class="contents">${sections.map(({ name, title: each }) => html`<li><a href="#${name}">${each}</a></li>\n`)}</ul></section>
${sections.map(sectionMarkup)}${backgroundOf(data)}`
  const document = pageDocument({ title, kicker: 'zeroth reproduction', about, content, footer, css })
  return { html: textOf(document), figures: figureFiles(sections.flatMap(({ figures }) => figures)) }
}

function unfinished({ done, cells }: ReproductionPageData['progress']): Markup | undefined {
  if (done >= cells) return undefined
  return html`<p class="notice">${countText(cells - done)} of ${countText(cells)} attacks have not come to their end: what follows is what there is so far.</p>`
}

function sectionMarkup({ name, title, tables, figures, remarks }: PaperSection): Markup {
  const shown = tables.filter(({ isHidden }) => isHidden !== true)
  const isEmpty = figures.length === 0 && shown.every(({ rows }) => rows.length === 0)
  return html`<section class="paper" aria-labelledby="${name}"><h2 id="${name}">${title}</h2>
${isEmpty ? html`<p class="none">Not run yet.</p>` : undefined}${figures.map(figureMarkup)}${shown.filter(({ rows }) => rows.length > 0).map(paperTableMarkup)}
${remarks.length === 0 ? undefined : html`<ul class="remark">${remarks.map((remark) => html`<li>${remark}</li>`)}</ul>`}</section>\n`
}

function backgroundOf({ settings, machine, zeroth, command }: Background): Markup {
  return html`<section aria-labelledby="settings"><h2 id="settings">Settings</h2>
<div class="wide">${factTable('Reproduction', settings)}</div></section>
<section aria-labelledby="machine"><h2 id="machine">Machine and versions</h2>
<div class="wide">${factTable('This reproduction', [['zeroth', zeroth], ...Object.entries(machine)])}</div></section>
<section aria-labelledby="reproduce"><h2 id="reproduce">How to reproduce</h2>
<p>The same command gives the same numbers, as long as the model gives the same answers. In the same folder it asks nothing again: it redraws.</p>
<pre class="command"><code>${command}</code></pre></section>\n`
}
