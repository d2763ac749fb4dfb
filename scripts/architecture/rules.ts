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

export const partFolders = ['bases', 'directions', 'estimators', 'steps', 'mirrors', 'sets'].map(
  (kind) => `optimizer/parts/${kind}`,
)
const core = ['optimizer/kernels', 'optimizer/core']
const browserFolders = [
  ...core,
  ...['numerics', 'methods', 'parts', 'objectives', 'wrappers', 'minimize'].map((folder) => `optimizer/${folder}`),
  'robustness/methods',
]
export const publicEntries = [
  'index.ts',
  'parts.ts',
  'registry.ts',
  'robustness/index.ts',
  'robustness/models/index.ts',
  'robustness/images/index.ts',
  'robustness/embedded/index.ts',
  'app/objectives/index.ts',
  'app/report/index.ts',
  'app/executors/queue/index.ts',
]
/** What the reproduction needs past the public entry points, the reports and the provenance: this list only shrinks. */
const paperExceptions = [
  'app/cli/attack-options.ts',
  'app/cli/option-values.ts',
  'app/cli/program.ts',
  'app/cli/terminal.ts',
  'app/jobs/folders.ts',
  'app/spec/attack/index.ts',
  'optimizer/core/errors.ts',
  'optimizer/core/exact-json.ts',
]
const paperTables = ['paper/methods.ts', 'paper/reproduction/tables', 'paper/reproduction/page']
/** What waits and asks again is the same for objectives and for models. */
const retrying = ['around', 'limits', 'retried'].map((name) => `optimizer/wrappers/${name}.ts`)
const leaf: ImportRule = { paths: core }

