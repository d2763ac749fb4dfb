import { describe, expect, test } from 'vitest'
import { samplePage } from '../../../../test/attacks/sample-page.ts'
import { type SampleReport, sampleReport, sampleUniversal } from '../../../../test/attacks/sample-report.ts'
import { inaccessible, parsed, saidBy, unbalanced } from '../../../../test/report/page-check.ts'
import { payloads } from '../../../../test/report/payloads.ts'
import type { AttackSummary } from '../../../robustness/records.ts'
import { attackPage } from './attack-page.ts'

const html = (changes: Parameters<typeof samplePage>[0] = {}): string => attackPage(samplePage(changes)).html
const section = (page: string, id: string) => parsed(page).getElementById(id)?.closest('section')
const text = (page: string, id: string): string => section(page, id)?.textContent?.replaceAll('\u00a0', ' ') ?? ''
const summary = (page: string): string =>
  parsed(page).querySelector('.summary')?.textContent?.replaceAll('\u00a0', ' ') ?? ''
const numbers = (element: Element | null | undefined): number[] =>
  [...(element?.querySelectorAll('data') ?? [])].map((data) => Number(data.getAttribute('value')))
const withSummary = (changes: Partial<AttackSummary>) => {
  const report = sampleReport()
  return { ...report, summary: { ...report.summary, ...changes } }
}

describe('the headline', () => {
  test('has robust and clean accuracy, success rate with its interval, queries and distortion', () => {
    const { summary: all } = sampleReport()
    const tiles = section(html(), 'result')?.querySelector('.tiles')
    expect(numbers(tiles)).toEqual([2 / 12, 10 / 12, 0.8, all.firstSuccessQueries.median, all.bestL2.median])
    expect(text(html(), 'result')).toContain('95 % interval 49 % to 94.3 %')
    expect(summary(html())).toBe(
      'Clean accuracy: 10 of 12 images. The attack fooled it on 8 of 10 images, half of them within 518 queries. As saved 8-bit files, 7 of these 8 still fool it. Of the other images, 2 were skipped and 1 failed.',
    )
  })

  test.each([
    [{ failUnder: 0.1, met: true }, 0.5, 'passed Robust accuracy 50 % is not below the required 10 %.'],
    [{ failUnder: 0.6, met: false }, 0.5, 'not passed Robust accuracy 50 % is below the required 60 %.'],
    [{ failUnder: 0.5, met: true }, 0.5, 'passed Robust accuracy 50 % is not below the required 50 %.'],
    [{ failUnder: 0.8, met: false }, 0.7999, 'not passed Robust accuracy 79.99 % is below the required 80 %.'],
    [
      { failUnder: 0.5, met: false },
      Number.NaN,
      'not passed There is no robust accuracy to compare with the required 50 %',
    ],
    [
      { failUnder: 0.5, met: false, unjudged: '1 of 9 images could not be measured' },
      0.9,
      'not judged The required robust accuracy of 50 % cannot be checked: 1 of 9 images could not be measured.',
    ],
  ])('compares the robust accuracy with what was required: %o', (threshold, robustAccuracy, sentence) => {
    const page = html({ threshold, report: withSummary({ robustAccuracy }) })
    expect(text(page, 'result')).toContain(sentence)
  })

  test('has the time that the evaluation took, where it was measured', () => {
    expect(text(html({ seconds: 83.25 }), 'result')).toContain('1 min 23 s')
    expect(text(html(), 'result')).not.toContain('Time')
  })

  test('says before all else that a model which changed its answers voids the result', () => {
    const canaries = { asked: 10, changed: 3, unanswered: 0, reason: 'a.png: class 1 before, class 2 now' }
    const page = html({ report: { ...sampleReport(), canaries } })
    expect(section(page, 'result')?.querySelector('.notice strong')?.textContent).toBe('This result is void:')
    expect(text(page, 'result')).toContain('3 of 10 clean images differently now')
    expect(text(html(), 'result')).not.toContain('void')
  })

  test('says what is unfinished, what it may become, and how many queries failed', () => {
    const open = { unfinished: 2, unfinishedFooled: 1, robustAccuracyBounds: [0.125, 0.25] as const }
    const page = html({ report: withSummary({ ...open, failedQueries: 40, retries: 29 }) })
    expect(summary(page)).toContain('1 failed and 2 are unfinished, 1 of them fooled so far.')
    expect(text(page, 'result')).toContain('so far; 12.5 % to 25 % with those missing')
    expect(summary(page)).toContain('40 queries brought no answer; 29 of them were asked again at once.')
    const one = summary(html({ report: withSummary({ failedQueries: 1, retries: 1 }) }))
    expect(one).toContain('1 query brought no answer and was asked again at once.')
  })

  test('says nothing of a threshold that there is not, and warns of what was warned about', () => {
    expect(parsed(html()).querySelector('.verdict')).toBeNull()
    expect(parsed(html()).getElementById('warnings')).toBeNull()
    const page = html({ report: sampleReport({ warnings: ['too few images', 'too few images', 'odd labels'] }) })
    expect([...(section(page, 'warnings')?.querySelectorAll('li') ?? [])].map((item) => item.textContent)).toEqual([
      'too few images',
      'odd labels',
    ])
  })
})

