import { parseHTML } from 'linkedom'
import { expect, test } from 'vitest'
import { drawingDocument } from '../../src/app/report/index.ts'
import { convergenceFigure } from './figure.ts'

const curve = (panel: string, method: string) =>
  [0, 100, 200].map((queries) => ({
    panel,
    method,
    queries,
    value: 1 / (1 + queries),
    low: 0.5 / (1 + queries),
    high: 1,
  }))

test('a convergence figure is an SVG with one curve per method and panel, a legend and its texts', () => {
  const points = [...curve('left', 'one'), ...curve('left', 'two'), ...curve('right', 'one')]
  const svg = convergenceFigure(
    points,
    { title: 'A <title> & more', subtitle: 'sub', yLabel: 'gap' },
    drawingDocument(),
  )
  const { document } = parseHTML(`<body>${svg}</body>`)
  const lines = [...document.querySelectorAll('g[aria-label="line"] path')]
  expect(svg.startsWith('<svg')).toBe(true)
  expect(svg).toContain('xmlns="http://www.w3.org/2000/svg"')
  expect(lines.length).toBe(3)
  expect(lines.every((line) => /^M[-\d.]+,[-\d.]+L/.test(line.getAttribute('d') ?? ''))).toBe(true)
  const texts = [...document.querySelectorAll('text')].map((text) => text.textContent)
  for (const expected of ['A <title> & more', 'sub', 'gap', 'left', 'right', 'one', 'two']) {
    expect(texts).toContain(expected)
  }
})
