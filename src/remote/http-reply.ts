import { parsedUrl } from './url.ts'

/** What was read of a reply. */
export interface CappedBytes {
  readonly bytes: Uint8Array
  /** False where there was more than the limit: the rest was not read. */
  readonly complete: boolean
}

/** Reads a reply and stops at the limit, whatever the reply says about its own length. */
export async function readCapped(reply: Response, limit: number): Promise<CappedBytes> {
  if (reply.body === null) return { bytes: new Uint8Array(0), complete: true }
  const reader = reply.body.getReader()
  const pieces: Uint8Array[] = []
  let length = 0
  while (true) {
    const { done, value } = await reader.read()
    if (done) return { bytes: joined(pieces, length), complete: true }
    pieces.push(value.subarray(0, limit - length))
    length += value.length
    if (length <= limit) continue
    // Not awaited: the other side may be in no hurry to notice.
    reader.cancel().catch(() => undefined)
    return { bytes: joined(pieces, limit), complete: false }
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (pieces.length === 1) return pieces[0] as Uint8Array
  const all = new Uint8Array(length)
  let offset = 0
  for (const piece of pieces) {
    all.set(piece, offset)
    offset += piece.length
  }
  return all
}

/** Where a reply sends a request on to, or why that is not followed. */
export type Redirection = { readonly to: URL } | { readonly refused: string }

/** What a reply says before its body. */
interface ReplyHead {
  readonly status: number
  readonly headers: Headers
  /** A redirect that the platform does not show. */
  readonly isOpaque?: boolean | undefined
}

/** How many redirects are followed. */
export const maxRedirects = 5

/**
 * What a reply says about another address; undefined where it says nothing. Only the same origin is followed: headers
 * such as X-API-Key would reach any host that the reply names. A request with a body is repeated only where HTTP says so.
 */
export function redirection(reply: ReplyHead, from: URL, method: string): Redirection | undefined {
  // Browsers do not tell where to.
  if (reply.isOpaque === true) return { refused: 'was redirected, which cannot be followed here' }
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

/** Milliseconds the other side wants to be left alone, in seconds or as a date counted from the reply's own clock. */
export function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim()
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const until = secondsOfHttpDate(text)
  const now = secondsOfHttpDate(headers.get('date') ?? '')
  return until === undefined || now === undefined ? undefined : Math.max(0, until - now) * 1000
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const httpDate = /^[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/

/** Seconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that HTTP still writes. */
export function secondsOfHttpDate(text: string): number | undefined {
  const [, day, month, year, hours, minutes, seconds] = httpDate.exec(text.trim()) ?? []
  const index = months.indexOf(month ?? '')
  if (index < 0) return undefined
  const days = daysSince1970(Number(year), index + 1, Number(day))
  return ((days * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
}

/** Counts years from March: the day that leap years add is then the last one. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const monthFromMarch = (month + 9) % 12
  const dayOfYear = Math.floor((153 * monthFromMarch + 2) / 5) + day - 1
  return 365 * y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468
}
