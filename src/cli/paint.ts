import picocolors from 'picocolors'

/** Colours for a stream: none where it is no terminal or where NO_COLOR asks for none. */
export function paint(
  stream: { readonly isTTY?: boolean | undefined },
  { NO_COLOR = '', FORCE_COLOR = '', TERM }: Readonly<Partial<Record<string, string>>> = process.env,
): ReturnType<typeof picocolors.createColors> {
  const isWanted = FORCE_COLOR !== '' || (stream.isTTY === true && TERM !== 'dumb')
  return picocolors.createColors(isWanted && NO_COLOR === '')
}
