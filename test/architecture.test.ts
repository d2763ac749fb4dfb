import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { rules, type Sources, sessionLoops } from '../scripts/architecture/rules.ts'

const root = new URL('../', import.meta.url)
const sources = readSources()

describe('src and paper', () => {
  test.each(Object.entries(rules))('%s', (_, violations) => {
    expect(violations(sources)).toEqual([])
  })
})

test('the engine is the only loop over a session, here and where the paper is reproduced', () => {
  expect(sessionLoops(sources)).toEqual(['core/engine.ts'])
})

describe('the import rule refuses', () => {
  test.each([
    ['kernels that import core', 'kernels/a.ts', `import '../core/types.ts'`],
    ['kernels that import a package', 'kernels/a.ts', `import { z } from 'zod'`],
    ['core that imports a part', 'core/a.ts', `import { box } from '../sets/box.ts'`],
    ['core that imports the registry', 'core/a.ts', `import { parts } from '../parts.ts'`],
    ['core that imports a package other than zod', 'core/a.ts', `import * as Plot from '@observablehq/plot'`],
    ['an estimator that imports directions', 'estimators/a.ts', `export { sphere } from '../directions/sphere.ts'`],
    ['a set that imports a solver', 'sets/a.ts', `const a = await import('../solvers/a.ts')`],
    [
      'an objective that imports a type of a set',
      'objectives/problems/a.ts',
      `import type { A } from '../../sets/a.ts'`,
    ],
    ['a mirror that names a type of a step', 'mirrors/a.ts', `let a: import('../steps/a.ts').A`],
    ['a solver that imports an objective', 'solvers/a.ts', `import '../objectives/a.ts'`],
    ['a run that imports a report', 'run/a.ts', `import { a } from '../report/index.ts'`],
    ['a report that imports a solver', 'report/a.ts', `import { a } from '../solvers/a.ts'`],
    ['theory that imports a part past the entry points', 'paper/theory/a.ts', `import '../../src/sets/box.ts'`],
    ['theory that imports values from core', 'paper/theory/a.ts', `import { a } from '../../src/core/types.ts'`],
    [
      'theory that imports values beside types',
      'paper/theory/a.ts',
      `import { type A, b } from '../../src/core/types.ts'`,
    ],
    ['a table of the paper that imports a part of the theory', 'paper/reproduction/a.ts', `import '../theory/page.ts'`],
    ['a reproduction that imports a command', 'paper/reproduction/a.ts', `import '../../src/cli/commands/attack.ts'`],
    ['claims that import what the reproduction alone may', 'paper/claims/a.ts', `import '../../src/cli/watch.ts'`],
    ['a command that imports the paper', 'cli/a.ts', `import '../../paper/theory/index.ts'`],
    ['a run that imports types of the paper', 'run/a.ts', `import type { A } from '../../paper/methods.ts'`],
    ['a statement of the theory that imports a Node module', 'paper/theory/a.ts', `import { a } from 'node:fs'`],
    ['an objective that imports a Node module', 'objectives/a.ts', `import type { Worker } from 'node:worker_threads'`],
    ['a Node module without its prefix', 'core/a.ts', `import fs from 'fs'`],
    ['files outside src', 'core/a.ts', `import data from '../../package.json' with { type: 'json' }`],
    ['a folder without a rule', 'helpers/a.ts', 'export const a = 1'],
  ])('%s', (_, path, text) => {
    const found = check('a file imports only what its folder may import', { [path]: text })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(`${path.startsWith('paper/') ? path : `src/${path}`}: `)
  })
})

test('the import rule says what was imported, by whom, and what is allowed', () => {
  expect(
    check('a file imports only what its folder may import', { 'sets/a.ts': `import '../steps/b.ts'` }),
  ).toMatchInlineSnapshot(`
    [
      "src/sets/a.ts: sets may not import src/steps/b.ts (allowed: sets, kernels, core)",
    ]
  `)
})

test('the import rule accepts what the table allows', () => {
  const sources = {
    'kernels/a.ts': `import { b } from './b.ts'`,
    'core/a.ts': `import { a } from '../kernels/a.ts'; import './part.ts'`,
    'steps/a.ts': `import { a } from './b.ts'; import '../core/part.ts'; import '../kernels/kernels.ts'`,
    'steps/a.test.ts': `import '../solvers/a.ts'; import '../../test/conformance/step.ts'; import 'vitest'`,
    'solvers/a.ts': `import '../estimators/a.ts'; import '../mirrors/a.ts'`,
    'run/a.ts': `import '../solvers/a.ts'; import '../objectives/a.ts'; import '../core/a.ts'`,
    'report/a.ts': `import { writeFile } from 'node:fs/promises'; import { parseHTML } from 'linkedom'`,
    'paper/theory/main.ts': `import process from 'node:process'; import './index.ts'; import '../../src/index.ts'`,
    'paper/theory/a.ts': `import { type Vector } from '../../src/core/types.ts'; import { a } from '../../src/parts.ts'`,
    'paper/reproduction/tables/a.ts': `import 'node:fs'; import '../../../src/report/table.ts'; import '../../beyond/a.ts'`,
    'index.ts': `export * from './parts.ts'; export type * from './core/types.ts'`,
    'cli/a.ts': `// import '../sets/box.ts'\nconst text = "import '../sets/box.ts'"`,
  }
  expect(check('a file imports only what its folder may import', sources)).toEqual([])
})

