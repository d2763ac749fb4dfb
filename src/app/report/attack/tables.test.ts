import { describe, expect, test } from 'vitest'
import { sampleComparison } from '../../../../test/attacks/sample-page.ts'
import { sampleReport, sampleUniversal } from '../../../../test/attacks/sample-report.ts'
import { inaccessible, parsed, saidBy, unbalanced } from '../../../../test/report/page-check.ts'
import { payloads } from '../../../../test/report/payloads.ts'
import { ZerothError } from '../../../optimizer/core/errors.ts'
import { attackPage } from './attack-page.ts'

const { html, figures } = attackPage(sampleComparison())
const section = (page: string, id: string) => parsed(page).getElementById(id)?.closest('section')
const rows = (table: Element | undefined) => [...(table?.querySelectorAll('tbody tr') ?? [])]
const tables = (page: string, id: string): Element[] => [...(section(page, id)?.querySelectorAll('table') ?? [])]
const numbers = (element: Element | null | undefined): number[] =>
  [...(element?.querySelectorAll('data') ?? [])].map((data) => Number(data.getAttribute('value')))
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

describe('a comparison', () => {
  test('calls robust only what no method fooled', () => {
    const tiles = numbers(section(html, 'result'))
    expect(tiles.slice(0, 3)).toEqual([2 / 12, 10 / 12, 0.8])
    expect(section(html, 'result')?.textContent).toContain('2 of 12 images withstood all methods')
    expect(section(html, 'result')?.textContent).toContain('zo-adamm, unconstrained')
  })

  test('ranks no attacks that differ in more than their methods, and says in what', () => {
    const differences = [
      'linf differs: 8/255 (zo-psgd), 0.1 (zo-sgd)',
      'maxQueries differs: 300 (zo-psgd), 500 (zo-sgd)',
    ]
    const unlike = attackPage({ ...sampleComparison(), differences }).html
    const said = parsed(unlike).querySelector('.summary')?.textContent
    expect(parsed(html).querySelector('.summary')?.textContent).toContain('The strongest is zo-adamm')
    expect(said).not.toContain('strongest')
    expect(said).toContain('zo-psgd fooled the model on 5 of 10 images')
    expect(section(unlike, 'result')?.querySelector('.notice')?.textContent).toBe(
      `These attacks cannot be ranked: ${differences.join('; ')}.`,
    )
    expect(section(unlike, 'result')?.textContent).not.toContain('Highest success rate')
  })

  test('has all methods in the same tables, with what the evaluations say', () => {
    const [outcome, means] = tables(html, 'comparison')
    expect(rows(outcome).map((row) => row.querySelector('th')?.textContent?.trim())).toEqual([
      'zo-psgd',
      'zo-adamm',
      'zo-sgd',
      'zo-adamm',
    ])
    expect(rows(outcome).map((row) => numbers(row)[0])).toEqual([0.5, 0.6, 0.7, 0.8])
    const summaries = sampleComparison().runs.map(({ report }) => report.summary)
    expect(rows(means).map((row) => numbers(row).slice(0, 3))).toEqual(
      summaries.map(({ firstSuccessIterations, firstSuccessQueries, firstSuccessL2sq }) => [
        firstSuccessIterations.mean,
        firstSuccessQueries.mean,
        firstSuccessL2sq.mean,
      ]),
    )
    expect(rows(tables(html, 'further')[0]).map((row) => numbers(row)[0])).toEqual(
      summaries.map(({ firstSuccessIterations }) => firstSuccessIterations.median),
    )
  })

  test('compares what is comparable: the images that every method of a problem fooled', () => {
    const [, , constrained] = tables(html, 'comparison')
    expect(constrained?.querySelector('caption')?.textContent).toBe(
      'Means over the 5 images that every method fooled, constrained',
    )
    const second = sampleComparison().runs[1]?.report.images.slice(0, 5) ?? []
    const expected = [
      mean(second.map(({ first }) => first?.iteration ?? 0)),
      mean(second.map(({ first }) => first?.queries ?? 0)),
      mean(second.map(({ first }) => first?.l2sq ?? 0)),
    ]
    numbers(rows(constrained)[1])
      .slice(0, 3)
      .forEach((value, i) => {
        expect(value).toBeCloseTo(expected[i] as number, 12)
      })
  })

  test('says where no image is common, and leaves the table out for shared perturbations', () => {
    const [first, second] = sampleComparison().runs
    if (first === undefined || second === undefined) throw new Error('no runs')
    const none = attackPage(sampleComparison({ runs: [first, { ...second, report: sampleReport({ fooled: 0 }) }] }))
    expect(section(none.html, 'comparison')?.textContent).toContain('No image was fooled by every method')
    const runs = [first, second].map((run) => ({ ...run, report: sampleUniversal() }))
    const universal = attackPage(sampleComparison({ runs }))
    expect(tables(universal.html, 'comparison')).toHaveLength(2)
    expect(Object.keys(universal.figures)).toEqual(['success-queries', 'distortion-queries', 'loss-queries'])
  })

  test('draws a panel per problem with the same axes, a method in its colour in both', () => {
    expect(Object.keys(figures)).toEqual(
      ['success-queries', 'success-distortion', 'loss-iterations', 'distortion-iterations', 'l2', 'linf'].flatMap(
        (name) => [`${name}-constrained`, `${name}-unconstrained`],
      ),
    )
    for (const name of ['success-queries', 'distortion-iterations', 'l2']) {
      const [one, other] = ['constrained', 'unconstrained'].map((problem) =>
        parsed(figures[`${name}-${problem}`] ?? ''),
      )
      const ticks = (svg: Document | undefined) =>
        [...(svg?.querySelectorAll('g[data-mark="y-axis tick label"] text') ?? [])].map((tick) => tick.textContent)
      expect(ticks(one).length).toBeGreaterThan(1)
      expect(ticks(one)).toEqual(ticks(other))
    }
    const lines = (problem: string) =>
      [...parsed(figures[`success-queries-${problem}`] ?? '').querySelectorAll('g[data-mark="line"]')].map((line) =>
        line.getAttribute('stroke'),
      )
    expect(lines('constrained')).toEqual(['var(--c2)', 'var(--c1)'])
    expect(lines('unconstrained')).toEqual(['var(--c2)', 'var(--c3)'])
  })

  test('shows the same image of all methods in a row, where one of them fooled it', () => {
    const gallery = section(html, 'gallery')
    expect(gallery?.querySelectorAll('h3')).toHaveLength(8)
    expect([...(gallery?.querySelectorAll('.row') ?? [])].map((row) => row.querySelectorAll('.shot').length)).toEqual(
      Array(8).fill(5),
    )
    expect(gallery?.querySelectorAll('.missing')).toHaveLength(6)
    const bare = sampleComparison().runs.map(({ pictures: _, ...run }) => run)
    expect(section(attackPage(sampleComparison({ runs: bare })).html, 'gallery')).toBeUndefined()
  })

  test('shows no more than twelve images, and says so', () => {
    const runs = sampleComparison().runs.map((run) => ({ ...run, report: sampleReport({ images: 50 }) }))
    const page = attackPage(sampleComparison({ runs }))
    expect(section(page.html, 'gallery')?.querySelectorAll('.row')).toHaveLength(12)
    expect(section(page.html, 'gallery')?.textContent).toContain('The first 12 of 40 images')
  })

  test('has the settings of each method, and names skipped images once', () => {
    expect(rows(tables(html, 'settings')[0]).map((row) => row.querySelectorAll('td')[1]?.textContent)).toEqual([
      '1',
      '2',
      '3',
      '4',
    ])
    const left = rows(tables(html, 'left-out')[0])
    expect(left).toHaveLength(3)
    expect(left[0]?.textContent).toContain('all')
  })

  test('warns where the images are not the same', () => {
    expect(parsed(html).querySelector('.notice')).toBeNull()
    const [first, second] = sampleComparison().runs
    if (first === undefined || second === undefined) throw new Error('no runs')
    const runs = [first, { ...second, report: sampleReport({ images: 9 }) }]
    const page = parsed(attackPage(sampleComparison({ runs })).html)
    expect(page.querySelector('.notice')?.textContent).toContain(
      'These attacks cannot be ranked: not all of them attacked the same images.',
    )
  })

  test('says of each method whether it meets what was required of it', () => {
    const runs = sampleComparison().runs.map((run, i) => ({ ...run, threshold: { failUnder: 0.5, met: i === 0 } }))
    const page = parsed(attackPage(sampleComparison({ runs })).html)
    const verdicts = [...page.querySelectorAll('.verdict')].map(({ textContent }) => textContent)
    expect(verdicts).toHaveLength(4)
    expect(verdicts[0]).toMatch(/^passed zo-psgd: Robust accuracy/)
    expect(verdicts[3]).toMatch(/^not passed zo-adamm: Robust accuracy/)
  })

  test('names the machines of the methods where they are not the same', () => {
    const runs = sampleComparison().runs.map((run, i) => ({ ...run, machine: { node: i < 3 ? '20' : '22' } }))
    const page = attackPage(sampleComparison({ runs })).html
    expect(tables(page, 'machine').map((table) => table.querySelector('caption')?.textContent)).toEqual([
      'Evaluations zo-psgd, zo-adamm, zo-sgd',
      'Evaluations zo-adamm',
    ])
  })

  test('of nothing is a clear error', () => {
    expect(() => attackPage(sampleComparison({ runs: [] }))).toThrow(ZerothError)
    expect(() => attackPage(sampleComparison({ runs: [] }))).toThrow('there are no evaluations to show')
  })
})

