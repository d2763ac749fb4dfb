import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { type Import, readSyntax, type Syntax } from './syntax.ts'

/** Source texts by their path: below src, or below the repository for those of paper. */
export type Sources = ReadonlyMap<string, string>

/** What the files of a folder may import beside each other. A path stands for a file, or for all files of a folder. */
interface ImportRule {
  readonly paths: readonly string[]
  /** Paths for `import type` only. */
  readonly typePaths?: readonly string[]
  readonly packages?: readonly string[]
  /** The files that may import `node:` modules. */
  readonly node?: readonly string[]
}

export const partFolders = ['bases', 'directions', 'estimators', 'steps', 'mirrors', 'sets']
const browserFolders = [
  'kernels',
  'core',
  'algebra',
  'staged',
  ...partFolders,
  'solvers',
  'objectives',
  'wrappers',
  'run',
]
export const publicEntries = [
  'index.ts',
  'parts.ts',
  'report/index.ts',
  'objectives/index.ts',
  'models/index.ts',
  'datasets/index.ts',
  'attacks/index.ts',
  'embedded/index.ts',
  'queue/index.ts',
]
/** What the reproduction needs past the public entry points, the reports and the provenance: this list only shrinks. */
const paperExceptions = [
  'cli/attack/attack-flags.ts',
  'cli/attack/attack-from-options.ts',
  'cli/explain-error.ts',
  'core/json-safe.ts',
  'cli/live-line.ts',
  'work/folders.ts',
  'cli/program.ts',
  'cli/option-values.ts',
  'cli/output.ts',
  'cli/terminal-text.ts',
  'cli/watch.ts',
  'core/errors.ts',
  'spec/attack/index.ts',
]
const paperTables = ['paper/methods.ts', 'paper/reproduction/tables', 'paper/reproduction/page']
/** What waits and asks again is the same for objectives and for models. */
const patience = ['back-off', 'pace', 'sleep'].map((name) => `wrappers/${name}.ts`)
const leaf: ImportRule = { paths: ['kernels', 'core'] }

/** Who may import what. */
export const importRules: Readonly<Record<string, ImportRule>> = {
  kernels: { paths: [] },
  core: { paths: ['kernels'] },
  algebra: { paths: [] },
  staged: { paths: ['kernels', 'core', 'algebra'] },
  ...Object.fromEntries(partFolders.map((folder) => [folder, leaf])),
  remote: { paths: ['core'] },
  wrappers: { ...leaf, packages: ['zod'], node: ['wrappers/call-log-file.ts'] },
  objectives: {
    paths: ['kernels', 'core', 'remote', 'wrappers/call-log-file.ts'],
    packages: ['tinypool'],
    node: [
      'objectives/exec.ts',
      'objectives/exec',
      'objectives/workers.ts',
      'objectives/workers',
      'objectives/module.ts',
    ],
  },
  models: {
    paths: ['kernels', 'core', 'remote', ...patience],
    typePaths: ['datasets/dataset.ts'],
    packages: ['#onnxruntime'],
  },
  datasets: { paths: ['core'], packages: ['sharp', 'fast-png'], node: ['datasets'] },
  embedded: { paths: ['core', 'models', 'datasets'], node: ['embedded'] },
  attacks: {
    paths: [
      ...['kernels', 'core', 'sets', 'solvers/strongest.ts'],
      ...['models/coalesced.ts', 'models/model-classes.ts', 'datasets/pixels.ts'],
    ],
    typePaths: ['models/model.ts', 'datasets/dataset.ts'],
    packages: ['zod'],
  },
  solvers: { paths: ['kernels', 'core', 'algebra', 'staged', ...partFolders] },
  run: { paths: ['kernels', 'core', 'objectives', 'solvers'] },
  threads: { paths: ['kernels', 'core'], node: ['threads'] },
  trace: { paths: ['core'], packages: ['zod'], node: ['trace'] },
  spec: {
    paths: [...publicEntries, 'core', 'wrappers', 'remote', 'queue/redis-address.ts', 'queue/served.ts'],
    packages: ['yaml'],
    node: ['spec'],
  },
  report: {
    paths: ['core', 'trace/index.ts', 'work/evaluation', 'work/folders.ts'],
    typePaths: ['trace', 'attacks/index.ts', 'attacks/records.ts', 'spec/index.ts'],
    packages: ['@observablehq/plot', 'linkedom'],
    node: ['report'],
  },
  provenance: { paths: [], node: ['provenance'] },
  queue: {
    paths: ['core', 'remote', 'provenance', 'objectives/closable.ts'],
    packages: ['bullmq', 'ioredis'],
    node: ['queue'],
  },
  work: {
    paths: [
      ...publicEntries,
      'queue',
      'core',
      'remote',
      'run',
      'spec/index.ts',
      'spec/attack/index.ts',
      'trace/index.ts',
      'provenance',
    ].filter((path) => path !== 'report/index.ts'),
    packages: ['zod', 'hyparquet-writer'],
    node: ['work'],
  },
  'ui/api.ts': { paths: [], typePaths: ['work/events.ts', 'work/work.ts'] },
  'ui/server': {
    paths: [
      ...['index.ts', 'core', 'attacks/wilson.ts', 'datasets/index.ts', 'trace/index.ts', 'work', 'provenance'],
      'ui/api.ts',
    ],
    packages: ['hono', '@hono/node-server'],
    node: ['ui/server'],
  },
  'ui/page': {
    paths: ['core', 'report', 'provenance/wall-clock.ts', 'ui/api.ts'],
    packages: ['preact', '@preact/signals'],
  },
  cli: {
    // The tables and numbers alone, without what draws figures: a list must not wait for it.
    paths: [
      ...publicEntries,
      'report/table.ts',
      'report/number-text.ts',
      'report/attack/attack-differences.ts',
      'report/run/run-groups.ts',
      'report/attack/attack-settings.ts',
      'report/attack/baseline-text.ts',
      'report/ci',
      'core/errors.ts',
      'core/json-safe.ts',
      'spec/index.ts',
      'spec/attack/index.ts',
      'trace/index.ts',
      'work',
      'provenance',
      'ui/server/start-server.ts',
      'ui/server/ui-beside.ts',
    ],
    typePaths: ['core/types.ts'],
    packages: ['commander', 'picocolors', 'hyparquet-writer'],
    node: ['cli'],
  },
  'paper/theory': { paths: publicEntries, typePaths: ['core/types.ts'], node: ['paper/theory/main.ts'] },
  'paper/methods.ts': { paths: publicEntries },
  'paper/claims': { paths: [...publicEntries, ...paperTables] },
  'paper/beyond': { paths: [...publicEntries, ...paperTables, 'paper/claims'] },
  'paper/compare-solvers': { paths: publicEntries, node: ['paper/compare-solvers'] },
  'paper/reproduction': {
    paths: [
      ...publicEntries,
      'spec/index.ts',
      'trace/index.ts',
      'work/index.ts',
      'report',
      'provenance',
      'paper/methods.ts',
      'paper/claims',
      'paper/beyond',
      'paper/theory/index.ts',
      ...paperExceptions,
    ],
    packages: ['commander', '@observablehq/plot'],
    node: ['paper/reproduction'],
  },
  'parts.ts': { paths: [...partFolders, 'solvers', 'objectives/problems', 'part-options.ts'], typePaths: ['core'] },
  'part-options.ts': { paths: [], typePaths: ['core', ...partFolders, 'solvers', 'objectives/problems'] },
  'index.ts': { paths: ['parts.ts', 'part-options.ts', ...browserFolders] },
}