test('an exception that paper no longer needs is named', () => {
  const found = check('paper needs every exception to its import rule', {
    'paper/reproduction/a.ts': `import '../../src/cli/watch.ts'`,
  })
  expect(found).toContain('src/core/errors.ts: paper does not import it')
  expect(found).not.toContain('src/cli/watch.ts: paper does not import it')
})

test('the browser rule follows imports from the main entry point and names the way', () => {
  const sources = {
    'index.ts': `export { a } from './core/a.ts'`,
    'core/a.ts': `export * from './b.ts'`,
    'core/b.ts': `import { readFileSync } from 'node:fs'`,
    'core/unreached.ts': `import 'node:os'`,
  }
  expect(check('the entry points for browsers stay browser-safe', sources)).toMatchInlineSnapshot(`
    [
      "src/core/b.ts: imports node:fs, which is not browser-safe (index.ts -> core/a.ts -> core/b.ts)",
    ]
  `)
})

test.each([
  ['a report', `export { a } from './report/index.ts'`],
  ['a package of the reports', `import { parseHTML } from 'linkedom'`],
])('the browser rule refuses %s', (_, text) => {
  expect(check('the entry points for browsers stay browser-safe', { 'index.ts': text })).toHaveLength(1)
})

test('the browser rule refuses a figure that brings its own document', () => {
  const sources = {
    'report/run/convergence.ts': `import { a } from '../chart/a.ts'`,
    'report/chart/a.ts': `import * as Plot from '@observablehq/plot'; import { parseHTML } from 'linkedom'`,
  }
  expect(check('the entry points for browsers stay browser-safe', sources)).toEqual([
    'src/report/chart/a.ts: imports linkedom, which is not browser-safe (report/run/convergence.ts -> report/chart/a.ts)',
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
    expect(check(rule, { 'core/a.ts': text })).toEqual([`src/core/a.ts: uses ${use}`])
  })

  test.each([
    ['comments', '/** x ** 2, Date, Math.pow */\n// Math.random()'],
    ['strings', `const a = 'Math.random() ** Date'; const b = \`2 ** 3\``],
    ['regular expressions', 'const a = /\\/**Date/'],
    ['properties', 'const a = { Date: 1 }; a.Date'],
    ['other functions', 'const a = Math.sqrt(2) * b.random()'],
  ])('leaves %s alone', (_, text) => {
    expect(check(rule, { 'core/a.ts': text })).toEqual([])
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
    const message = 'src/run/a.ts: loops over a session; call src/core/engine.ts instead'
    expect(check(rule, { 'run/a.ts': text })).toEqual([message])
    expect(check(rule, { 'core/engine.ts': text, 'run/a.test.ts': text })).toEqual([])
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
    expect(check(rule, { 'run/a.ts': text })).toEqual([])
  })
})

test.each([
  'export default 1',
  'export default function a() {}',
  'export { a as default }',
  `export { default } from './b.ts'`,
])('the naming rule refuses: %s', (text) => {
  expect(check('exports have names', { 'core/a.ts': text })).toEqual(['src/core/a.ts: export default'])
})

test('the length rule counts 250 lines and hears reasons', () => {
  const lines = (count: number) => 'a()\n'.repeat(count)
  const sources = {
    'core/short.ts': lines(250),
    'core/long.ts': lines(251),
    'core/reason.ts': `// Over 250 lines because\n// it is one table.\n${lines(300)}`,
    'core/block.ts': `import './a.ts'\n/**\n * A table.\n * Over 250 lines because it is one.\n */\n${lines(300)}`,
    'core/late.ts': `/** First. */\n${lines(300)}// Over 250 lines because of nothing`,
  }
  expect(check('a file of more than 250 lines says why at its top', sources)).toEqual([
    'src/core/long.ts: 251 lines, and its first comment does not say "Over 250 lines because ..."',
    'src/core/late.ts: 302 lines, and its first comment does not say "Over 250 lines because ..."',
  ])
})

test('the test rule refuses a test without its source', () => {
  const sources = { 'sets/a.ts': '', 'sets/a.test.ts': '', 'sets/b.test.ts': '' }
  expect(check('a test has the source file it is named after', sources)).toEqual([
    'src/sets/b.test.ts: there is no src/sets/b.ts',
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

function filesBelow(folder: string): [string, string][] {
  return readdirSync(fileURLToPath(new URL(folder, root)), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => /(?<!\.d)\.tsx?$/.test(path))
    .sort()
    .map((path) => [path, readFileSync(new URL(path, root), 'utf8')])
}
