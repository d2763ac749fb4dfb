import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { inaccessible, parsed, unbalanced } from '../../../../test/report/page-check.ts'
import { payloads } from '../../../../test/report/payloads.ts'
import { sampleRun } from '../../../../test/report/sample-run.ts'
import { ZerothError } from '../../../optimizer/core/errors.ts'
import { luckyValue } from '../../../optimizer/core/ledger.ts'
import { summarize } from '../../../optimizer/core/statistics.ts'
import { textOf } from '../markup.ts'
import { recipesSection, runPage, settingsSection } from './run-page.ts'
import { type RunData, runGroups } from './runs.ts'

describe('run page', () => {
  const page = (runs: readonly RunData[], target?: number) => runPage(runs, { title: 'A title', target })
  const numbers = (element: Element | null | undefined): number[] =>
    [...(element?.querySelectorAll('data') ?? [])].map((data) => Number(data.getAttribute('value')))
  const section = (html: string, id: string): Element | null | undefined =>
    parsed(html).getElementById(id)?.closest('section')

  /** Three groups: two of five seeds each, and one run that was interrupted. */
  const values = { 'zo-adamm': [0.1, 0.3, 0.2, 1 / 3, 0.25], 'zo-sgd': [2, 1, 5, 3, 4] }
  const comparison = [
    ...Object.entries(values).flatMap(([name, ends]) =>
      ends.map((end, i) => sampleRun({ name: `${name}-${i}`, spec: { solver: { name }, seed: i }, best: [9, 6, end] })),
    ),
    sampleRun({
      name: 'slow',
      spec: { solver: { name: 'zo-scd' } },
      status: 'interrupted',
      result: undefined,
      best: [9, 8],
    }),
  ]

  describe('a page of one run', () => {
    const run = sampleRun({
      name: 'one',
      best: [7.123456789012345, 1 / 3],
      result: {
        value: 0.1 + 0.2,
        queries: 12345,
        cacheHits: 6,
        retries: 5,
        iterations: 2,
        seconds: 83.25,
        skippedIterations: 3,
      },
    })
    const { html } = page([run])

    test('says value, queries, iterations and time exactly, and why it stopped', () => {
      expect(numbers(section(html, 'result'))).toEqual([0.30000000000000004, 12345, 2, 83.25])
      const text = section(html, 'result')?.textContent
      for (const part of ['0.30000000000000004', '12,345', '1 min 23 s', 'all queries used', 'max-queries'])
        expect(text).toContain(part)
    })

    test('has the whole account and the point', () => {
      const details = section(html, 'details')
      expect(numbers(details)).toEqual([-1.5, 0.25, Math.sqrt(0.0625 + 2.25), 1 / 3, 6, 5, 0, 3])
      for (const part of ['2 variables', '0.25, -1.5', 'ab'.repeat(32)]) expect(details?.textContent).toContain(part)
    })

    test('shows settings, machine, and the command that runs it again', () => {
      const { html } = page([sampleRun({ machine: { node: '20.20.0' }, spec: { maxQueries: 34 } })])
      expect(section(html, 'settings')?.textContent).toMatch(/maxQueries\s*34/)
      expect(section(html, 'machine')?.textContent).toMatch(/zeroth\s*0\.1\.0\s*node\s*20\.20\.0/)
      expect(section(html, 'reproduce')?.querySelector('pre')?.textContent).toBe('npx zeroth@0.1.0 minimize spec.json')
      expect(JSON.parse(section(html, 'reproduce')?.querySelector('details pre')?.textContent ?? '')).toEqual({
        objective: { name: 'rosenbrock' },
        dim: 2,
        solver: { name: 'zo-adamm' },
        seed: 7,
        maxQueries: 34,
      })
    })

    test('draws the best value thickly and the current one thinly, against queries and time', () => {
      const { figures } = page([sampleRun({ best: [9, 5, 1], value: [9, 11, 1] })])
      expect(Object.keys(figures)).toEqual(['convergence-queries', 'convergence-time'])
      for (const svg of Object.values(figures))
        expect(parsed(svg).querySelectorAll('g[data-mark="line"]')).toHaveLength(2)
    })
  })

  describe('a run whose answers vary', () => {
    const phases = [{ method: 'noisy-descent', why: 'noise', queries: 33, value: -0.125 }]
    const luck = 'shows the lowest single answer so far, which is too low by luck'

    test('finished above its lowest answer: the page says what the lines and phases show', () => {
      const { html } = page([sampleRun({ best: [4, 1, -0.125], result: { value: 0.0625, phases } })])
      expect(section(html, 'convergence')?.textContent).toContain(luck)
      expect(section(html, 'phases')?.textContent).toContain('Lowest answer then')
      const { html: exact } = page([sampleRun({ best: [4, 1, -0.125], result: { phases } })])
      expect(section(exact, 'convergence')?.textContent).not.toContain(luck)
      expect(section(exact, 'phases')?.textContent).toContain('Best value then')
    })

    test('finished: beside its value, which is one answer, stand their mean and its error', () => {
      const { html } = page([sampleRun({ result: { estimate: { mean: 0.0625, error: 0.0078125, answers: 41 } } })])
      expect(section(html, 'result')?.textContent).toContain('mean of 41 answers there: 0.0625 ± 0.0078125')
    })

    test('stopped: the value itself is said to be too low', () => {
      const { html } = page([sampleRun({ status: 'aborted', result: { warnings: [luckyValue] } })])
      expect(section(html, 'result')?.textContent).toContain('lowest noisy evaluation (optimistic)')
    })
  })

  describe('a run that has not finished', () => {
    test.each([
      ['interrupted', 'This run was interrupted after 33 queries'],
      ['running', 'This run was still running after 33 queries'],
      ['odd', 'its status is odd'],
    ])('%s: is shown as such, with what its trace has', (status, sentence) => {
      const { html } = page([sampleRun({ name: 'some-run', status, result: undefined })])
      expect(parsed(html).querySelector('.notice')?.textContent).toContain(sentence)
      expect(numbers(section(html, 'result'))).toEqual([1, 33, 3, 3])
      expect(section(html, 'details')?.textContent).toContain('It is known when the run has ended.')
    })

    test.each(['aborted', 'failed'])('%s: has a result and says that it is not the end', (status) => {
      const result = { stopReason: status === 'failed' ? 'objective-failed' : 'aborted' }
      const { html } = page([sampleRun({ status, result })])
      expect(parsed(html).querySelector('.notice')?.textContent).toContain(`after 34 queries`)
    })

    test('before its first iteration there is nothing to draw, and the page says so', () => {
      const { html, figures } = page([sampleRun({ status: 'running', result: undefined, best: [] })])
      expect(figures).toEqual({})
      expect(section(html, 'convergence')?.textContent).toContain('No iteration has brought a value yet.')
    })
  })

  describe('a page of several runs', () => {
    const { html, figures } = page(comparison)
    const tables = [...(section(html, 'comparison')?.querySelectorAll('table') ?? [])]
    const rows = (table: Element | undefined): Element[] => [...(table?.querySelectorAll('tbody tr') ?? [])]

    test('compares groups by their median, with the statistics of exactly the given values', () => {
      expect(rows(tables[0]).map((row) => row.querySelector('th')?.textContent?.trim())).toEqual([
        'zo-adamm',
        'zo-sgd',
        'zo-scd',
      ])
      const expected = [...Object.values(values), [8]].map(summarize)
      expect(rows(tables[0]).map(numbers)).toEqual(
        expected.map(({ count, median, mean, deviation, smallest, largest }) => [
          count,
          median,
          mean,
          deviation,
          smallest,
          largest,
        ]),
      )
      expect(rows(tables[1]).map((row) => numbers(row).slice(0, 3))).toEqual([
        [34, 3, 3.5],
        [34, 3, 3.5],
        [22, 2, 2],
      ])
    })

    test('has a strip with a dot per run, and says which values are provisional', () => {
      expect(
        [...parsed(html).querySelectorAll('.strip')].map((strip) => strip.querySelectorAll('circle').length),
      ).toEqual([5, 5, 1])
      expect(section(html, 'comparison')?.textContent).toContain('zo-scd: not finished, these are the values so far.')
    })

    test('lists every run with its own numbers, best first', () => {
      const found = rows(section(html, 'runs')?.querySelector('table') ?? undefined)
      expect(found.map((row) => numbers(row)[0])).toEqual([0.1, 0.2, 0.25, 0.3, 1 / 3, 1, 2, 3, 4, 5, 8])
      expect(found.at(-1)?.textContent).toContain('interrupted')
      expect(found[0]?.textContent).toContain('all queries used')
    })

    test('draws a line per group, and a band where it has several runs', () => {
      for (const svg of Object.values(figures)) {
        expect(parsed(svg).querySelectorAll('g[data-mark="line"]')).toHaveLength(3)
        expect(parsed(svg).querySelectorAll('g[data-mark="area"]')).toHaveLength(2)
        const texts = [...parsed(svg).querySelectorAll('text')].map(({ textContent }) => textContent)
        expect(texts).toEqual(expect.arrayContaining(['zo-adamm', 'zo-sgd', 'zo-scd']))
      }
    })

    test('counts how many runs reached the target and how soon, with the target of the specs unless given', () => {
      const reached = (html: string) =>
        [...(section(html, 'comparison')?.querySelectorAll('table')[1]?.querySelectorAll('tbody tr') ?? [])].map(
          (row) => row.textContent,
        )
      const given = page(comparison, 0.25).html
      expect(reached(given)[0]).toContain('3 of 5')
      expect(reached(given)[1]).toContain('0 of 5')
      const own = page([1, 2].map((seed) => sampleRun({ spec: { seed, target: 2 } }))).html
      expect(reached(own)[0]).toContain('2 of 2')
      expect(numbers(section(own, 'comparison')?.querySelectorAll('table')[1]).at(-1)).toBe(22)
    })

    test('says when the objectives differ, and with which settings the groups do', () => {
      const runs = ['sphere', 'rosenbrock'].map((name) => sampleRun({ name, spec: { objective: { name } } }))
      const { html } = page(runs)
      expect(section(html, 'result')?.textContent).toContain('do not all minimise the same objective')
      expect(section(html, 'settings')?.textContent).toMatch(/What differs.*objective\.name.*What all share/s)
      expect(section(page(comparison).html, 'result')?.textContent).not.toContain('same objective')
    })

    test('names each warning, failure and unreadable part once, with its runs', () => {
      const result = { warnings: ['too steep'], failures: { count: 2, first: 'time-out' } }
      const runs = [1, 2].map((seed) =>
        sampleRun({ name: `run-${seed}`, spec: { seed }, result, problems: ['3 lines are damaged'] }),
      )
      const items = [...(section(page(runs).html, 'troubles')?.querySelectorAll('li') ?? [])].map(
        ({ textContent }) => textContent,
      )
      expect(items).toEqual([
        'too steep (run-1, run-2)',
        '2 queries failed, the first with: time-out (run-1, run-2)',
        '3 lines are damaged (run-1, run-2)',
      ])
    })
  })

  describe.each([
    ['one run', [sampleRun()]],
    ['several runs', comparison],
  ])('the page of %s', (_, runs) => {
    const { html, figures } = page(runs)

    test('is sound, and can be read without seeing it', () => {
      expect(html.startsWith('<!doctype html>\n<html lang="en">')).toBe(true)
      expect(unbalanced(html.replace('<!doctype html>', ''))).toEqual([])
      expect(inaccessible(parsed(html))).toEqual([])
      for (const svg of Object.values(figures)) expect(unbalanced(svg)).toEqual([])
    })

    test('needs nothing else: no address, no script but its own, and a policy that forbids both', () => {
      expect(html).not.toMatch(/https?:|\/\/\w|@import|url\(/)
      expect(parsed(html).querySelectorAll('img, iframe, object, embed, [src]')).toHaveLength(0)
      const [script, ...others] = parsed(html).querySelectorAll('script:not([type="application/json"])')
      expect(others).toEqual([])
      const hash = createHash('sha256')
        .update(script?.textContent ?? '')
        .digest('base64')
      expect(parsed(html).querySelector('meta[http-equiv]')?.getAttribute('content')).toBe(
        `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`,
      )
      for (const svg of Object.values(figures))
        expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(/https?:/)
    })

    test('has both colour schemes and a style for paper, and so have its figures', () => {
      for (const text of ['@media screen and (prefers-color-scheme:dark)', '@media print', 'color-scheme:light dark'])
        expect(html).toContain(text)
      for (const svg of Object.values(figures)) expect(svg).toContain('.zeroth-chart{--paper:#15181c')
      expect([html, ...Object.values(figures)].join('').match(/(?:fill|stroke)="#/g)).toBeNull()
    })

    test('is the same to the byte when made again', () => {
      page([sampleRun({ name: 'in between' })])
      expect(page(runs)).toEqual({ html, figures })
    })
  })

  describe('texts from a run', () => {
    const hostile = (text: string, spec: Record<string, unknown>): RunData[] =>
      [1, 2].map((i) => {
        const result = { warnings: [text], failures: { count: 1, first: text }, stopReason: text, hash: text }
        const run = sampleRun({
          name: text,
          spec: { ...spec, i },
          machine: { cpu: text },
          problems: [text],
          result,
          status: i === 1 ? 'finished' : text,
        })
        return { ...run, meta: { ...run.meta, created: text, zeroth: text, id: text } }
      })
    const made = (
      text: string,
      spec: Record<string, unknown> = { note: text, solver: { name: text }, list: [text] },
    ) => {
      const both = runPage(hostile(text, spec), { title: text })
      return [both.html, ...Object.values(both.figures), runPage(hostile(text, spec).slice(1), { title: text }).html]
    }
    const shape = (html: string): string[] =>
      [...parsed(html).querySelectorAll('*')].map(({ tagName, attributes }) =>
        [tagName, ...[...attributes].map(({ name }) => name).sort()].join(' '),
      )
    const harmless = made('some plain text').map(shape)

    test('there are at least 50 hostile ones', () => expect(payloads.length).toBeGreaterThanOrEqual(50))

    test.each(payloads)('%j stays a text', (payload) => {
      const pages = made(payload)
      expect(pages.map(shape)).toEqual(harmless)
      expect(pages.flatMap((html) => unbalanced(html.replace('<!doctype html>', '')))).toEqual([])
      const keys = made('some plain text', { [payload]: { [payload]: 1 } })
      const known = new Set(harmless.flat())
      expect(keys.flatMap(shape).filter((each) => !known.has(each))).toEqual([])
    })

    test('are shown as they are', () => {
      const { html } = runPage([sampleRun({ name: '<b>&amp;"\'' })], { title: '</title>' })
      expect(parsed(html).querySelector('title')?.textContent).toBe('</title>')
      expect(parsed(html).querySelector('.about')?.textContent).toContain('Run <b>&amp;"\'')
    })

    test('never get into a command to be copied', () => {
      const run = sampleRun({ name: 'x; rm -rf .', status: 'interrupted', result: undefined })
      const { html } = page([{ ...run, meta: { ...run.meta, zeroth: '1.0.0; rm -rf .' } }])
      expect(
        [...parsed(html).querySelectorAll('pre, .notice code')].map(({ textContent }) => textContent?.split('\n')[0]),
      ).toEqual(['npx zeroth minimize spec.json', '{'])
    })
  })

  test('no runs are a clear error', () => {
    expect(() => page([])).toThrow(ZerothError)
    expect(() => page([])).toThrow('there are no runs to report')
  })

  test('a page says how much of a thinned trace is drawn', () => {
    const remarks = (runs: readonly RunData[]) => section(page(runs).html, 'convergence')?.textContent ?? ''
    const run = sampleRun()
    const rows = run.trace.iteration.length
    expect(remarks([{ ...run, traceLength: 20_000_000 }])).toContain(
      `The figures show ${rows} of 20,000,000 iterations`,
    )
    expect(remarks([run, { ...run, traceLength: 5000 }])).toContain(
      `show ${2 * rows} of ${(5000 + rows).toLocaleString('en')} it`,
    )
    expect(remarks([{ ...run, traceLength: rows }])).not.toContain('The figures show')
  })

  test('a million iterations become a small page', () => {
    const column = (of: (i: number) => number) => Float64Array.from({ length: 1e6 }, (_, i) => of(i))
    const trace = {
      iteration: column((i) => i + 1),
      queries: column((i) => 11 * (i + 1)),
      value: column((i) => (i % 1000 === 0 ? Number.NaN : 1000 / (i + 1) + (i % 7))),
      best: column((i) => 1000 / (i + 1)),
      seconds: column((i) => i / 500),
    }
    const { html } = page([1, 2, 3].map((seed) => ({ ...sampleRun({ name: `r${seed}`, spec: { seed } }), trace })))
    const { html: single } = page([{ ...sampleRun(), trace }])
    expect(Math.max(html.length, single.length)).toBeLessThan(300_000)
  })

  test('a thousand runs, and a thousand groups, keep the page below two megabytes', () => {
    const seeds = Array.from({ length: 1000 }, (_, seed) =>
      sampleRun({ name: `run-${seed}`, spec: { seed }, best: [9, 3 + seed] }),
    )
    const rates = seeds.map((run, i) => ({ ...run, meta: { ...run.meta, spec: { ...run.meta.spec, rate: i } } }))
    expect(page(seeds).html.length).toBeLessThan(2e6)
    const { html } = page(rates)
    expect(html.length).toBeLessThan(2e6)
    expect(section(html, 'convergence')?.textContent).toContain(
      'Only the best 60 groups are drawn; 940 more are in the tables.',
    )
  })

  test('variables with names are a table in their own units, and names in a comparison', () => {
    const variables = {
      rate: { from: 1e-5, to: 0.1, scale: 'log' },
      width: { from: 0, to: 4, scale: 'linear' },
      mode: { choices: ['fast', 'best'] },
      'tree.depth': { from: 1, to: 1e8, factor: 10, when: { mode: ['best'] } },
    }
    const named = { rate: 0.003, width: 2.5, mode: 'best', tree: { depth: 1e8 } }
    const result = { point: [0.003, 2.5, 1, 1e8], variables: named }
    const run = sampleRun({ name: 'one', spec: { variables }, best: [2, 1], result })
    const table = section(page([run]).html, 'details')?.querySelector('table')
    expect(numbers(table)).toEqual([0.003, 2.5])
    expect([...(table?.querySelectorAll('th[scope=row]') ?? [])].map((cell) => cell.textContent)).toEqual([
      'rate',
      'width',
      'mode',
      'tree.depth',
    ])
    expect([...(table?.querySelectorAll('td') ?? [])].map((cell) => cell.textContent)).toEqual([
      ...['0.003', '0.00001 to 0.1, log', '2.5', '0 to 4', 'best', 'fast, best'],
      ...['100000000', '1 to 100000000, factor 10; when mode is best'],
    ])
    const other = sampleRun({ name: 'two', spec: { variables, seed: 1 }, best: [2, 1], result })
    const both = page([run, other]).html
    expect(both).toContain('rate 0.003, width 2.5, mode best, …')
    expect(unbalanced(both)).toEqual([])
  })
})

describe('spec sections', () => {
  const section = (specs: readonly Record<string, unknown>[]): Document =>
    parsed(`<section>${textOf(settingsSection(runGroups(specs.map((spec) => sampleRun({ spec })))).content)}</section>`)
  const cells = (document: Document, selector: string): (string | undefined)[] =>
    [...document.querySelectorAll(selector)].map(({ textContent }) => textContent?.trim())

  test('one spec is a table per part, with the seeds of its runs', () => {
    const document = section([
      { seed: 3, noise: { deviation: 0.1 } },
      { seed: 5, noise: { deviation: 0.1 } },
    ])
    expect(cells(document, 'caption')).toEqual(['run', 'objective', 'solver', 'noise'])
    expect(cells(document, 'tr')).toEqual(['dim2', 'seed3, 5', 'namerosenbrock', 'namezo-adamm', 'deviation0.1'])
  })

  test('what differs stands apart, and what departs from the majority is marked', () => {
    const document = section([{ rate: 1 }, { rate: 1, extra: true }, { rate: 1, more: 'x' }, { rate: 2 }])
    expect(cells(document, '.scroll thead th').sort()).toEqual(['Group', 'extra', 'more', 'rate'])
    expect(cells(document, 'mark').sort()).toEqual(['2', 'x', 'yes'])
    expect(cells(document, '.cards th')).not.toContain('rate')
  })

  test('the shorter list runs across', () => {
    const two = section([
      { a: 1, b: 1, c: 1 },
      { a: 2, b: 2, c: 2 },
    ])
    expect(cells(two, '.scroll tbody th')).toEqual(['a', 'b', 'c'])
    const three = section([{ a: 1 }, { a: 2 }, { a: 3 }])
    expect(cells(three, '.scroll thead th')).toEqual(['Group', 'a'])
  })

  test('too many settings are cut, with a word on it', () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`setting${i}`, i]))
    expect(section([many]).querySelector('section')?.textContent).toContain('103 more settings are not shown')
  })

  const recipes = (runs: readonly RunData[]): Document =>
    parsed(`<section>${textOf(recipesSection(runGroups(runs)).content)}</section>`)

  test('several seeds are one command and a list, with the hash of each', () => {
    const document = recipes([4, 9, 2].map((seed) => sampleRun({ name: `run-${seed}`, spec: { seed } })))
    expect(document.querySelector('pre')?.textContent).toBe('npx zeroth@0.1.0 minimize spec.json --seed 4')
    expect(document.querySelector('section')?.textContent).toContain('The same with the seeds 9, 2.')
    expect([...document.querySelectorAll('li')].map(({ textContent }) => textContent)).toEqual(
      [4, 9, 2].map((seed) => `run-${seed}: ${'ab'.repeat(32)}`),
    )
  })

  test('several groups have a spec each', () => {
    const document = recipes(['a', 'b'].map((name) => sampleRun({ spec: { solver: { name } } })))
    expect([...document.querySelectorAll('h3')].map(({ textContent }) => textContent?.trim())).toEqual(['a', 'b'])
    expect(
      [...document.querySelectorAll('details pre')].map(({ textContent }) => JSON.parse(textContent ?? '').solver.name),
    ).toEqual(['a', 'b'])
  })

  test('a spec too long for a page is looked up in the run', () => {
    const document = recipes([sampleRun({ name: 'long', spec: { start: Array(10_000).fill(0.5) } })])
    expect(document.querySelector('details')).toBeNull()
    expect(document.querySelector('section')?.textContent).toContain('it is the entry spec in meta.json of run long')
  })
})