/** Figures are drawn into any document: that of a browser needs no substitute. */
const figures: ImportRule = { paths: ['kernels', 'core', 'report'], packages: ['zod', '@observablehq/plot'] }

/** The entry points that run in a browser, too, and all that they may load. */
const browserSafe: Readonly<Record<string, ImportRule>> = {
  'index.ts': { paths: ['index.ts', 'parts.ts', ...browserFolders] },
  'objectives/browser.ts': { paths: ['kernels', 'core', 'remote', 'objectives'] },
  'models/index.ts': { paths: ['kernels', 'core', 'remote', 'wrappers', 'models'], packages: ['#onnxruntime'] },
  'report/attack/figures.ts': figures,
  'report/attack/success-figures.ts': figures,
  'report/run/convergence.ts': figures,
  'ui/page/main.tsx': {
    paths: ['kernels', 'core', 'report', 'ui/page', 'ui/api.ts', 'provenance/wall-clock.ts'],
    packages: ['@observablehq/plot', 'preact', '@preact/signals'],
  },
}

/** The one file that may ask what time of day it is: for the record, never for a result. */
const wallClock = 'provenance/wall-clock.ts'

/** The one file with a loop over a session; every way in calls it. */
const engine = 'core/engine.ts'

const maxLines = 250
const excuse = `Over ${maxLines} lines because`

