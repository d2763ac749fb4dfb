import { describe, expect, test } from 'vitest'
import { sampleReport, sampleUniversal } from '../../../test/attacks/sample-report.ts'
import { inaccessible, parsed, saidBy, unbalanced } from '../../../test/report/page-check.ts'
import type { ClaimEvidence, ClaimResult } from './claims-section.ts'
import { courseFigure, heatFigure, pictureFigure, universalFigure } from './figures.ts'
import type { WorkSession } from './provenance.ts'
import { reproductionMarkdown } from './reproduction-markdown.ts'
import { type ReproductionPageData, reproductionPage } from './reproduction-page.ts'

const evidence: ClaimEvidence = {
  problem: 'constrained',
  method: 'ZO-AdaMM',
  other: 'ZO-PSGD',
  measure: 'objective, at 100 iterations',
  pairs: 8,
  mean: 1,
  otherMean: 2,
  difference: -1,
  low: -1.5,
  high: -0.5,
  direction: 'less',
}
const reading = { verdict: 'holds', evidence: [evidence], remarks: ['Mind the <gap>.'] } as const
const claims: ClaimResult[] = [
  {
    id: 'C1',
    claim: 'It works.',
    verdict: 'cannot be said from this scale',
    iterations: reading,
    queries: { ...reading, verdict: 'cannot be said from this scale', evidence: [] },
  },
]
const runs = ['unconstrained', 'constrained'].flatMap((problem) =>
  ['ZO-SGD', 'ZO-AdaMM'].map((name, seed) => ({ name, problem, report: sampleReport({ seed }) })),
)
const universal = ['ZO-NES', 'ZO-AdaMM'].map((name, seed) => ({
  name,
  problem: 'constrained',
  report: sampleUniversal({ seed }),
}))
const heat = {
  title: '(a)',
  xLabel: 'beta2',
  yLabel: 'beta1',
  ticks: ['0.1', '0.9'],
  values: [
    { x: 0, y: 0, value: 3 },
    { x: 1, y: 0, value: 2 },
    { x: 0, y: 1, value: 0.5 },
    { x: 1, y: 1, value: Number.NaN },
  ],
}
const pictures = [
  {
    title: 'ZO-NES',
    pictures: [
      { png: Uint8Array.of(1, 2, 3), text: 'max 0.1' },
      { png: undefined, text: '' },
    ],
  },
]
const figures = [
  ...courseFigure(runs, { file: 'fig-1', caption: 'Boxes' }),
  ...universalFigure(universal, { file: 'fig-2', caption: 'Lines' }),
  ...heatFigure([heat, { ...heat, title: '(b)' }], { file: 'fig-a1', caption: 'Heat' }),
  ...pictureFigure(pictures, { file: 'fig-a2', caption: 'Pictures', heads: ['iteration 1', ''] }),
]
const session: WorkSession = {
  began: '2026-01-02T03:04:05.000Z',
  ended: '2026-01-02T05:07:09.000Z',
  seconds: 7384,
  attacks: 3,
  command: 'npm run reproduce -- --out <x>',
  zeroth: '0.1.0',
  commit: 'abc1234 + changes',
  machine: { processor: '2 x Fast', node: '20' },
}
const data: ReproductionPageData = {
  title: 'The paper <again>',
  claims,
  progress: { done: 3, cells: 5, modelCalls: 12_345 },
  sections: [
    { name: 'fig-1', title: 'Figures', tables: [], figures, remarks: ['A remark.'] },
    { name: 'table-9', title: 'Empty', tables: [], figures: [], remarks: [] },
  ],
  settings: [['scale', 'quick']],
  provenance: { seed: 1, command: 'npm run reproduce -- --out x', seconds: 7384, sittings: [session] },
}

