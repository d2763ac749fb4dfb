/** Options of programs that take a secret: --api-key, --token, -password; not --sort-key. */
const secretOption =
  /^--?(.*-)?(token|password|passwd|passphrase|pwd|secret|api-?key|access-?key|credentials?|bearer)$/i

/** Settings in front of a program: API_KEY=..., DB_PASSWORD=... */
const secretSetting = /^[A-Z0-9_]*(API_?KEY|ACCESS_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/

/** What secrets themselves look like, wherever they are: keys of well-known services, bearer tokens, user:password@host. */
const telling = [
  /\bsk-[\w-]{8,}/,
  /\bgh[pousr]_\w{20,}/,
  /\bxox[abprs]-[\w-]{8,}/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bbearer\s+\S{4,}/i,
  /\/\/[^/@\s]*:[^/@\s]+@/,
]

/** Stands for a secret of the environment. */
const reference = /\$\{[A-Z_][A-Z0-9_]*\}/g

/** Which argument of a command holds a secret, and what tells so, without the secret; undefined where none does. */
export function secretArgument(
  words: readonly unknown[],
): { readonly index: number; readonly what: string } | undefined {
  for (const [index, word] of words.entries()) {
    const text = String(word).replaceAll(reference, '')
    const [, name = '', value = ''] = /^([^=\s]+)=(.*)$/s.exec(text) ?? []
    if (value !== '' && (secretOption.test(name) || secretSetting.test(name))) return { index, what: name }
    const before = String(words[index - 1] ?? '')
    if (text !== '' && !text.startsWith('-') && secretOption.test(before)) return { index, what: before }
    if (telling.some((pattern) => pattern.test(text))) return { index, what: 'what looks like a key' }
  }
  return undefined
}
