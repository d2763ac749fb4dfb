import { describe, expect, it } from 'vitest'
import { attacksMarkdown } from './markdown.ts'
import { attacksPage, type Findings } from './page.ts'
import { summarize } from './summary.ts'
import { distances, testRow } from './test-row.ts'
import { cellText } from './text.ts'
import { verdicts } from './verdicts.ts'

const peer = { own: false, version: 'torchattacks 3.5.1' }
const near = { cell: 'digits-nearest' }
const rows = [
  testRow({ first: 80 }),
  testRow({ first: 120, image: 1 }),
  testRow({ ...peer, solver: 'square-torchattacks', first: 700 }),
  testRow({ ...peer, solver: 'square-torchattacks', image: 1 }),
  testRow({ ...near, first: 20, best: distances([20, 2], [1000, 0.7], [5000, 0.62]) }),
  testRow({ ...near, ...peer, solver: 'hopskipjump-art', first: 20, best: distances([20, 3], [5000, 1]) }),
]
const summaries = summarize(rows)
const findings: Findings = {
  rows,
  summaries,
  method: 'ours',
  verdicts: verdicts('ours', rows),
  machine: ['- Command: `npm run bench -- attacks`', '- Date: 2026-01-02', '- Node 20.0.0, V8 1.2'],
}

describe('the page of the benchmark of attacks', () => {
  const { html, figures } = attacksPage(findings)

  it('draws one figure per cell: success against queries, or the median distance', () => {
    expect(Object.keys(figures)).toEqual(['cifar10-linf', 'digits-nearest'])
    expect(figures['cifar10-linf']).toContain('share of runs that succeeded')
    expect(figures['digits-nearest']).toContain('median l2 of the nearest success')
  })

  it('draws our methods with unbroken and peers with dashed lines, the same in all figures', () => {
    for (const figure of Object.values(figures)) {
      expect(figure).toMatch(/stroke="var\(--c1\)"[^>]*stroke-dasharray="none"\/><text[^>]*>ours</)
    }
    expect(figures['cifar10-linf']).toMatch(/stroke="var\(--c1\)"[^>]*stroke-dasharray="5 3"\/><text[^>]*>square-torch/)
    expect(figures['digits-nearest']).toMatch(/stroke="var\(--c2\)"[^>]*stroke-dasharray="5 3"\/><text[^>]*>hopskip/)
  })

  it('says goals, versions, command, date and machine', () => {
    for (const text of ['100', '1 of 2', '0.700', 'torchattacks 3.5.1', 'npm run bench -- attacks', '2026-01-02']) {
      expect(html).toContain(text)
    }
  })
})

describe('the same as text', () => {
  it('has success and queries where there is a limit, distances where there is none', () => {
    const [limited, nearest] = summaries.map(cellText)
    expect(limited).toMatch(/^CIFAR-10, l-infinity 8\/255, 10,000 queries \(2 images\)/)
    expect(limited).toMatch(/ours +2 of 2 +100 +100 +1 of 2 +2 of 2/)
    expect(limited).toMatch(/square-torchattacks +1 of 2 +700 +5350 +0 of 2 +0 of 2/)
    expect(nearest).toMatch(/ours +1 of 1 +0\.700 +0\.620 +0\.620/)
    expect(nearest).toMatch(/hopskipjump-art +1 of 1 +3\.000 +1\.000 +1\.000/)
  })

  it('as Markdown has a table of goals, and a table and a figure per cell', () => {
    const text = attacksMarkdown(findings)
    expect(text.match(/^## /gm)).toHaveLength(3)
    expect(text).toContain('![Digits, nearest success](attacks/digits-nearest.svg)')
    expect(text).toMatch(/\| CIFAR-10, l-infinity 8\/255: mean queries to the first success +\| +<= 100 \| +100 \|/)
  })
})
