import { parsedUrl } from './shown-url.ts'

/** Where a reply sends a request on to, or why that is not followed. */
export type Redirection = { readonly to: URL } | { readonly refused: string }

/** How many redirects are followed. */
export const maxRedirects = 5

/**
 * What a reply says about another address; undefined where it says nothing. Only the same origin is followed: headers
 * such as X-API-Key would reach whoever the reply names. A request with a body is repeated only where HTTP says so.
 */
export function redirection(reply: Response, from: URL, method: string): Redirection | undefined {
  // Browsers do not tell where to.
  if (reply.type === 'opaqueredirect') return { refused: 'was redirected, which cannot be followed here' }
  if (![301, 302, 303, 307, 308].includes(reply.status)) return undefined
  const location = reply.headers.get('location')
  const to = parsedUrl(location ?? '', from)
  if (location === null || to === undefined) return { refused: `answered ${reply.status} without a usable location` }
  if (to.origin !== from.origin) {
    return { refused: `was redirected from ${from.origin} to ${shownOrigin(to)}: another origin is not followed` }
  }
  if (method !== 'GET' && reply.status < 307) {
    return { refused: `was redirected with status ${reply.status}: with ${method} only 307 and 308 are followed` }
  }
  return { to }
}

/** The origin of what is no http address is the word null. */
function shownOrigin(url: URL): string {
  return url.origin === 'null' ? url.protocol : url.origin
}
