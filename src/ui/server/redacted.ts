/** Keys below which texts may be secret. */
const secretive = /^(headers?|env|environment|authorization|cookie|token|password|secret|api-?key)$/i

/** A spec without what may be secret: texts below such keys, and what stands before the host of an address. */
export function redacted(value: unknown, isSecret = false): unknown {
  if (typeof value === 'string') return isSecret ? '[hidden]' : withoutCredentials(value)
  if (Array.isArray(value)) return value.map((each) => redacted(each, isSecret))
  if (typeof value !== 'object' || value === null) return value
  const isReference = Object.keys(value).length === 1 && ('env' in value || 'file' in value)
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      // Where a secret is, is no secret.
      if (isReference) return [key, each]
      return [key, redacted(each, isSecret || secretive.test(key))]
    }),
  )
}

function withoutCredentials(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^/\s@]+@/gi, '$1[hidden]@')
}