describe.each([
  ['as usual', {}],
  ['with none fooled', { fooled: 0 }],
  ['with one image', { images: 1, skipped: 0, failed: 0 }],
  ['with all skipped', { images: 0, skipped: 3 }],
])('a comparison %s', (_, sample) => {
  const runs = sampleComparison().runs.map((run) => ({ ...run, report: sampleReport(sample) }))
  const page = attackPage(sampleComparison({ runs }))

  test('is sound, can be read without seeing it, and shows no NaN', () => {
    expect(unbalanced(page.html.replace('<!doctype html>', ''))).toEqual([])
    expect(inaccessible(parsed(page.html))).toEqual([])
    const all = [saidBy(page.html), ...Object.values(page.figures)].join('')
    expect(all).not.toMatch(/NaN|Infinity|undefined|null/)
  })
})

test('hostile names of methods and problems stay texts', () => {
  const made = (odd: string): string[] => {
    const report = sampleReport({ images: 2, skipped: 1, iterations: 3 })
    const names = (i: number) => ({ name: `${i}${odd}`, problem: `${i % 2}${odd}` })
    const runs = sampleComparison().runs.map((run, i) => ({ ...run, report, ...names(i) }))
    const page = attackPage(sampleComparison({ runs }))
    return [page.html, ...Object.values(page.figures)]
  }
  const shape = (markup: string) => [...parsed(markup).querySelectorAll('*')].map(({ tagName }) => tagName)
  const harmless = made(' plain').map(shape)
  for (const payload of payloads.slice(0, 6)) expect(made(payload).map(shape)).toEqual(harmless)
})
