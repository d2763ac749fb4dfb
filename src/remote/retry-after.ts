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
