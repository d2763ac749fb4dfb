/** A call of `npm run reproduce`, by default that of this process: its words, quoted where a shell would read them differently. */
export function invocation(words: readonly string[] = process.argv.slice(2)): string {
  return ['npm run reproduce --', ...words.map(shellWord)].join(' ')
}

/** A word that a POSIX shell reads as it is. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
