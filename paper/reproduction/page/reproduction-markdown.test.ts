import { describe, expect, test } from 'vitest'
import type { ClaimResult } from './claims-section.ts'
import { heatFigure } from './figures.ts'
import type { PaperTable } from './paper-table.ts'
import { reproductionMarkdown } from './reproduction-markdown.ts'
import type { ReproductionPageData } from './reproduction-page.ts'

const evidence = {
  problem: 'constrained',
  method: 'ZO-AdaMM',
  other: 'ZO-PSGD',
  measure: 'objective, at 100 iterations',
  pairs: 8,
  mean: 1.23456,
  otherMean: 2,
  difference: -1,
  low: -1.5,
  high: Number.NaN,
  direction: 'less',
} as const
const reading = { verdict: 'holds', evidence: [evidence], remarks: ['Mind | the <gap>.'] } as const
const claims: ClaimResult[] = [
  {
    id: 'C1',
    claim: 'It *works*.',
    verdict: 'cannot be said from this scale',
    iterations: reading,
    queries: { verdict: 'does not hold', evidence: [], remarks: ['Mind | the <gap>.'] },
  },
]
const table: PaperTable = {
  file: 'table-9',
  caption: 'So many',
  emphasis: 'chosen',
  columns: [
    { key: 'problem', title: 'problem', isHidden: true },
    { key: 'method', title: 'method' },
    { key: 'rate', title: 'rate', as: 'rate' },
    { key: 'chosen', title: 'chosen', as: 'mark' },
    { key: 'theirs', title: 'paper', as: 'number', paper: true, digits: 2 },
  ],
  rows: [
    { problem: 'x', method: '|a|_b', rate: 0.001, chosen: 'best', theirs: 38.4 },
    { problem: 'x', method: 'c', rate: Number.NaN, chosen: '', theirs: undefined },
  ],
}
const figures = heatFigure(
  [{ title: 'a', xLabel: 'x', yLabel: 'y', ticks: ['1'], values: [{ x: 0, y: 0, value: 1 }] }],
  { file: 'fig-9', caption: 'Heat [of] it' },
)
const session = {
  began: '2026-01-02T03:04:05.000Z',
  ended: '2026-01-02T05:07:09.000Z',
  seconds: 100,
  attacks: 3,
  command: "npm run reproduce -- --only 'a|b'",
  zeroth: '0.1.0',
  commit: 'abc1234',
  machine: { processor: '2 x Fast' },
}
const data: ReproductionPageData = {
  title: 'The paper <again>',
  claims,
  progress: { done: 3, cells: 5, modelCalls: 12_345 },
  sections: [
    { name: 'table-9', title: 'Table 9', tables: [table], figures: [], remarks: ['A remark.'] },
    { name: 'fig-9', title: 'Fig. 9', tables: [{ ...table, isHidden: true }], figures, remarks: [] },
    { name: 'fig-10', title: 'Fig. 10', tables: [], figures: [], remarks: [] },
  ],
  settings: [['scale', 'quick']],
  provenance: { seed: 1, command: 'npm run reproduce -- --out x', seconds: 100, sittings: [session] },
}

describe('the page of a reproduction as Markdown', () => {
  const text = reproductionMarkdown(data)

  test('begins with how it was made', () => {
    expect(text.split('\n').slice(0, 9)).toEqual([
      '# The paper \\<again\\>',
      '',
      '**2 of 5 attacks have not finished.**',
      '',
      '|  |  |',
      '| --- | --- |',
      "| command | `npm run reproduce -- --only 'a\\|b'` |",
      '| zeroth | 0.1.0 |',
      '| commit | abc1234 |',
    ])
    expect(text).toContain('```sh\nnpm run reproduce -- --out x\n```')
    expect(text).not.toContain('| session |')
    const two = { ...data, provenance: { ...data.provenance, sittings: [session, session] } }
    expect(reproductionMarkdown(two)).toContain(
      "| 2026-01-02 03:04 UTC | 1 min 40 s | 3 | 0.1.0, abc1234 | `npm run reproduce -- --only 'a\\|b'` |",
    )
  })

  test('has every verdict with its evidence, both ways', () => {
    expect(text).toContain('| **C1** It \\*works\\*. | holds | does not hold | **cannot be said** |')
    expect(text).toContain(
      '| ZO-AdaMM | ZO-PSGD | constrained | objective, at 100 iterations | 8 | 1.23 / 2 | -1 (-1.5 to –) | less |',
    )
    expect(text.match(/- Mind \\\| the \\<gap\\>\./g)).toHaveLength(1)
  })

  test("has every table beside the paper's numbers, and every figure as the file beside it", () => {
    expect(text).toContain(
      [
        'So many.',
        '',
        '| method | rate | chosen | _paper_ |',
        '| --- | --: | --- | --: |',
        '| **\\|a\\|\\_b** | **1e-3** | **best** | _38.40_ |',
        '| c | – |  | – |',
        '',
        'All digits: [table-9.csv](table-9.csv).',
        '',
        '- A remark.',
      ].join('\n'),
    )
    expect(text).toContain('![Heat \\[of\\] it](fig-9.svg)\n\nHeat \\[of\\] it.')
    expect(text.match(/So many\./g)).toHaveLength(1)
    expect(text).toContain('## Fig. 10\n\nNot run yet.')
    expect(text).not.toMatch(/\bNaN\b|undefined/)
  })

  test('has no row with more or fewer cells than its table', () => {
    const widths = text
      .split('\n\n')
      .filter((part) => part.startsWith('|'))
      .map((part) => [...new Set(part.split('\n').map((line) => line.match(/(?<!\\)\|/g)?.length))].length)
    expect(widths.length).toBeGreaterThan(3)
    expect(widths.every((each) => each === 1)).toBe(true)
  })
})
