/** Shorter texts cannot be told from ordinary words and digits: hiding them would only make messages unreadable. */
const shortest = 4

/**
 * Takes every occurrence of the secrets out of a text, also where they are URL-encoded, in base64 or escaped as in JSON.
 * Secrets of fewer than four characters are left: they would be found inside ordinary words.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = new Set(secrets.filter((secret) => secret.length >= shortest).flatMap(formsOf))
  if (forms.size === 0) return (text) => text
  // The longest first: one secret may be the beginning of another.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(longestFirst.map(quoted).join('|'), 'g')
  return (text) => text.replace(pattern, '[secret]')
}

/** The secrets inside a header's value: all of it, and for `Bearer token` or `Basic base64` what stands behind. */
export function secretsOfHeader(value: string): string[] {
  const credentials = /^(\w+) +(\S+)$/.exec(value.trim())
  if (credentials === null) return [value.trim()]
  const [, scheme, token] = credentials as unknown as [string, string, string]
  const pair = scheme.toLowerCase() === 'basic' ? decodedBase64(token) : undefined
  return [value.trim(), token, ...(pair === undefined ? [] : [pair, ...pair.split(':')])]
}

function formsOf(secret: string): string[] {
  const percent = encodedUri(secret)
  const base64 = base64Of(secret)
  return [
    secret,
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    percent.replaceAll('%20', '+'),
    ...embedded(base64),
    ...embedded(base64.replaceAll('+', '-').replaceAll('/', '_')),
    JSON.stringify(secret).slice(1, -1),
  ]
}

/** Base64 text with and without its padding. */
function embedded(base64: string): string[] {
  return [base64, base64.replace(/=+$/, '')]
}

/** Half a surrogate pair cannot be encoded; it cannot stand in a URL either. */
function encodedUri(secret: string): string {
  return encodeURIComponent(secret.replace(/[\ud800-\udfff]/g, '')).replace(/[!'()*]/g, percentCode)
}

function percentCode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

/** Base64 of the text's UTF-8 bytes. */
export function base64Of(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))
}

function decodedBase64(text: string): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)))
  } catch {
    return undefined
  }
}

function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
