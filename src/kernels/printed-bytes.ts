/** The bytes that scripts/generate/printable.mjs wrote as text: `}` and `~` say that the next byte is 90 or 180 further on. */
export function printedBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes: number[] = []
  let page = 0
  for (let i = 0; i < text.length; i++) {
    const place = text.charCodeAt(i) - 35
    if (place >= 90) page = place - 89
    else {
      bytes.push(90 * page + place - 5)
      page = 0
    }
  }
  return Uint8Array.from(bytes)
}
