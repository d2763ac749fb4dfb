/**
 * Bytes as ASCII characters that source text need not escape; `printedBytes` of src/optimizer/kernels reads them. Compressed, they
 * are smaller than hexadecimal or base64: the bytes that WebAssembly uses most (below 85, and from 251) take one
 * character, the others two.
 * @param {Uint8Array} bytes
 */
export function printable(bytes) {
  return Array.from(bytes, (byte) => {
    const place = (byte + 5) % 256
    const page = Math.floor(place / 90)
    return ['', '}', '~'][page] + String.fromCharCode(35 + (place % 90))
  }).join('')
}

/**
 * A string in the quotes that the formatter would choose: single ones, unless that takes more escapes.
 * @param {string} text
 */
export function quoted(text) {
  const count = (/** @type {RegExp} */ quote) => text.match(quote)?.length ?? 0
  const double = JSON.stringify(text)
  if (count(/'/g) > count(/"/g)) return double
  return `'${double.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
