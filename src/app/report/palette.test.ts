import { expect, test } from 'vitest'
import { type Colors, curveStyle, dark, distinctStyles, light, paletteCss } from './palette.ts'

type Triple = readonly [number, number, number]

test.each([
  ['light', light],
  ['dark', dark],
])('text of the %s palette has a contrast of at least 4.5, lines one of at least 3', (_, colors) => {
  const texts = ['ink', 'muted', 'link', 'bad', 'good'].flatMap((text) => [contrast(colors, text, 'paper')])
  const onOthers = ['ink', 'muted'].flatMap((text) => [contrast(colors, text, 'panel'), contrast(colors, text, 'mark')])
  const lines = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'].map((line) => contrast(colors, line, 'paper'))
  expect(Math.min(...texts, ...onOthers)).toBeGreaterThanOrEqual(4.5)
  expect(Math.min(...lines)).toBeGreaterThanOrEqual(3)
})

test.each([
  ['light', light],
  ['dark', dark],
])('the six colours of the %s palette stay apart without red, green or blue cones', (_, colors) => {
  for (const [sight, matrix] of Object.entries(sights)) {
    const seen = [1, 2, 3, 4, 5, 6].map((i) => perceived(matrix, colors[`c${i}`] as string))
    const distances = seen.flatMap((a, i) =>
      seen.slice(i + 1).map((b) => 100 * Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])),
    )
    expect(Math.min(...distances), sight).toBeGreaterThanOrEqual(10)
  }
})

test('twelve lines can be told apart, all others are grey', () => {
  const styles = Array.from({ length: distinctStyles }, (_, i) => JSON.stringify(curveStyle(i)))
  expect(new Set(styles).size).toBe(12)
  expect(curveStyle(12)).toEqual({ color: 'var(--muted)' })
})

test('both palettes have the same names, and the dark one never gets on paper', () => {
  expect(Object.keys(dark)).toEqual(Object.keys(light))
  expect(paletteCss('.a')).toMatch(
    /^\.a\{--paper:#ffffff;.*\}@media screen and \(prefers-color-scheme:dark\)\{\.a\{--paper:#15181c;.*\}\}$/,
  )
})

/** Machado, Oliveira and Fernandes 2009, at full severity. */
const sights: Record<string, readonly [Triple, Triple, Triple]> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

function linear(color: string): Triple {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return [r, g, b]
}

function contrast(colors: Colors, one: string, other: string): number {
  const [a, b] = [one, other].map((name) => dot([0.2126, 0.7152, 0.0722], linear(colors[name] as string)) + 0.05) as [
    number,
    number,
  ]
  return Math.max(a, b) / Math.min(a, b)
}

/** A colour in OKLab as someone sees it. */
function perceived(matrix: readonly [Triple, Triple, Triple], color: string): Triple {
  const seen = matrix.map((row) => Math.max(0, dot(row, linear(color)))) as unknown as Triple
  const l = Math.cbrt(dot([0.4122214708, 0.5363325363, 0.0514459929], seen))
  const m = Math.cbrt(dot([0.2119034982, 0.6806995451, 0.1073969566], seen))
  const s = Math.cbrt(dot([0.0883024619, 0.2817188376, 0.6299787005], seen))
  return [
    dot([0.2104542553, 0.793617785, -0.0040720468], [l, m, s]),
    dot([1.9779984951, -2.428592205, 0.4505937099], [l, m, s]),
    dot([0.0259040371, 0.7827717662, -0.808675766], [l, m, s]),
  ]
}

function dot(a: Triple, b: Triple): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
