import { html, type Markup, trusted } from '../markup.ts'
import { pageCss } from './page-css.ts'

/** What a page is made of. */
export interface DocumentParts {
  readonly title: string
  /** Small words above the title. */
  readonly kicker: string
  /** What stands below the title. */
  readonly about: Markup
  readonly content: Markup
  readonly footer: string
  /** Style beyond that of every page. */
  readonly css?: string
}

const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

/** A whole page as one file that needs nothing else, and that runs no script. */
export function pageDocument({ title, kicker, about, content, footer, css = '' }: DocumentParts): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${trusted(pageCss)}${trusted(css)}</style>
</head>
<body>
<header><p class="kicker">${kicker}</p>
<h1>${title}</h1>
<p class="about">${about}</p></header>
<main>
${content}</main>
<footer><p>${footer}</p></footer>
</body>
</html>
`
}

/** When something was made, from ISO text; as it is where it is not that. */
export function createdTime(created: string): Markup {
  const parts = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z$/.exec(created)
  return parts === null
    ? html`<span>${created}</span>`
    : html`<time datetime="${created}">${parts[1]} ${parts[2]} UTC</time>`
}
