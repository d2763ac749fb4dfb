import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { withTables } from './docs-tables.ts'
import { generalMarkdown } from './markdown.ts'
import { type Findings, generalPage } from './page.ts'
import { summarize } from './summary.ts'
import { testRow } from './test-row.ts'
import { verdicts } from './verdicts.ts'

const rows = [
  testRow({ problem: 'a', hits: [5, 10, 20, 40, undefined], seenHits: [5, 10, 20, 40, undefined], reported: 0.05 }),
  testRow({ problem: 'b' }),
  testRow({ solver: 'scipy-lbfgsb', own: false, problem: 'a', hits: [1, 1, 1, 1, 1] }),
  testRow({ solver: 'scipy-lbfgsb', own: false, problem: 'b', hits: [1, 1, 1, 1, 1] }),
  testRow({ group: 'large-10000', problem: 'logistic-10000', dim: 10_000, best: 0.05, reported: 0.06 }),
]
const summaries = summarize(rows)
const findings: Findings = {
  rows,
  summaries,
  method: 'auto',
  verdicts: verdicts('auto', rows, summaries),
  machine: ['- Command: `npm run bench -- general`', '- Date: 2026-01-02', '- Node 20.0.0, V8 1.2'],
}

describe('the page of the general benchmark', () => {
  const { html, figures } = generalPage(findings)

  it('draws three data profiles per group of small problems, and none of large ones', () => {
    expect(Object.keys(figures)).toEqual(['more-wild-0.1', 'more-wild-1e-3', 'more-wild-1e-5'])
    expect(html.match(/<svg class="zeroth-chart"/g)).toHaveLength(3)
  })

  it('draws our methods with unbroken and peers with dashed lines, the same in all figures', () => {
    for (const figure of Object.values(figures)) {
      expect(figure).toMatch(/stroke="var\(--c1\)"[^>]*stroke-dasharray="none"\/><text[^>]*>auto</)
      expect(figure).toMatch(/stroke="var\(--c1\)"[^>]*stroke-dasharray="5 3"\/><text[^>]*>scipy-lbfgsb</)
    }
  })

  it('says goals, shares, command, date and machine', () => {
    for (const text of [
      '0.50 / 0.50 / -',
      '1.00 scipy-lbfgsb',
      'npm run bench -- general',
      '2026-01-02',
      '5.0e-4 / 6.0e-4',
    ]) {
      expect(html).toContain(text)
    }
  })
})

describe('the same as Markdown', () => {
  it('has a table of goals and one per group', () => {
    const text = generalMarkdown(findings)
    expect(text.match(/^## /gm)).toHaveLength(3)
    expect(text).toMatch(/\| auto +\| +0\.50\/0\.50\/- \|/)
    expect(text).toContain('| scipy-lbfgsb | 1.00/0.00/- |')
  })
})

describe('the tables of docs/which-method.md', () => {
  const page = readFileSync(new URL('../../docs/which-method.md', import.meta.url), 'utf8')
  const written = withTables(page, findings)

  it('go between its marks and replace what stood there', () => {
    expect(withTables(written, findings)).toBe(written)
    expect(written).toMatch(/\| `auto` +\| 0\.50 \/ 0\.50 \/ 0\.50 \|/)
    expect(written).toMatch(/\| `scipy-lbfgsb` +\| 1\.00 \/ 1\.00 \/ 1\.00 \|/)
    expect(written).toContain('- Date: 2026-01-02')
  })

  it('show a dash where a method was not run', () => {
    expect(written).toMatch(/\| `auto` +\| +- \| +- \| +5\.0e-4 \|/)
  })
})