test('the statistics are those of the summary, and the account is whole', () => {
  const { summary } = sampleReport()
  const rows = [...(section(html(), 'statistics')?.querySelectorAll('.scroll tbody tr') ?? [])].map(numbers)
  const of = ({ mean, median }: { mean: number; median: number }) => [mean, median]
  expect(rows).toEqual([
    of(summary.firstSuccessIterations),
    of(summary.firstSuccessQueries),
    of(summary.firstSuccessL2sq),
    of(summary.bestL2sq),
    of(summary.finalL2sq),
    of(summary.firstSuccessL2),
    of(summary.bestL2),
    of(summary.finalL2),
    of(summary.firstSuccessLinf),
    of(summary.bestLinf),
    of(summary.finalLinf),
  ])
  const account = numbers(section(html(), 'statistics')?.querySelector('.facts'))
  const { success8bit, kept, queries, modelCalls, finalObjective } = summary
  expect(account).toEqual([12, 10, 8, success8bit, kept, 2, 1, queries, modelCalls, ...of(finalObjective)])
})

describe('the figures', () => {
  test('are drawn into the page, and lie beside it as files', () => {
    const { figures, html } = attackPage(samplePage())
    expect(Object.keys(figures)).toEqual([
      'success-queries',
      'success-distortion',
      'loss-iterations',
      'distortion-iterations',
      'l2',
      'linf',
    ])
    for (const [name, svg] of Object.entries(figures)) {
      expect(parsed(html).getElementById(`${name}-title`)).not.toBeNull()
      expect(unbalanced(svg)).toEqual([])
      expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(/https?:|NaN|Infinity/)
    }
  })

  test('of a shared perturbation show its share, its distortion and its loss against queries', () => {
    const { figures } = attackPage(samplePage({ report: sampleUniversal() }))
    expect(Object.keys(figures)).toEqual(['success-queries', 'distortion-queries', 'loss-queries'])
  })

  test('have medians in words, for those who do not see them', () => {
    const said = attackPage(samplePage()).figures['distortion-iterations']?.match(/<desc[^>]*>([^<]*)/)?.[1]
    expect(said).toMatch(/^attack: medians [\d.]+ at 10, [\d.]+ at 20, .* at 100\.$/)
  })
})

