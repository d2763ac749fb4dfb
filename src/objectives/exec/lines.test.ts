import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineReader } from './lines.ts'

/** The lines of a text that arrives in pieces of the given sizes, and how often one was too long. */
function linesOf(text: string, sizes: readonly number[], maxBytes = 1000): { lines: string[]; tooLong: number } {
  const bytes = new TextEncoder().encode(text)
  const lines: string[] = []
  let tooLong = 0
  const reader = lineReader(
    maxBytes,
    (line) => void lines.push(line),
    () => tooLong++,
  )
  let start = 0
  for (const size of sizes) {
    reader.push(bytes.subarray(start, start + size))
    start += size
  }
  reader.push(bytes.subarray(start))
  reader.end()
  return { lines, tooLong }
}

test('a line is the same however its bytes arrive', () => {
  const pieces = fc.array(fc.nat(20), { maxLength: 50 })
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), pieces, (texts, sizes) => {
      const expected = texts.flatMap((text) => text.split(/[\r\n]/)).map((line) => line.trim())
      expect(linesOf(texts.join('\n'), sizes).lines).toEqual(expected.filter((line) => line !== ''))
    }),
  )
})

test('lines end with a new line, a carriage return, both, or the end of the output', () => {
  expect(linesOf('1\n2\r\n3\r4', []).lines).toEqual(['1', '2', '3', '4'])
})

test('blank lines are left out', () => {
  expect(linesOf('\n\n  \n1\n\t\n', []).lines).toEqual(['1'])
})

test('a line that is too long is told once and dropped, and the next one is read again', () => {
  const { lines, tooLong } = linesOf(`12345\n${'x'.repeat(100)}\n67890\n`, [30, 30, 30], 5)
  expect(lines).toEqual(['12345', '67890'])
  expect(tooLong).toBe(1)
})
