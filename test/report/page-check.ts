import { parseHTML } from 'linkedom'

const closedByThemselves = new Set(['meta', 'link', 'br'])

/** Parses a page. */
export function parsed(html: string): Document {
  return parseHTML(html).document as unknown as Document
}

/** Tags that are not closed, or not where they should be: none in a sound page or figure. */
export function unbalanced(markup: string): string[] {
  const open: string[] = []
  const wrong: string[] = []
  for (const [, slash, name = '', , self] of markup.matchAll(
    /<(\/?)([a-z][\w-]*)((?:\s+[\w:-]+="[^"<>]*")*)\s*(\/?)>/gi,
  )) {
    if (slash === '/') {
      const last = open.pop()
      if (last !== name) wrong.push(`</${name}> closes <${last}>`)
    } else if (self !== '/' && !closedByThemselves.has(name)) open.push(name)
  }
  return [...wrong, ...open.map((name) => `<${name}> is not closed`)]
}

/** What is amiss for someone who does not see the page: missing names, captions and landmarks, broken references. */
export function inaccessible(document: Document): string[] {
  const problems: string[] = []
  const all = (selector: string): Element[] => [...document.querySelectorAll(selector)]
  const ids = all('[id]').map(({ id }) => id)
  if (document.documentElement.getAttribute('lang') !== 'en') problems.push('no language')
  if (all('h1').length !== 1 || all('main').length !== 1 || all('title').length < 1)
    problems.push('no h1, main or title')
  if (new Set(ids).size !== ids.length) problems.push('an id occurs twice')
  for (const element of all('[aria-labelledby]')) {
    const missing = (element.getAttribute('aria-labelledby') ?? '').split(' ').filter((id) => !ids.includes(id))
    problems.push(...missing.map((id) => `no element ${id}`))
  }
  const named = ({ attributes }: Element): boolean =>
    [...attributes].some(({ name }) => /^aria-(label|labelledby|hidden)$/.test(name))
  const drawings = all('svg').filter((svg) => !svg.parentElement?.closest('svg'))
  if (!drawings.every(named)) problems.push('a drawing without a name')
  if (!all('table').every((table) => (table.querySelector('caption')?.textContent ?? '') !== ''))
    problems.push('a table without a caption')
  if (!all('th').every((cell) => cell.hasAttribute('scope'))) problems.push('a heading cell without a scope')
  const levels = all('h1, h2, h3').map(({ tagName }) => Number(tagName.slice(1)))
  if (levels.some((level, i) => i > 0 && level > (levels[i - 1] as number) + 1))
    problems.push('a level of headings is left out')
  return problems
}

/** A page without its own script and the bytes of its pictures: what it says. */
export function saidBy(html: string): string {
  return html.replace(/<script>.*<\/script>/s, '').replaceAll(/base64,[\w+/=]+/g, '')
}