describe('the gallery', () => {
  const gallery = (changes: Parameters<typeof samplePage>[0] = {}) => section(html(changes), 'gallery')

  test('shows each fooled image before, after, and its change, with labels, queries and distances', () => {
    const report = sampleReport()
    const classNames = Array.from({ length: 10 }, (_, i) => `class-${i}`)
    const cards = [...(gallery({ classNames })?.querySelectorAll('figure') ?? [])]
    expect(cards).toHaveLength(8)
    const [first] = report.images
    expect(cards[0]?.querySelectorAll('img[src^="data:image/png;base64,"]')).toHaveLength(3)
    const said = cards[0]?.querySelector('figcaption')?.textContent ?? ''
    expect(said).toContain(
      `class-0 → class-${first?.best?.predicted}; first fooled after ${first?.first?.queries} queries`,
    )
    expect(said).toContain(
      `l₂ ${Number(first?.best?.l2.toPrecision(4))}, l∞ ${Number(first?.best?.linf.toPrecision(4))}`,
    )
  })

  test('never shows as fooled a picture whose saved 8-bit file does not fool', () => {
    const all = sampleReport({ fooled: 3 })
    const images = all.images.map((image) =>
      image.index === 0 && image.best !== null
        ? { ...image, success8bit: false, saved: { ...image.best, predicted: 0, from: 'best' as const } }
        : image,
    )
    const report = { ...all, images, summary: { ...all.summary, success8bit: 0.2 } }
    const page = html({ report })
    const badges = (id: string) =>
      [...(section(page, id)?.querySelectorAll('.badge') ?? [])].map((badge) => badge.textContent)
    expect(badges('gallery').slice(0, 3)).toEqual(['fooled', 'fooled', 'not as 8-bit file'])
    expect(badges('images')[0]).toBe('not as 8-bit file')
    const card = section(page, 'gallery')?.querySelectorAll('figure')[2]
    expect(card?.textContent).toMatch(
      /changed0.*still 0; first fooled after \d+ queries, but only before its values were rounded to 8 bits/s,
    )
    expect(card?.textContent).not.toMatch(/adversarial|→/)
    expect(summary(page)).toContain('As saved 8-bit files, 2 of these 3 still fool it.')
    expect(text(page, 'result')).toContain('20 % as saved 8-bit files')
  })

  test('shows sixty images at most and says so, most of them folded away', () => {
    const many = gallery({ report: sampleReport({ images: 100 }) })
    expect(many?.querySelectorAll('figure')).toHaveLength(60)
    expect(many?.querySelectorAll('details figure')).toHaveLength(51)
    expect(many?.textContent).toContain('60 of 80 images with pictures are shown, those fooled first.')
  })

  test('stops where the pictures would make the page unwieldy', () => {
    const large = `data:image/png;base64,${'A'.repeat(4_000_000)}`
    const page = html({ pictures: () => large })
    expect(section(page, 'gallery')?.querySelectorAll('figure')).toHaveLength(1)
    expect(page.length).toBeLessThan(17_000_000)
  })

  test('marks a picture that is missing, and is left out where there are none at all', () => {
    const page = html({ pictures: (file) => (file.includes('change') ? undefined : 'not-a-data-address.png') })
    expect(parsed(page).querySelectorAll('img')).toHaveLength(0)
    expect(section(page, 'gallery')?.querySelectorAll('.missing')).toHaveLength(24)
    expect(page).not.toContain('not-a-data-address')
    expect(gallery({ report: sampleReport({ pictures: false }) })).toBeUndefined()
  })

  test('shows a shared perturbation once, and names the target of a targeted attack', () => {
    const shared = gallery({ report: sampleUniversal() })
    expect(shared?.querySelectorAll('.solo img')).toHaveLength(1)
    expect(shared?.querySelectorAll('figure img')).toHaveLength(20)
    expect(shared?.textContent).toContain('never fooled')
    const report = sampleReport()
    const images = report.images.map((image) => ({ ...image, target: 7 }))
    expect(gallery({ report: { ...report, images } })?.textContent).toContain('(target 7)')
  })
})

describe('the tables of images', () => {
  test('list every image with its numbers, folded away where they are many', () => {
    const report = sampleReport()
    const rows = [...(section(html(), 'images')?.querySelectorAll('tbody tr') ?? [])]
    expect(rows).toHaveLength(13)
    const [image] = report.images
    const { first, best, final } = image ?? {}
    expect(numbers(rows[0])).toEqual([
      image?.queries,
      first?.queries,
      first?.l2,
      best?.l2,
      final?.l2,
      best?.linf,
      final?.linf,
    ])
    expect(section(html(), 'images')?.querySelector('details')).toBeNull()
    const long = section(html({ report: sampleReport({ images: 30 }) }), 'images')
    expect(long?.querySelector('details summary')?.textContent).toBe('Every image (33)')
  })

  test('say why images were skipped or failed', () => {
    expect(text(html(), 'left-out')).toMatch(/image-10\s*skipped.*the model misclassifies the untouched image/s)
    expect(text(html(), 'left-out')).toMatch(/image-12\s*failed.*the file is not a picture/s)
    expect(section(html({ report: sampleReport({ skipped: 0, failed: 0 }) }), 'left-out')).toBeUndefined()
  })

  test('of thousands of images keep the page small, and say how many are left out', () => {
    const page = html({ report: sampleReport({ images: 2500, pictures: false }) })
    expect(page.length).toBeLessThan(4_000_000)
    expect(text(page, 'images')).toContain('503 more are left out here')
  })
})

