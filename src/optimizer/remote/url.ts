import { custom, mapped } from '../core/options.ts'

/** A URL as it may appear in messages: without user, password and fragment, and without the values of its query. */
export function shownUrl(url: string | URL): string {
  const parsed = parsedUrl(url)
  if (parsed === undefined) return 'a text that is no URL'
  if (!isHttp(parsed)) return `a URL of the kind ${parsed.protocol}`
  // A name without a value may be the secret itself: ?token.
  const shown = [...parsed.searchParams].map(([name, value]) =>
    value === '' ? '...' : `${encodeURIComponent(name)}=...`,
  )
  const query = shown.length === 0 ? '' : `?${[...new Set(shown)].join('&')}`
  return `${parsed.origin}${parsed.pathname}${query}`
}

/** The URL, or undefined where the text is none. */
export function parsedUrl(url: string | URL, base?: URL): URL | undefined {
  try {
    return new URL(url, base)
  } catch {
    return undefined
  }
}

/** Whether a URL is one that this library calls. */
export function isHttp(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:'
}

/** A URL object, kept as its text. */
export const urlObject = mapped(
  custom<URL>((value) => value instanceof URL, 'must be a URL'),
  (url) => url.href,
)
