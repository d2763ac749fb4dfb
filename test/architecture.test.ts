import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { measure, outgrown, readSource } from '../scripts/architecture/measures.ts'
import { pageGaps, rules, type Sources, sessionLoops } from '../scripts/architecture/rules.ts'

const root = new URL('../', import.meta.url)
const sources = readSources()

describe('src and paper', () => {
  test.each(Object.entries(rules))('%s', (_, violations) => {
    expect(violations(sources)).toEqual([])
  })
})

test('the source keeps within its limits', () => {
  const own = [...sources].filter(([path]) => !path.startsWith('paper/') && !/\.test\.tsx?$/.test(path))
  const files = own.map(([path, text]) => readSource(`src/${path}`, text))
  expect(outgrown(measure(files).counts)).toEqual([])
})

test('a folder with many files has a page, and pages name files that are there', () => {
  const pages = filesBelow('src', /\/README\.md$/).map(([path, text]): [string, string] => [
    path.replace(/^src\//, ''),
    text,
  ])
  expect(pages.length).toBeGreaterThan(20)
  expect(pageGaps(sources, new Map(pages))).toEqual([])
})

test('the rule on pages refuses a large folder that nobody speaks of, and a page that names a file of before', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((name) => [`core/${name}.ts`, `parts/sets/${name}.ts`])
  const many = new Map(names.map((name) => [name, '']))
  expect(
    pageGaps(many, new Map([['parts/README.md', '`sets/`: where points may lie; begin with `sets/z.ts`']])),
  ).toEqual([
    'src/core: 6 files; write a README.md, or name the folder in that above it',
    'src/parts/README.md: names sets/z.ts, which is not there',
  ])
  const pages = new Map([
    ['parts/README.md', 'in `sets/a.ts`'],
    ['core/README.md', '`a.ts` first'],
  ])
  expect(pageGaps(many, pages)).toEqual([])
})

test('the engine is the only loop over a session, here and where the paper is reproduced', () => {
  expect(sessionLoops(sources)).toEqual(['optimizer/core/engine.ts'])
})

describe('the import rule refuses', () => {
  test.each([
    ['kernels that import core', 'optimizer/kernels/a.ts', `import '../core/types.ts'`],
    ['kernels that import a package', 'optimizer/kernels/a.ts', `import { z } from 'zod'`],
    ['core that imports a part', 'optimizer/core/a.ts', `import { box } from '../parts/sets/box.ts'`],
    ['core that imports the registry', 'optimizer/core/a.ts', `import { parts } from '../../registry.ts'`],
    ['core that imports a package', 'optimizer/core/a.ts', `import * as Plot from '@observablehq/plot'`],
    [
      'an estimator that imports directions',
      'optimizer/parts/estimators/a.ts',
      `export { sphere } from '../directions/sphere.ts'`,
    ],
    ['a set that imports a solver', 'optimizer/parts/sets/a.ts', `const a = await import('../../methods/a.ts')`],
    [
      'an objective that imports a type of a set',
      'optimizer/objectives/problems/a.ts',
      `import type { A } from '../../parts/sets/a.ts'`,
    ],
    ['a mirror that names a type of a step', 'optimizer/parts/mirrors/a.ts', `let a: import('../steps/a.ts').A`],
    ['a solver that imports an objective', 'optimizer/methods/a.ts', `import '../objectives/a.ts'`],
    ['a run that imports a report', 'optimizer/minimize/a.ts', `import { a } from '../../app/report/index.ts'`],
    ['a report that imports a solver', 'app/report/a.ts', `import { a } from '../../optimizer/methods/a.ts'`],
    [
      'theory that imports a part past the entry points',
      'paper/theory/a.ts',
      `import '../../src/optimizer/parts/sets/boxes.ts'`,
    ],
    [
      'theory that imports values from core',
      'paper/theory/a.ts',
      `import { a } from '../../src/optimizer/core/types.ts'`,
    ],
    [
      'theory that imports values beside types',
      'paper/theory/a.ts',
      `import { type A, b } from '../../src/optimizer/core/types.ts'`,
    ],
    ['a table of the paper that imports a part of the theory', 'paper/reproduction/a.ts', `import '../theory/page.ts'`],
    [
      'a reproduction that imports a command',
      'paper/reproduction/a.ts',
      `import '../../src/app/cli/commands/attack.ts'`,
    ],
    [
      'claims that import what the reproduction alone may',
      'paper/claims/a.ts',
      `import '../../src/app/cli/terminal.ts'`,
    ],
    ['a command that imports the paper', 'app/cli/a.ts', `import '../../../paper/theory/index.ts'`],
    [
      'a run that imports types of the paper',
      'optimizer/minimize/a.ts',
      `import type { A } from '../../paper/methods.ts'`,
    ],
    ['a statement of the theory that imports a Node module', 'paper/theory/a.ts', `import { a } from 'node:fs'`],
    [
      'an objective that imports a Node module',
      'optimizer/objectives/a.ts',
      `import type { Worker } from 'node:worker_threads'`,
    ],
    ['a Node module without its prefix', 'optimizer/core/a.ts', `import fs from 'fs'`],
    ['files outside src', 'optimizer/core/a.ts', `import data from '../../../package.json' with { type: 'json' }`],
    ['a folder without a rule', 'helpers/a.ts', 'export const a = 1'],
  ])('%s', (_, path, text) => {
    const found = check('a file imports only what its folder may import', { [path]: text })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(`${path.startsWith('paper/') ? path : `src/${path}`}: `)
  })
})