test('settings, machine, command, version and a word on responsible use are there', () => {
  const page = html()
  expect(text(page, 'settings')).toMatch(/model\s*digits/)
  expect(text(page, 'machine')).toMatch(/zeroth\s*0\.1\.0\s*node\s*20\.20\.0/)
  expect(section(page, 'reproduce')?.querySelector('pre')?.textContent).toBe('npx zeroth attack --seed 7')
  expect(text(page, 'use')).toContain('attack only models that are yours')
  expect(parsed(page).querySelector('time')?.getAttribute('datetime')).toBe('2026-11-21T09:41:07.123Z')
})

describe.each<[string, SampleReport]>([
  ['some images fooled', {}],
  ['none fooled', { fooled: 0 }],
  ['one image', { images: 1, skipped: 0, failed: 0 }],
  ['one image, one iteration', { images: 1, skipped: 0, failed: 0, iterations: 1 }],
  ['all skipped', { images: 0, skipped: 3, failed: 0 }],
  ['all failed', { images: 0, skipped: 0, failed: 3 }],
  ['no image at all', { images: 0, skipped: 0, failed: 0 }],
])('a page with %s', (_, sample) => {
  const pages = [sampleReport(sample), sampleUniversal(sample)].map((report) => attackPage(samplePage({ report })))

  test('is sound, can be read without seeing it, and shows no NaN', () => {
    for (const { html, figures } of pages) {
      expect(html.startsWith('<!doctype html>\n<html lang="en">')).toBe(true)
      expect(unbalanced(html.replace('<!doctype html>', ''))).toEqual([])
      expect(inaccessible(parsed(html))).toEqual([])
      const all = [saidBy(html), ...Object.values(figures)].join('')
      expect(all).not.toMatch(/NaN|Infinity|undefined|null/)
    }
  })

  test('needs nothing else', () => {
    for (const { html } of pages) {
      expect(html.replaceAll(/src="data:image\/png;base64,[\w+/=]+"/g, '')).not.toMatch(/https?:|src=|@import|url\(/)
      expect(parsed(html).querySelectorAll('iframe, object, embed')).toHaveLength(0)
      expect(parsed(html).querySelectorAll('script:not([type="application/json"])')).toHaveLength(1)
    }
  })
})

test('null where a number should be, as a file may hold it, is a dash', () => {
  const report = withSummary({
    attackSuccessRate: null as unknown as number,
    bestL2: { mean: null, median: null } as never,
  })
  const page = html({ report })
  expect(saidBy(page)).not.toMatch(/NaN|null/)
  expect(text(page, 'result')).toContain('–')
})

test('the same evaluation gives the same bytes', () => {
  expect(attackPage(samplePage())).toEqual(attackPage(samplePage()))
})

describe('texts from data sets and settings', () => {
  const made = (odd: string): string[] => {
    const report = sampleReport({ images: 2, skipped: 1, title: () => odd, warnings: [odd], iterations: 3 })
    const images = report.images.map((image) => ({ ...image, reason: image.reason && odd, stopReason: odd }))
    const { html, figures } = attackPage({
      ...samplePage({ report: { ...report, images } }),
      title: odd,
      classNames: Array.from({ length: 10 }, () => odd),
      settings: [[odd, odd]],
      machine: { [odd]: odd },
      created: odd,
      zeroth: odd,
      command: odd,
    })
    return [html, ...Object.values(figures)]
  }
  const shape = (markup: string): string[] =>
    [...parsed(markup).querySelectorAll('*')].map(({ tagName, attributes }) =>
      [tagName, ...[...attributes].map(({ name }) => name).sort()].join(' '),
    )
  const harmless = made('some plain text').map(shape)

  test.each(payloads)('%j stays a text', (payload) => {
    const pages = made(payload)
    expect(pages.map(shape)).toEqual(harmless)
    expect(unbalanced((pages[0] as string).replace('<!doctype html>', ''))).toEqual([])
  })

  test('are shown as they are', () => {
    const page = parsed(html({ title: '<b>&amp;"', report: sampleReport({ title: () => '<i>a</i>' }) }))
    expect(page.querySelector('h1')?.textContent).toBe('<b>&amp;"')
    expect(page.querySelector('.gallery strong')?.textContent).toBe('<i>a</i>')
  })
})
