import type { SettingRows } from '../../../src/app/report/attack/attack-run.ts'
import { html, type Markup, textOf } from '../../../src/app/report/markup.ts'
import { countText, secondsText } from '../../../src/app/report/number-text.ts'
import { createdTime, pageDocument, type ReportPage } from '../../../src/app/report/page/document.ts'
import { factTable, figureFiles, figureMarkup } from '../../../src/app/report/page/elements.ts'

import { type ClaimResult, claimsSection } from './claims-section.ts'
import type { PaperFigure } from './figures.ts'
import { type PaperTable, paperTableMarkup } from './paper-table.ts'
import type { Progress, Provenance } from './provenance.ts'
import { provenanceSection } from './provenance-section.ts'

/** A table or figure of the paper, reproduced. */
export interface PaperSection {
  readonly name: string
  readonly title: string
  /** Results, in a sentence each. */
  readonly findings?: readonly string[] | undefined
  readonly tables: readonly PaperTable[]
  readonly figures: readonly PaperFigure[]
  readonly remarks: readonly string[]
}

/** The content of a reproduction's page. */
export interface ReproductionPageData {
  readonly title: string
  readonly claims: readonly ClaimResult[]
  readonly sections: readonly PaperSection[]
  /** How many of the attacks have finished; if some have not, the page shows the results so far. */
  readonly progress: Progress
  /** Names and values: scale, model, images, sizes and so on. */
  readonly settings: SettingRows
  readonly provenance: Provenance
}

const css = `.theirs{color:var(--muted);font-style:italic}
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
.paper tbody b{font-weight:650}
.about{max-width:none}.made{margin-bottom:1.5rem}.made .facts th{width:11rem}
.contents a{color:var(--link)}
.contents{columns:2 20rem;list-style:none;padding:0}`

const footer =
  'Written by zeroth from saved results. Numbers in italics are those of the paper. Hover over a number to see all its digits.'

/** Every table and figure of the paper next to the paper's numbers, with a verdict on each claim, as a single HTML file. */
export function reproductionPage(data: ReproductionPageData): ReportPage {
  const { title, sections, claims, progress, provenance, settings } = data
  const content = html`${unfinished(progress)}${claims.length === 0 ? undefined : claimsSection(claims)}
<section aria-labelledby="contents"><h2 id="contents">Contents</h2><ul class="contents">${sections.map(({ name, title: each }) => html`<li><a href="#${name}">${each}</a></li>\n`)}<li><a href="#settings">Settings</a></li>
<li><a href="#made">How it was made</a></li></ul></section>
${sections.map(sectionMarkup)}<section aria-labelledby="settings"><h2 id="settings">Settings</h2>
<div class="wide">${factTable('Reproduction', settings)}</div></section>
${provenanceSection(provenance, progress)}`
  const document = pageDocument({ title, kicker: 'zeroth reproduction', about: aboutOf(data), content, footer, css })
  return { html: textOf(document), figures: figureFiles(sections.flatMap(({ figures }) => figures)) }
}

/** How much it was, when, and by which version. */
function aboutOf({ progress, provenance: { sittings: sessions, seconds } }: ReproductionPageData): Markup {
  const [first, last] = [sessions[0], sessions.at(-1)]
  const effort = `${countText(progress.done)} attacks, ${countText(progress.modelCalls)} images classified`
  const time = seconds > 0 ? ` in ${secondsText(seconds)}` : ''
  const commit = last?.commit === undefined ? '' : ` (${last.commit})`
  return html`<span>${effort}${time}</span>${first === undefined ? undefined : createdTime(first.began)}${last === undefined ? undefined : html`<span>zeroth ${last.zeroth}${commit}</span>`}`
}

function unfinished({ done, cells }: Progress): Markup | undefined {
  if (done >= cells) return undefined
  return html`<p class="notice">${countText(cells - done)} of ${countText(cells)} attacks have not finished: these are the results so far.</p>`
}

function sectionMarkup({ name, title, findings = [], tables, figures, remarks }: PaperSection): Markup {
  const shown = tables.filter(({ isHidden }) => isHidden !== true)
  const isEmpty = figures.length === 0 && shown.every(({ rows }) => rows.length === 0)
  return html`<section class="paper" aria-labelledby="${name}"><h2 id="${name}">${title}</h2>
${findings.map((finding) => html`<p>${finding}</p>\n`)}${isEmpty ? html`<p class="none">Not run yet.</p>` : undefined}${figures.map(figureMarkup)}${shown.filter(({ rows }) => rows.length > 0).map(paperTableMarkup)}
${remarks.length === 0 ? undefined : html`<ul class="remark">${remarks.map((remark) => html`<li>${remark}</li>`)}</ul>`}</section>\n`
}