describe('the page of a reproduction', () => {
  const { html, figures: files } = reproductionPage(data)

  test('is sound markup that anybody can read', () => {
    expect(unbalanced(html)).toEqual([])
    expect(inaccessible(parsed(html))).toEqual([])
    expect(saidBy(html)).not.toMatch(/\bNaN\b|undefined/)
    expect(html).toContain('The paper &#60;again&#62;')
  })

  test('has every figure as one file of its own', () => {
    expect(Object.keys(files)).toEqual(['fig-1', 'fig-2', 'fig-a1', 'fig-a2'])
    for (const svg of Object.values(files))
      expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" .*<\/svg>\n$/s)
    // Loss and distortion of two problems.
    expect(files['fig-1']?.match(/over iterations, (un)?constrained<\/text>/g)).toHaveLength(4)
    expect(files['fig-2']).toContain('>iterations</text>')
    expect(files['fig-a2']).toContain('href="data:image/png;base64,AQID"')
  })

  test('frames the least value of a heat map and leaves out what is not known', () => {
    const [, first = ''] = (files['fig-a1'] ?? '').split('(a)</text>')
    const map = first.split('(b)</text>')[0] ?? ''
    expect(map.match(/<rect/g)).toHaveLength(3)
    expect(map.match(/stroke-width="2.5"\/><text[^>]*>0\.5</g)).toHaveLength(1)
  })

  test('says both verdicts, what they rest on, and what is missing', () => {
    const document = parsed(html)
    const row = [...document.querySelectorAll('#claims ~ .scroll tbody tr')].map((each) =>
      each.textContent?.replace(/\s+/g, ' '),
    )
    expect(row).toEqual(['C1 It works.holdscannot be saidcannot be said'])
    expect(html).toContain('Mind the &#60;gap&#62;.')
    expect(html).toContain('2 of 5 attacks have not finished')
    expect(html).toContain('Not run yet.')
    expect(html).toContain('12,345 images classified')
  })

  test('says with what, when and on what it was made; several sessions one by one', () => {
    const facts = (text: string) => text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
    expect(facts(html)).toContain('zeroth 0.1.0 (abc1234 + changes)')
    expect(facts(html)).toContain(
      'command npm run reproduce -- --out &#60;x&#62; zeroth 0.1.0 commit abc1234 + changes seed 1',
    )
    expect(facts(html)).toContain('machine 2 x Fast, Node 20 date 2026-01-02 03:04 to 05:07 UTC sessions 1')
    expect(html).not.toContain('Each session continues')
    const two = {
      ...data,
      provenance: { ...data.provenance, sittings: [session, { ...session, began: '2026-01-03T00:00:00.000Z' }] },
    }
    const table = reproductionPage(two).html.split('Each session continues where').at(-1) ?? ''
    expect(table.match(/<tr>/g)?.length).toBeGreaterThanOrEqual(2)
    expect(facts(table)).toContain('2026-01-03 00:00 UTC 2 h 3 min 3 0.1.0 abc1234 + changes')
  })

  test('gives a method the same colour in every figure, and shows a dashed line over the one it covers', () => {
    const order = ['A', 'B', 'C', 'D', 'E', 'F', 'ZO-AdaMM']
    const [drawn] = universalFigure(universal, { file: 'x', caption: 'x', order: ['ZO-NES', ...order.slice(1)] })
    const strokes = [...(drawn?.chart.file ?? '').matchAll(/<path[^>]*|<g[^>]*data-mark="line"[^>]*/g)].map(String)
    const dashes = strokes.filter((each) => each.includes('stroke="var(--c1)"'))
    // Both have the first colour: the seventh is the first one dashed, and lies in front.
    expect(dashes.map((each) => /stroke-dasharray="([^"]*)"/.exec(each)?.[1])).toEqual([
      undefined,
      '5 3',
      undefined,
      '5 3',
    ])
  })

  test('says what was found before it shows it, and nothing of claims where there are none', () => {
    const [first] = data.sections
    if (first === undefined) throw new Error('a section is missing')
    const other = { ...data, claims: [], sections: [{ ...first, findings: ['Better <by far>.'] }] }
    const page = reproductionPage(other).html
    expect(page).not.toContain('Claims of the paper')
    expect(page.indexOf('Better &#60;by far&#62;.')).toBeLessThan(page.indexOf('<figure'))
    expect(inaccessible(parsed(page))).toEqual([])
    const markdown = reproductionMarkdown(other)
    expect(markdown).not.toContain('Claims of the paper')
    expect(markdown).toContain('## Figures\n\nBetter \\<by far\\>.\n\n![')
  })

  test('draws no figure from nothing', () => {
    const name = { file: 'x', caption: 'x' }
    expect(
      [
        courseFigure([], name),
        universalFigure([], name),
        heatFigure([], name),
        pictureFigure([], { ...name, heads: [] }),
      ].flat(),
    ).toEqual([])
  })
})
