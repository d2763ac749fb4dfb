/** The command as it was typed, for the record: its words, quoted where a shell would otherwise read them differently. */
export function invocation(words: readonly string[] = process.argv.slice(2)): string {
  return ['zeroth', ...words.map(shellWord)].join(' ')
}

/** A word that a POSIX shell reads as it is. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
