/** A text as one word of a shell: names of folders come from anywhere, and commands are copied from pages. */
export function shellWord(text: string): string {
  // With a dash in front, = makes no assignment.
  return /^(?:[\w./:@%+,-]+|-[\w./:@%+,=-]+)$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