/** The rules. Each returns a sentence per violation that names the file. */
export const rules: Readonly<Record<string, (sources: Sources) => string[]>> = {
  'a file imports only what its folder may import': (sources) =>
    [...syntaxes(sources)]
      .filter(([path]) => !isTest(path))
      .flatMap(([path, syntax]) => forbiddenImports(path, syntax)),

  'paper needs every exception to its import rule': (sources) => {
    const imported = new Set(
      [...syntaxes(sources)]
        .filter(([path]) => path.startsWith('paper/'))
        .flatMap(([path, { imports }]) => imports.map(({ specifier }) => resolve(path, specifier))),
    )
    return paperExceptions.filter((each) => !imported.has(each)).map((each) => `src/${each}: paper does not import it`)
  },

  'the entry points for browsers stay browser-safe': (sources) => {
    const known = syntaxes(sources)
    return Object.entries(browserSafe).flatMap(([entry, rule]) =>
      [...routes(entry, known)].flatMap(([path, route]) =>
        (known.get(path)?.imports ?? [])
          .filter((each) => !each.typeOnly && !allows(rule, path, each))
          .map(
            (each) => `${named(path)}: imports ${each.specifier}, which is not browser-safe (${route.join(' -> ')})`,
          ),
      ),
    )
  },

  'nothing depends on the clock, on hidden random numbers or on how an engine rounds powers': (sources) =>
    [...syntaxes(sources)]
      .filter(([path]) => !isTest(path) && path !== wallClock)
      .flatMap(([path, { irreproducible }]) => irreproducible.map((use) => `${named(path)}: uses ${use}`)),

  'one file holds the only loop over a session': (sources) =>
    sessionLoops(sources)
      .filter((path) => path !== engine)
      .map((path) => `src/${path}: loops over a session; call src/${engine} instead`),

  'exports have names': (sources) =>
    [...syntaxes(sources)].flatMap(([path, syntax]) =>
      syntax.hasDefaultExport ? [`${named(path)}: export default`] : [],
    ),

  [`a file of more than ${maxLines} lines says why at its top`]: (sources) =>
    [...sources].flatMap(([path, text]) => {
      const lines = text.trimEnd().split('\n').length
      const excused = isTest(path) || lines <= maxLines || firstComment(text).includes(excuse)
      return excused ? [] : [`${named(path)}: ${lines} lines, and its first comment does not say "${excuse} ..."`]
    }),

  'a test has the source file it is named after': (sources) =>
    [...sources.keys()]
      .filter((path) => isTest(path) && !sources.has(path.replace(/\.test\.ts$/, '.ts')))
      .map((path) => `${named(path)}: there is no ${named(path.replace(/\.test\.ts$/, '.ts'))}`),
}

/** The files, tests left out, that define a loop over a session. */
export function sessionLoops(sources: Sources): string[] {
  return [...syntaxes(sources)]
    .filter(([path, syntax]) => !isTest(path) && syntax.loopsOverSession)
    .map(([path]) => path)
}

function forbiddenImports(path: string, syntax: Syntax): string[] {
  const folder = folderOf(path)
  const rule = importRules[folder]
  if (rule === undefined) return [`${named(path)}: no import rule for ${folder}; add it to importRules`]
  const own = path === folder ? [] : [folder]
  const full = { ...rule, paths: [...own, ...rule.paths] }
  return syntax.imports
    .filter((each) => !allows(full, path, each))
    .map((each) => `${named(path)}: ${folder} may not import ${describe(path, each)} (allowed: ${allowed(full)})`)
}

function allows(rule: ImportRule, path: string, { specifier, typeOnly }: Import): boolean {
  if (isBuiltin(specifier)) return covers(rule.node ?? [], path)
  if (!specifier.startsWith('.')) return (rule.packages ?? []).includes(packageOf(specifier))
  const target = resolve(path, specifier)
  return covers(rule.paths, target) || (typeOnly && covers(rule.typePaths ?? [], target))
}

/** Every file that one file loads, with the way there; types are not loaded. */
function routes(from: string, known: ReadonlyMap<string, Syntax>): Map<string, string[]> {
  const found = new Map([[from, [from]]])
  for (const [path, route] of found) {
    const targets = (known.get(path)?.imports ?? [])
      .filter(({ specifier, typeOnly }) => specifier.startsWith('.') && !typeOnly)
      .map(({ specifier }) => resolve(path, specifier))
    for (const target of targets) if (!found.has(target)) found.set(target, [...route, target])
  }
  return found
}

/** What was read already: several rules look at the same sources. */
const known = new WeakMap<Sources, ReadonlyMap<string, Syntax>>()

function syntaxes(sources: Sources): ReadonlyMap<string, Syntax> {
  const read = known.get(sources) ?? new Map([...sources].map(([path, text]) => [path, readSyntax(path, text)]))
  known.set(sources, read)
  return read
}

function covers(paths: readonly string[], target: string): boolean {
  return paths.some((path) => target === path || target.startsWith(`${path}/`))
}

function resolve(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier).replace(/^src\//, '')
}

function folderOf(path: string): string {
  return path.split('/', /^(paper|ui)\//.test(path) ? 2 : 1).join('/')
}

/** A file by its path in the repository. */
function named(path: string): string {
  return path.startsWith('paper/') ? path : `src/${path}`
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

function describe(path: string, { specifier, typeOnly }: Import): string {
  const target = specifier.startsWith('.') ? posix.normalize(named(resolve(path, specifier))) : specifier
  return typeOnly ? `types from ${target}` : target
}

function allowed({ paths, typePaths = [], packages = [], node = [] }: ImportRule): string {
  const types = typePaths.map((path) => `types from ${path}`)
  const modules = node.map((path) => `node: in ${path}`)
  return [...paths, ...types, ...packages, ...modules].join(', ') || 'nothing'
}

function firstComment(text: string): string {
  return /\/\*[\s\S]*?\*\/|(?:\/\/.*\s*)+/.exec(text)?.[0] ?? ''
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}
