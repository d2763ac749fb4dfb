/** A text in which half a character, as broken file names hold, is a replacement character: files are UTF-8. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}
