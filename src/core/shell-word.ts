/** A text as one word of a shell: names of folders come from anywhere, and commands are copied from pages. */
export function shellWord(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