test('the import rule says what was imported, by whom, and what is allowed', () => {
  expect(
    check('a file imports only what its folder may import', { 'optimizer/parts/sets/a.ts': `import '../steps/b.ts'` }),
  ).toMatchInlineSnapshot(`
    [
      "src/optimizer/parts/sets/a.ts: optimizer/parts/sets may not import src/optimizer/parts/steps/b.ts (allowed: optimizer/parts/sets, optimizer/kernels, optimizer/core)",
    ]
  `)
})

test('the import rule accepts what the table allows', () => {
  const sources = {
    'optimizer/kernels/a.ts': `import { b } from './b.ts'`,
    'optimizer/core/a.ts': `import { a } from '../kernels/a.ts'; import './part.ts'`,
    'optimizer/parts/steps/a.ts': `import { a } from './b.ts'; import '../../core/part.ts'; import '../../kernels/kernels.ts'`,
    'optimizer/parts/steps/a.test.ts': `import '../../methods/a.ts'; import '../../../../test/conformance/step.ts'; import 'vitest'`,
    'optimizer/methods/a.ts': `import '../parts/estimators/a.ts'; import '../parts/mirrors/a.ts'`,
    'optimizer/minimize/a.ts': `import '../methods/a.ts'; import '../objectives/a.ts'; import '../core/a.ts'`,
    'app/report/a.ts': `import { writeFile } from 'node:fs/promises'; import { parseHTML } from 'linkedom'`,
    'paper/theory/main.ts': `import process from 'node:process'; import './index.ts'; import '../../src/index.ts'`,
    'paper/theory/a.ts': `import { type Vector } from '../../src/optimizer/core/types.ts'; import { a } from '../../src/parts.ts'`,
    'paper/reproduction/tables/a.ts': `import 'node:fs'; import '../../../src/app/report/table.ts'; import '../../beyond/a.ts'`,
    'index.ts': `export * from './parts.ts'; export type * from './optimizer/core/types.ts'`,
    'app/cli/a.ts': `// import '../sets/box.ts'\nconst text = "import '../sets/box.ts'"`,
  }
  expect(check('a file imports only what its folder may import', sources)).toEqual([])
})

test('an exception that paper no longer needs is named', () => {
  const found = check('paper needs every exception to its import rule', {
    'paper/reproduction/a.ts': `import '../../src/app/cli/terminal.ts'`,
  })
  expect(found).toContain('src/optimizer/core/errors.ts: paper does not import it')
  expect(found).not.toContain('src/app/cli/terminal.ts: paper does not import it')
})

test('the browser rule follows imports from the main entry point and names the way', () => {
  const sources = {
    'index.ts': `export { a } from './optimizer/core/a.ts'`,
    'optimizer/core/a.ts': `export * from './b.ts'`,
    'optimizer/core/b.ts': `import { readFileSync } from 'node:fs'`,
    'optimizer/core/unreached.ts': `import 'node:os'`,
  }
  expect(check('the entry points for browsers stay browser-safe', sources)).toMatchInlineSnapshot(`
    [
      "src/optimizer/core/b.ts: imports node:fs, which is not browser-safe (index.ts -> optimizer/core/a.ts -> optimizer/core/b.ts)",
    ]
  `)
})

test.each([
  ['a report', `export { a } from './app/report/index.ts'`],
  ['a package of the reports', `import { parseHTML } from 'linkedom'`],
])('the browser rule refuses %s', (_, text) => {
  expect(check('the entry points for browsers stay browser-safe', { 'index.ts': text })).toHaveLength(1)
})

test('the browser rule refuses a figure that brings its own document', () => {
  const sources = {
    'app/report/run/comparison.ts': `import { a } from '../chart/a.ts'`,
    'app/report/chart/a.ts': `import * as Plot from '@observablehq/plot'; import { parseHTML } from 'linkedom'`,
  }
  expect(check('the entry points for browsers stay browser-safe', sources)).toEqual([
    'src/app/report/chart/a.ts: imports linkedom, which is not browser-safe (app/report/run/comparison.ts -> app/report/chart/a.ts)',
  ])
})