/** Who may import what: the longest of these paths that covers a file holds for it. */
export const importRules: Readonly<Record<string, ImportRule>> = {
  'optimizer/kernels': { paths: [] },
  'optimizer/core': { paths: ['optimizer/kernels'] },
  'optimizer/numerics': { paths: [] },
  ...Object.fromEntries(partFolders.map((folder) => [folder, leaf])),
  'optimizer/methods/staged': { paths: [...core, 'optimizer/numerics'] },
  'optimizer/methods': { paths: [...core, 'optimizer/numerics', ...partFolders] },
  'optimizer/remote': { paths: ['optimizer/core'] },
  'optimizer/wrappers': { ...leaf, node: ['optimizer/wrappers/call-log-file.ts'] },
  'optimizer/objectives': {
    paths: [...core, 'optimizer/numerics', 'optimizer/remote'],
    packages: ['tinypool'],
    node: ['optimizer/objectives/workers.ts', 'optimizer/objectives/workers', 'optimizer/objectives/module.ts'],
  },
  'optimizer/minimize': { paths: [...core, 'optimizer/objectives', 'optimizer/methods'] },
  'robustness/models': {
    paths: [...core, 'optimizer/remote', ...retrying],
    typePaths: ['robustness/images/dataset.ts'],
    packages: ['#onnxruntime'],
  },
  'robustness/images': { paths: ['optimizer/core'], packages: ['sharp', 'fast-png'], node: ['robustness/images'] },
  'robustness/embedded': {
    paths: ['optimizer/core', 'robustness/models', 'robustness/images'],
    node: ['robustness/embedded'],
  },
  'robustness/methods': { paths: [...core, 'optimizer/numerics', 'optimizer/methods', ...partFolders] },
  robustness: {
    paths: [...core, 'optimizer/parts/sets'],
  },
  'app/objectives': {
    paths: [...core, 'optimizer/objectives', 'optimizer/remote', 'optimizer/wrappers/call-log-file.ts'],
    node: ['app/objectives/exec.ts', 'app/objectives/exec'],
  },
  'app/store': { paths: ['optimizer/core'], node: ['app/store'] },
  'app/jobs/kept-run.ts': {
    paths: [
      ...['optimizer/core', 'optimizer/minimize', 'app/jobs', 'app/report/index.ts', 'app/spec/index.ts'],
      'app/store/index.ts',
    ],
    node: ['app/jobs/kept-run.ts'],
  },
  'app/spec': {
    paths: [
      ...publicEntries,
      ...['optimizer/core', 'optimizer/wrappers', 'optimizer/remote'],
      ...['app/executors/queue/redis-address.ts', 'app/executors/queue/served.ts', 'robustness/methods/parts.ts'],
    ],
    packages: ['yaml'],
    node: ['app/spec'],
  },
  'app/report': {
    paths: [
      'optimizer/core',
      'app/store/index.ts',
      'app/jobs/evaluation',
      'app/jobs/folders.ts',
      'robustness/records.ts',
      // What a model says of settings that were tried.
      'optimizer/methods/bayesian/explanation.ts',
    ],
    typePaths: ['app/jobs/tuned.ts', 'app/store', 'robustness/index.ts', 'app/spec/index.ts'],
    packages: ['@observablehq/plot', 'linkedom'],
    node: ['app/report'],
  },
  'app/provenance': { paths: [], node: ['app/provenance'] },
  'app/executors/queue': {
    paths: ['optimizer/core', 'optimizer/remote', 'optimizer/objectives/closable.ts', 'app/provenance'],
    packages: ['bullmq', 'ioredis'],
    node: ['app/executors/queue'],
  },
  'app/jobs': {
    paths: [
      ...publicEntries.filter((path) => path !== 'app/report/index.ts'),
      ...['optimizer/kernels', 'optimizer/core', 'optimizer/remote', 'optimizer/minimize'],
      ...['app/executors/queue', 'app/spec/index.ts', 'app/spec/attack/index.ts', 'app/store/index.ts'],
      'app/provenance',
      // Exports to trackers are exports of a job.
      ...['app/trackers/mlflow.ts', 'app/trackers/tensorboard.ts'],
    ],
    packages: ['hyparquet-writer'],
    node: ['app/jobs'],
  },
  'app/trackers': {
    paths: [
      'index.ts',
      'robustness/images/index.ts',
      'optimizer/core',
      'optimizer/remote',
      'app/jobs',
      'app/spec/index.ts',
      'app/store/index.ts',
      'app/provenance',
    ],
    typePaths: ['robustness/index.ts'],
    node: ['app/trackers'],
  },
  'app/ui/api.ts': {
    paths: [],
    typePaths: ['app/jobs/events.ts', 'app/jobs/folders.ts', 'app/jobs/job.ts', 'optimizer/core/variable-types.ts'],
  },
  'app/ui/server': {
    paths: [
      ...['index.ts', 'optimizer/core', 'robustness/records.ts', 'robustness/summary.ts', 'robustness/images/index.ts'],
      ...['app/store/index.ts', 'app/jobs', 'app/report/index.ts', 'app/provenance', 'app/ui/api.ts'],
    ],
    packages: ['hono', '@hono/node-server'],
    node: ['app/ui/server'],
  },
  'app/ui/page': {
    paths: ['optimizer/core', 'app/report', 'app/provenance/wall-clock.ts', 'app/ui/api.ts'],
    packages: ['preact', '@preact/signals'],
  },
  'app/cli': {
    // The tables and numbers alone, without what draws figures: a list must not wait for it.
    paths: [
      ...publicEntries,
      ...['table', 'number-text', 'attack/settings', 'attack/write-pages', 'run/runs', 'verdict', 'ci'].map(
        (name) => `app/report/${name}.ts`,
      ),
      ...['errors', 'exact-json', 'variables', 'optional-package'].map((name) => `optimizer/core/${name}.ts`),
      ...['app/spec/index.ts', 'app/spec/attack/index.ts', 'app/store/index.ts', 'app/jobs', 'app/trackers'],
      'app/provenance',
      ...['app/ui/server/start-server.ts', 'app/ui/server/ui-beside.ts'],
    ],
    typePaths: ['optimizer/core/types.ts', 'optimizer/core/variable-types.ts'],
    packages: ['commander', 'picocolors', 'hyparquet-writer'],
    node: ['app/cli'],
  },
  'paper/theory': { paths: publicEntries, typePaths: ['optimizer/core/types.ts'], node: ['paper/theory/main.ts'] },
  'paper/methods.ts': { paths: publicEntries },
  'paper/claims': { paths: [...publicEntries, ...paperTables] },
  'paper/beyond': { paths: [...publicEntries, ...paperTables, 'paper/claims'] },
  'paper/compare-solvers': { paths: publicEntries, packages: ['@observablehq/plot'], node: ['paper/compare-solvers'] },
  'paper/reproduction': {
    paths: [
      ...publicEntries,
      ...['app/spec/index.ts', 'app/store/index.ts', 'app/jobs/index.ts', 'app/report', 'app/provenance'],
      ...['paper/methods.ts', 'paper/claims', 'paper/beyond', 'paper/theory/index.ts'],
      ...paperExceptions,
    ],
    packages: ['commander', '@observablehq/plot'],
    node: ['paper/reproduction'],
  },
  'parts.ts': {
    paths: [...partFolders, 'optimizer/methods', 'robustness/methods', 'optimizer/objectives/problems'],
  },
  'registry.ts': { paths: ['parts.ts'], typePaths: ['optimizer/core', 'optimizer/objectives/problems'] },
  'index.ts': { paths: ['parts.ts', 'registry.ts', ...browserFolders] },
}

/** Figures are drawn into any document: that of a browser needs no substitute. */
const figures: ImportRule = {
  paths: [...core, 'app/report', 'robustness/records.ts'],
  packages: ['@observablehq/plot'],
}

