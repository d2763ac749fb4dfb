/** Whether a stream gets colours: not if it is no terminal, or NO_COLOR asks for none. */
export function hasColours(
  { isTTY }: { readonly isTTY?: boolean | undefined },
  { NO_COLOR = '', FORCE_COLOR = '', TERM }: Readonly<Partial<Record<string, string>>> = process.env,
): boolean {
  return (FORCE_COLOR !== '' || (isTTY === true && TERM !== 'dumb')) && NO_COLOR === ''
}

/**
 * A text that cannot command a terminal: names of folders and images come from anywhere. What does is written as JSON writes
 * it, so that JSON stays what it is; new lines and colours of our own stay.
 */
export function visible(text: string, stream: { readonly isTTY?: boolean | undefined }): string {
  const keepsColours = hasColours(stream)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get through.
  const commanding = /\x1b\[[\d;]*m|[^\P{Cc}\n\t]|[\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
  const escaped = (each: string): string => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`
  return text.replace(commanding, (each) => {
    if (each.length === 1) return escaped(each)
    return keepsColours ? each : `${escaped(each)}${each.slice(1)}`
  })
}
