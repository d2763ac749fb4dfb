import { html, type Markup, textOf, trusted } from '../markup.ts'
import { paletteCss } from '../palette.ts'
import { type Figure, figureFiles, type Section } from './elements.ts'
import { pageScript, pageScriptHash, pageStyle } from './page-script.ts'

/** A page, and its figures as SVG files by name, without the `.svg`. */
export interface ReportPage {
  readonly html: string
  readonly figures: Readonly<Record<string, string>>
}

/** The parts of a page. */
export interface DocumentParts {
  readonly title: string
  /** Small words above the title. */
  readonly kicker: string
  /** What stands below the title. */
  readonly about: Markup
  /** The page in a few plain sentences. */
  readonly summary?: Markup | undefined
  readonly content: Markup
  readonly footer: string
  /** Style beyond that of every page. */
  readonly css?: string
}

/** The parts of a report; sections that are undefined are left out. */
export interface ReportParts extends Pick<DocumentParts, 'title' | 'kicker' | 'about' | 'summary'> {
  /** What a reader must know before all else. */
  readonly notice?: Markup | undefined
  readonly sections: readonly (Section | undefined)[]
  readonly figures: readonly Figure[]
  /** Whose records the page is written from. */
  readonly source: string
}

const policy = `default-src 'none'; script-src '${pageScriptHash}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`

/** A report as one file that needs nothing else: contents, sections, and its figures as files beside it. */
export function reportPage({
  title,
  kicker,
  about,
  summary,
  notice,
  sections,
  figures,
  source,
}: ReportParts): ReportPage {
  const there = sections.filter((section) => section !== undefined)
  const content = html`${contents(there)}${notice}${there.map(sectionMarkup)}`
  const footer = `Written by zeroth from what the ${source} recorded. Hover over a number to see all its digits.`
  return {
    html: textOf(pageDocument({ title, kicker, about, summary, content, footer })),
    figures: figureFiles(figures),
  }
}

function contents(sections: readonly Section[]): Markup {
  const links = sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>\n`)
  return html`<nav aria-label="Contents"><ul>\n${links}</ul></nav>\n`
}

function sectionMarkup({ id, title, content, className }: Section): Markup {
  const look = className === undefined ? undefined : html` class="${className}"`
  return html`<section${look} aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}</section>\n`
}

/** A whole page as one file that needs nothing else, and that runs no script but its own. */
export function pageDocument({ title, kicker, about, summary, content, footer, css = '' }: DocumentParts): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${trusted(paletteCss(':root'))}${trusted(pageStyle)}${trusted(css)}</style>
</head>
<body>
<header><p class="kicker">${kicker}</p>
<h1>${title}</h1>
<p class="about">${about}</p>${
    summary &&
    html`
<p class="summary">${summary}</p>`
  }</header>
<main>
${content}</main>
<footer><p>${footer}</p></footer>
<script>${trusted(pageScript)}</script>
</body>
</html>
`
}

/** When something was made, from ISO text; as it is if it is not that. */
export function createdTime(created: string): Markup {
  const parts = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z$/.exec(created)
  return parts === null
    ? html`<span>${created}</span>`
    : html`<time datetime="${created}">${parts[1]} ${parts[2]} UTC</time>`
}
