/** A text for one line of a terminal: no line breaks, and nothing that a terminal would obey instead of showing it. */
export function plainText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get through.
  const escapes = /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-Z\\-_]/g
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the same.
  const invisible = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g
  return text.replace(escapes, '').replace(invisible, ' ').trim()
}

/** Why a query or a run failed, without the name of our error class, which says nothing to people. */
export function plainReason(reason: string): string {
  return plainText(reason).replaceAll('ZerothError: ', '')
}
