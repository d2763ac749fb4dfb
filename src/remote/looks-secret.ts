/** Wherever they stand in a name, they say what it is. */
const anywhere = /secret|passw|passphrase|credential|cookie|apikey|authoriz|bearer/

/** At the end of a word only: API_KEY and accessToken, but neither TOKENIZERS nor AUTHOR nor KEYBOARD. */
const atTheEnd = /(^(pass|sig)|key|token|auth|signature|jwt|pwd)s?$/

/** A user and a password inside an address. */
const credentials = /\/\/[^/@\s]*:[^/@\s]+@/

/** Whether a setting of this name and value is nobody else's business. */
export function looksSecret(name: string, value = ''): boolean {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
  return words.some((word) => anywhere.test(word) || atTheEnd.test(word)) || credentials.test(value)
}
