import { importRules, partFolders, publicEntries } from '../architecture/rules.ts'
import { markdownTable } from './markdown.ts'

/** What each folder holds; who may import what is one table for the tests and for this page. */
const holds: Readonly<Record<string, string>> = {
  'src/kernels': 'hot loops and random numbers',
  'src/core': 'types, options, session, the engine, accounts, checkpoints',
  'src/algebra': 'small dense matrices, in plain arithmetic',
  'src/staged': 'what methods written as stages share: the search, differences, line search',
  'src/bases': 'subspaces of images and variables, one per file',
  'src/directions': 'where probes lie, one per file',
  'src/estimators': 'from answers to a gradient, one per file',
  'src/steps': 'from a gradient to a move, one per file',
  'src/mirrors': 'from a move to the next point, one per file',
  'src/sets': 'where points may lie, one per file',
  'src/solvers': 'methods: presets, `descent`, and those of other families',
  'src/objectives': 'black boxes: functions, modules, threads, programs, services; test problems',
  'src/wrappers': 'objectives around objectives',
  'src/run': '`minimize`, `maximize`, `minimizeMany`',
  'src/threads': 'kernels shared out over threads (Node)',
  'src/remote': 'calls over HTTP: limits, secrets, tensors',
  'src/models': 'classifiers',
  'src/datasets': 'images and data sets',
  'src/embedded': 'the classifiers and images in `assets`',
  'src/attacks': 'robustness: forms of attacks, accounts, summaries',
  'src/trace': 'run directories: journal, checkpoints, locks',
  'src/spec': 'spec files: from text to a problem and a solver',
  'src/provenance': 'the commit, the machine and the time, for the record',
  'src/queue': 'rows handed out to workers on many machines, by way of Redis',
  'src/work': 'runs, series, tunings and evaluations that can be resumed',
  'src/report': 'pages, figures and tables',
  'src/ui/server': 'the server of `zeroth ui`',
  'src/ui/page': 'the page of `zeroth ui`, for browsers',
  'src/cli': 'the command line, one file per command',
  'paper/theory': 'the statements of the paper, checked',
  'paper/claims': 'the claims of the paper, with a verdict each',
  'paper/beyond': 'comparisons of the methods that the paper does not have',
  'paper/compare-solvers': "the paper's methods on test problems",
  'paper/reproduction': 'the tables and figures of the paper',
}

/** The table of folders for those who contribute. */
export function folderTable(): string {
  const folders = Object.keys(importRules).filter((folder) => !folder.endsWith('.ts'))
  const rows = folders.map((folder) => {
    const path = folder.startsWith('paper/') ? folder : `src/${folder}`
    const sentence = holds[path]
    if (sentence === undefined) throw new Error(`say in scripts/generate/folders.ts what ${path} holds`)
    return [`\`${path}\``, sentence, mayImport(importRules[folder]?.paths ?? [])]
  })
  const gone = Object.keys(holds).filter((path) => !folders.includes(path.replace(/^src\//, '')))
  if (gone.length > 0) throw new Error(`scripts/generate/folders.ts: there is no import rule for ${gone.join(', ')}`)
  return markdownTable(['folder', 'what it holds', 'may import'], rows)
}

/** What a folder may import beside itself, by folder. */
function mayImport(paths: readonly string[]): string {
  const isPublic = publicEntries.every((entry) => paths.includes(entry))
  const hasParts = partFolders.every((folder) => paths.includes(folder))
  const others = paths
    .filter((path) => !(isPublic && publicEntries.includes(path)) && !(hasParts && partFolders.includes(path)))
    .map((path) => path.split('/', /^(paper|ui)\//.test(path) ? 2 : 1).join('/'))
  const names = [...(isPublic ? ['the public entry points'] : []), ...(hasParts ? ['all folders of parts'] : [])]
  return [...names, ...new Set(others)].join(', ') || 'nothing'
}
