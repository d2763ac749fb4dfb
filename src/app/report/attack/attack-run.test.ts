import { expect, test } from 'vitest'
import { sampleReport } from '../../../../test/attacks/sample-report.ts'
import { encodePng } from '../../../robustness/images/index.ts'
import { textOf } from '../markup.ts'
import { classText, panelsOf, picture, styledRuns } from './attack-run.ts'

const report = sampleReport({ images: 1 })
const run = (name: string, problem: string) => ({ name, problem, report })

test('a method has the same colour for every problem', () => {
  const runs = styledRuns([run('a', 'x'), run('b', 'x'), run('c', 'y'), run('b', 'y')])
  expect(runs.map(({ style }) => style.color)).toEqual(['var(--c1)', 'var(--c2)', 'var(--c3)', 'var(--c2)'])
})

test('problems become panels with names that files may have, each its own', () => {
  const runs = styledRuns([run('a', 'Con/strained'), run('a', '../con strained'), run('a', '<b>'), run('a', '«»')])
  expect(panelsOf(runs).map(({ suffix }) => suffix)).toEqual(['-con-strained', '-con-strained-2', '-b', '-problem'])
  expect(panelsOf(runs).map(({ title }) => title)).toEqual(['Con/strained', '../con strained', '<b>', '«»'])
})

test('a single problem needs no name', () => {
  expect(panelsOf(styledRuns([run('a', 'x'), run('b', 'x')]))).toMatchObject([{ title: '', suffix: '' }])
})

const png = (width: number, height: number): string => {
  const image = { shape: { channels: 1, height, width }, pixels: new Float32Array(width * height) }
  return `data:image/png;base64,${Buffer.from(encodePng(image)).toString('base64')}`
}
const shown = (address: string | undefined): string | undefined => {
  const markup = picture(address, 'said "so"')
  return markup && textOf(markup)
}

test('a small picture is enlarged with its pixels as squares, a large one is not', () => {
  expect(shown(png(28, 20))).toMatch(
    /^<img class="picture squares" src="data:image.png;base64,[^"]+" alt="said &#34;so&#34;" width="28" height="20"\/>$/,
  )
  expect(shown(png(299, 300))).toContain('class="picture" ')
  expect(shown(png(299, 300))).toContain('width="299" height="300"')
  expect(shown('data:image/jpeg;base64,AAAA')).toBe(
    '<img class="picture" src="data:image/jpeg;base64,AAAA" alt="said &#34;so&#34;"/>',
  )
})

test('an address that is not the picture itself is none', () => {
  for (const address of [
    undefined,
    '',
    'picture.png',
    'https://example.org/a.png',
    'data:text/html;base64,AAAA',
    'data:image/svg+xml;base64,AAAA',
    'data:image/png;base64,AA" onerror="alert(1)',
  ]) {
    expect(picture(address, '')).toBeUndefined()
  }
})

test('a class is called by its name, in short, by its number where it has none, and by a dash where it is not known', () => {
  const names = ['cat', '', 'great white shark, white shark, man-eater', `x${'y'.repeat(60)}`]
  expect(classText(0, names)).toBe('cat')
  expect(classText(1, names)).toBe('1')
  expect(classText(2, names)).toBe('great white shark')
  expect([...classText(3, names)]).toHaveLength(32)
  expect(classText(9, names)).toBe('9')
  expect(classText(4, undefined)).toBe('4')
  for (const unknown of [null, undefined, Number.NaN]) expect(classText(unknown, names)).toBe('–')
})
