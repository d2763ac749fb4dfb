/** The longest text of a reply that is repeated in a message. */
const longest = 200

/**
 * A value from a reply as it should read inside a message. Texts are repeated whole or not at all: the piece of a secret
 * that is left where a text is cut cannot be recognised any more.
 */
export function shownReply(value: unknown): string {
  if (typeof value === 'string') {
    return value.length > longest ? `a text of ${value.length} characters` : JSON.stringify(value)
  }
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value !== 'object' || value === null) return String(value)
  const keys = Object.keys(value)
  const some = keys.slice(0, 5).map(shownReply).join(', ')
  return keys.length === 0 ? 'an empty object' : `an object with ${some}${keys.length > 5 ? ', ...' : ''}`
}
