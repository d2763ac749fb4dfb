import { posix } from 'node:path'
import { importRules, partFolders, publicEntries } from '../architecture/rules.ts'
import { markdownTable } from './markdown.ts'

/** What each folder holds; who may import what is one table for the tests and for this page. */
const holds: Readonly<Record<string, string>> = {
  'src/optimizer/kernels': 'hot loops and random numbers',
  'src/optimizer/core': 'types, options, session, the engine, accounts, checkpoints',
  'src/optimizer/numerics': 'small dense matrices, in plain arithmetic',
  'src/optimizer/methods/staged': 'what methods written as stages share: the search, differences, line search',
  'src/optimizer/parts/bases': 'subspaces of images and variables',
  'src/optimizer/parts/directions': 'where probes lie',
  'src/optimizer/parts/estimators': 'from answers to a gradient',
  'src/optimizer/parts/steps': 'from a gradient to a move',
  'src/optimizer/parts/mirrors': 'from a move to the next point',
  'src/optimizer/parts/sets': 'where points may lie',
  'src/optimizer/methods': 'methods: presets, `descent`, and those of other families',
  'src/robustness/methods': 'methods that look for adversarial examples',
  'src/optimizer/objectives': 'black boxes in JavaScript: functions, modules, threads; test problems',
  'src/app/objectives': 'black boxes elsewhere: programs, services',
  'src/optimizer/wrappers': 'objectives around objectives',
  'src/optimizer/minimize': '`minimize`, `maximize`, `minimizeMany`',
  'src/optimizer/remote': 'calls over HTTP: limits, secrets, tensors',
  'src/robustness/models': 'classifiers',
  'src/robustness/images': 'images and data sets',
  'src/robustness/embedded': 'the classifiers and images in `assets`',
  'src/robustness': 'robustness: forms of attacks, accounts, summaries',
  'src/app/store': 'run directories: journal, checkpoints, locks',
  'src/app/spec': 'spec files: from text to a problem and a solver',
  'src/app/provenance': 'the commit, the machine and the time, for the record',
  'src/app/executors/queue': 'rows handed out to workers on many machines, by way of Redis',
  'src/app/trackers': 'MLflow and TensorBoard',
  'src/app/jobs': 'runs, series, tunings and evaluations that can be resumed',
  'src/app/report': 'pages, figures and tables',
  'src/app/ui/server': 'the server of `zeroth ui`',
  'src/app/ui/page': 'the page of `zeroth ui`, for browsers',
  'src/app/cli': 'the command line',
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
    .map((path) => (path.endsWith('.ts') && path.includes('/') ? posix.dirname(path) : path))
  const names = [...(isPublic ? ['the public entry points'] : []), ...(hasParts ? ['all folders of parts'] : [])]
  return [...names, ...new Set(others)].join(', ') || 'nothing'
}