/** The entry points that run in a browser, too, and all that they may load. */
const browserSafe: Readonly<Record<string, ImportRule>> = {
  'index.ts': { paths: ['index.ts', 'parts.ts', 'registry.ts', ...browserFolders] },
  'app/objectives/browser.ts': {
    paths: [...core, 'optimizer/remote', 'optimizer/objectives', 'app/objectives'],
  },
  'robustness/models/index.ts': {
    paths: [...core, 'optimizer/remote', 'optimizer/wrappers', 'robustness/models'],
    packages: ['#onnxruntime'],
  },
  'app/report/attack/figures.ts': figures,
  'app/report/run/comparison.ts': figures,
  'app/ui/page/main.tsx': {
    paths: [
      ...core,
      'app/report',
      'robustness/records.ts',
      'app/ui/page',
      'app/ui/api.ts',
      'app/provenance/wall-clock.ts',
    ],
    packages: ['@observablehq/plot', 'preact', '@preact/signals'],
  },
}

/** The one file that may ask what time of day it is: for the record, never for a result. */
const wallClock = 'app/provenance/wall-clock.ts'

/** The one file with a loop over a session; every way in calls it. */
const engine = 'optimizer/core/engine.ts'

/** Words of our own that had crept into names, and what everybody else calls the thing. */
const privateWords: Readonly<Record<string, string>> = {
  album: 'picture store',
  breath: 'yielding',
  breather: 'yielder',
  border: 'boundary',
  complaint: 'issue',
  desk: 'queue client',
  doubts: 'reliability warnings',
  farewell: 'grace period',
  foothold: 'starting point',
  footholds: 'starting points',
  habits: 'bandit',
  lanes: 'concurrency',
  parcel: 'payload',
  rival: 'competing class',
  rivals: 'competing classes',
  seekers: 'candidate solvers',
  sitting: 'session',
  survey: 'screening',
  teller: 'notify',
  unfit: 'misconfigured',
  victim: 'image',
}

function wordsIn(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.toLowerCase())
}

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

  'files and exports have names that the field uses': (sources) =>
    [...sources]
      .filter(([path]) => !isTest(path))
      .flatMap(([path, text]) => {
        const exported = [...text.matchAll(/^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm)]
        const names = [posix.basename(path).replace(/\.tsx?$/, ''), ...exported.map((match) => `${match[1]}`)]
        return names.flatMap((name) =>
          wordsIn(name)
            .filter((word) => Object.hasOwn(privateWords, word))
            .map((word) => `${named(path)}: ${name} says "${word}"; the field says "${privateWords[word]}"`),
        )
      }),

  'a test has the source file it is named after': (sources) =>
    [...sources.keys()]
      .filter((path) => isTest(path) && !sources.has(path.replace(/\.test\.ts$/, '.ts')))
      .map((path) => `${named(path)}: there is no ${named(path.replace(/\.test\.ts$/, '.ts'))}`),
}

/** A folder with more source files than this has a page that says what enters, what leaves and where to begin. */
const filesWithoutPage = 5

/**
 * What the pages of folders (README.md by its path, as those of the sources) leave out: a folder with many files needs one, or
 * its parent's must name it, and files that a page names must be there.
 */
export function pageGaps(sources: Sources, pages: Sources): string[] {
  const files = [...sources.keys()].filter((path) => !isTest(path) && !path.startsWith('paper/'))
  const sizes = new Map<string, number>()
  for (const folder of files.map((path) => posix.dirname(path))) sizes.set(folder, (sizes.get(folder) ?? 0) + 1)
  const silent = [...sizes].flatMap(([folder, size]) => {
    const above = pages.get(posix.join(folder, '../README.md')) ?? ''
    const isNamed = above.includes(posix.basename(folder))
    if (size <= filesWithoutPage || pages.has(posix.join(folder, 'README.md')) || isNamed) return []
    return [`${named(folder)}: ${size} files; write a README.md, or name the folder in that above it`]
  })
  const stale = [...pages].flatMap(([page, text]) =>
    [...text.matchAll(/`(?:src\/)?((?!test\/|scripts\/)[a-z][a-z\d./-]*\.tsx?)`/g)]
      .map((match) => `${match[1]}`)
      .filter((file) => !files.some((path) => path === file || path.endsWith(`/${file}`)))
      .map((file) => `${named(page)}: names ${file}, which is not there`),
  )
  return [...silent, ...stale]
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

/** The path of the rule for a file: the longest one that covers it. */
function folderOf(path: string): string {
  const found = Object.keys(importRules).filter((key) => covers([key], path))
  const longest = found.sort((a, b) => b.length - a.length)[0]
  return longest ?? posix.dirname(path)
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

function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}