describe('the reproducibility rule', () => {
  const rule = 'nothing depends on the clock, on hidden random numbers or on how an engine rounds powers'

  test.each([
    ['Math.random', 'const a = Math.random()'],
    ['Math.random', `const a = Math['random']`],
    ['Math.random', 'const { random } = Math'],
    ['Math.pow', 'const { pow: power } = Math'],
    ['Math.pow', `const a = \`\${Math.pow(2, 3)}\``],
    ['Date', 'const a = Date.now()'],
    ['Date', 'const a: Date = b'],
    ['Date', 'const a = new globalThis.Date()'],
    ['**', 'const a = 2 ** 3'],
    ['**=', 'a **= 2'],
  ])('refuses %s in: %s', (use, text) => {
    expect(check(rule, { 'optimizer/core/a.ts': text })).toEqual([`src/optimizer/core/a.ts: uses ${use}`])
  })

  test.each([
    ['comments', '/** x ** 2, Date, Math.pow */\n// Math.random()'],
    ['strings', `const a = 'Math.random() ** Date'; const b = \`2 ** 3\``],
    ['regular expressions', 'const a = /\\/**Date/'],
    ['properties', 'const a = { Date: 1 }; a.Date'],
    ['other functions', 'const a = Math.sqrt(2) * b.random()'],
  ])('leaves %s alone', (_, text) => {
    expect(check(rule, { 'optimizer/core/a.ts': text })).toEqual([])
  })
})

describe('the rule of the only loop', () => {
  const rule = 'one file holds the only loop over a session'

  test.each([
    'while (session.outcome === undefined) await driving.turn()',
    'for (let t = 0; t < 10; t++) driving.turn()',
    'do { work = driver.turn() ?? breathe() } while (more)',
    'for (;;) { yield* turn(session, objective) }',
    'while (!run.outcome) step(run)',
    'do { step(run) } while (run.outcome === undefined)',
    'for (; this.session.outcome == null; ) step()',
    "while (session['outcome'] === undefined) step()",
    'for (const _ of times) { f(session.ask(), into); session.tell(into) }',
    'while (true) { const queries = session.ask(); await f(queries); if (late) break; session.tell(into) }',
  ])('refuses: %s', (text) => {
    const message = 'src/optimizer/minimize/a.ts: loops over a session; call src/optimizer/core/engine.ts instead'
    expect(check(rule, { 'optimizer/minimize/a.ts': text })).toEqual([message])
    expect(check(rule, { 'optimizer/core/engine.ts': text, 'optimizer/minimize/a.test.ts': text })).toEqual([])
  })

  test.each([
    'for await (const record of drive(session, objective)) show(record)',
    'for (const work of engine(session, objective)) await work',
    'for (const run of runs) rows.push(run.outcome)',
    'session.ask(); session.tell(values); for (const each of list) each()',
    'for (const part of parts) part.ask(); while (more) other.tell(values)',
    'if (session.outcome === undefined) driving.turn()',
    '// while (session.outcome === undefined) driving.turn()',
  ])('accepts: %s', (text) => {
    expect(check(rule, { 'optimizer/minimize/a.ts': text })).toEqual([])
  })
})

test.each([
  'export default 1',
  'export default function a() {}',
  'export { a as default }',
  `export { default } from './b.ts'`,
])('the naming rule refuses: %s', (text) => {
  expect(check('exports have names', { 'optimizer/core/a.ts': text })).toEqual([
    'src/optimizer/core/a.ts: export default',
  ])
})

test('the rule on names refuses words of our own, and says what the field says', () => {
  const sources = {
    'optimizer/core/border-walk.ts': 'export const rivalOf = 1\nexport function boundary() {}\nconst desk = 1',
    'optimizer/core/borders.ts': 'export interface Description {}',
  }
  expect(check('files and exports have names that the field uses', sources)).toEqual([
    'src/optimizer/core/border-walk.ts: border-walk says "border"; the field says "boundary"',
    'src/optimizer/core/border-walk.ts: rivalOf says "rival"; the field says "competing class"',
  ])
})

test('the test rule refuses a test without its source', () => {
  const sources = {
    'optimizer/parts/sets/a.ts': '',
    'optimizer/parts/sets/a.test.ts': '',
    'optimizer/parts/sets/b.test.ts': '',
  }
  expect(check('a test has the source file it is named after', sources)).toEqual([
    'src/optimizer/parts/sets/b.test.ts: there is no src/optimizer/parts/sets/b.ts',
  ])
})

function check(rule: string, sources: Record<string, string>): string[] {
  return (rules[rule] as (typeof rules)[string])(new Map(Object.entries(sources)))
}

function readSources(): Sources {
  const texts = [...filesBelow('src'), ...filesBelow('paper')].map(([path, text]): [string, string] => [
    path.replace(/^src\//, ''),
    text,
  ])
  return new Map(texts.filter(([path]) => !path.startsWith('paper/test/')))
}

function filesBelow(folder: string, kind = /(?<!\.d)\.tsx?$/): [string, string][] {
  return readdirSync(fileURLToPath(new URL(folder, root)), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => kind.test(path))
    .sort()
    .map((path) => [path, readFileSync(new URL(path, root), 'utf8')])
}
