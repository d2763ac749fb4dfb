import { Command, Option } from 'commander'
import { createSession, type Explanation, explainAuto, points, wholeSpace, ZerothError } from '../../../index.ts'
import { jsonSafe } from '../../../optimizer/core/exact-json.ts'
import type { NamedVariables } from '../../../optimizer/core/variable-types.ts'
import { flatPoint } from '../../../optimizer/core/variables.ts'
import { defaultName, runPlace } from '../../jobs/folders.ts'
import { type Limits, openJob, openRepeats, openRun } from '../../jobs/index.ts'
import { specDigest } from '../../jobs/job.ts'
import { countText, variableValue } from '../../report/number-text.ts'
import { textTable } from '../../report/table.ts'
import type { CompiledSpec } from '../../spec/index.ts'
import { freeLocks } from '../../store/index.ts'
import { milliseconds, number, wholeNumber } from '../option-values.ts'
import { type SpecFlags, specFromOptions, withSpecOptions } from '../options.ts'
import { performJob } from '../perform.ts'
import { type OutFlags, placeJob } from '../place-job.ts'
import { print } from '../program.ts'
import { type Watcher, type WatchFlags, watcher, withPageOptions, withWatchOptions } from '../terminal.ts'
import { checkTuneSolver, performTuneSolver, type TuneSolverFlags, withTuneSolverOptions } from '../tune-solver.ts'

const minimizeExamples = `
Examples:
  $ zeroth minimize problem.yaml
  $ zeroth minimize --function rosenbrock --dim 10 --max-queries 5000 --seed 7
  $ zeroth minimize --exec "python3 objective.py" --dim 4 --bounds -1,1 -j 2
  $ zeroth minimize --exec ./train --variable rate=1e-5..0.1:log
  $ zeroth minimize --http http://localhost:8080/f --dim 20 --retries 3
  $ zeroth minimize --module ./objective.js --dim 8 --target 1e-3
  $ zeroth minimize problem.yaml --repeat 5
  $ zeroth minimize problem.yaml --queue redis://host:6379   see zeroth worker
  $ zeroth minimize problem.yaml --dry-run
  $ zeroth minimize problem.yaml --explain            what it would do, and why
  $ zeroth minimize problem.yaml --out run --resume   begins, or continues
  $ zeroth minimize problem.yaml --solver zo-adamm --tune-solver`

interface MinimizeFlags extends SpecFlags, WatchFlags, OutFlags, TuneSolverFlags {
  readonly repeat?: number
  readonly dryRun?: boolean
  readonly explain?: boolean
}

/** `zeroth minimize`: a run from a spec file, from options, or from both. */
export function minimizeCommand(): Command {
  const described = withSpecOptions(new Command().argument('[spec]', 'a YAML or JSON file; options overrule its keys'))
    .optionsGroup('Run folder:')
    .option('-o, --out <folder>', 'its folder (default: a new one in zeroth-runs)')
    .option('--resume', 'continue the run in the folder of --out if there is one')
    .option('--repeat <n>', 'this many runs, with seeds from --seed on', wholeNumber(1))
    .option('--dry-run', 'show the queries of the first iteration instead of asking them')
    .option('--explain', 'say which methods the default would use, and why, instead of running')
  return withPageOptions(withWatchOptions(withTuneSolverOptions(described)))
    .addHelpText('after', minimizeExamples)
    .action(performMinimize)
}

async function performMinimize(argument: string | undefined, flags: MinimizeFlags): Promise<void> {
  checkTuneSolver(flags, ['repeat', 'dryRun', 'explain'])
  const given = specFromOptions(argument, flags)
  const { compileSpec } = await import('../../spec/index.ts')
  const compiled = compileSpec(given.spec, given)
  if (flags.tuneSolver === true) {
    const { resolved, objective } = compiled
    await objective.close?.()
    const name = defaultName(resolved, given.file, 'tune')
    return performTuneSolver({ source: given, name, seed: Number(resolved.seed), seeds: 3 }, flags)
  }
  if (flags.dryRun === true) return print(dryRun(compiled, flags.json === true))
  if (flags.explain === true) return print(explain(compiled, flags.json === true))
  const watching = watcher(flags)
  try {
    const act = flags.repeat === undefined ? single : series
    process.exitCode = await act(compiled, given.file, flags, watching)
  } finally {
    watching.close()
  }
  await watching.page?.stay()
}

async function single(
  compiled: CompiledSpec,
  file: string | undefined,
  flags: MinimizeFlags,
  watching: Watcher,
): Promise<number> {
  const { resolved } = compiled
  const name = defaultName(resolved, file, String(resolved.seed))
  return placeJob('run', flags, name, watching.page, async (folder) =>
    performJob(await openRun(folder, compiled), flags, watching),
  )
}

/** One run after the other that differ in their seed alone, each in its own folder. */
async function series(
  { objective, resolved }: CompiledSpec,
  file: string | undefined,
  flags: MinimizeFlags,
  watching: Watcher,
): Promise<number> {
  await objective.close?.()
  const first = Number(resolved.seed)
  const seeds = Array.from({ length: flags.repeat ?? 1 }, (_, i) => first + i)
  const name = defaultName(resolved, file, `seeds-${first}-${seeds.at(-1)}`)
  return placeJob('series', flags, name, watching.page, async (folder) =>
    performJob(await openRepeats(folder, resolved, { seeds }), flags, watching),
  )
}

/** Coordinates of a point that are shown. */
const shown = 8

/** What the first iteration would ask, without asking it; the later ones depend on the answers. */
export function dryRun({ start, session: options }: CompiledSpec, json: boolean): string {
  const session = createSession(start, options)
  if (session.outcome !== undefined) {
    return json ? '{"queries":[]}' : `nothing would be asked: the run would stop by ${session.outcome.stopReason}`
  }
  const queries = session.ask()
  const rows = points(queries).map((x) => Array.from(x))
  const { iteration } = queries.key
  const { variables } = options
  if (json) {
    const named = variables && rows.map((x) => variables.named(x))
    return JSON.stringify(jsonSafe({ iteration, centers: queries.centers, variables: named, queries: rows }))
  }
  const lines = rows.map((x, row) => `${row < queries.centers ? 'point' : 'probe'} ${pointText(x, variables)}`)
  return [
    `iteration ${iteration} would ask ${queries.rows === 1 ? 'one query' : `${queries.rows} queries`}:`,
    ...lines,
  ].join('\n')
}

function pointText(x: readonly number[], variables: NamedVariables | undefined): string {
  const all =
    variables === undefined
      ? x.map((each) => each.toPrecision(6))
      : flatPoint(variables.named(x)).map(
          ([name, value]) => `${name}=${variableValue(value, (each) => each.toPrecision(6))}`,
        )
  return [...all.slice(0, shown), ...(x.length > shown ? [`... ${x.length} in all`] : [])].join(' ')
}

/** What the default method would do with a problem, and why, without asking it anything. */
export function explain({ start, session, resolved }: CompiledSpec, json: boolean): string {
  const { name, once } = resolved.solver as { name: string; once?: boolean }
  if (name !== 'auto') {
    throw new ZerothError('invalid-option', `--explain is about the default method, auto; this run uses ${name}`)
  }
  const { maxQueries = Infinity, variables, set = variables?.set ?? wholeSpace() } = session
  const explained = explainAuto({ dim: start.length, queries: maxQueries, set, once: once === true })
  return json ? JSON.stringify(jsonSafe(explained)) : explanationText(explained)
}

function explanationText({ dim, queries, set, exact, noisy }: Explanation): string {
  const variables = dim === 1 ? '1 variable' : `${countText(dim)} variables`
  const where = { free: 'without bounds', box: 'in a box', other: 'in a convex set' }[set]
  const limit = Number.isFinite(queries) ? `${countText(queries)} queries at most` : 'no limit on queries'
  const head = [`${variables} ${where}, ${limit}`, '']
  // One plan for both: nothing is asked to find out.
  if (exact === noisy) return [...head, choices(exact)].join('\n')
  return [
    ...head,
    'First it asks the start twice. Where the answers are the same:',
    choices(exact),
    '',
    'Where they differ:',
    choices(noisy),
  ].join('\n')
}

function choices(list: Explanation['exact']): string {
  return textTable(list, [
    { title: 'method', cell: ({ method }) => method },
    {
      title: 'until query',
      align: 'right',
      cell: ({ until }) => (Number.isFinite(until) ? countText(Math.floor(until)) : 'the end'),
    },
    { title: 'why', cell: ({ why }) => why },
  ])
}

const resumeExamples = `
A run that has finished prints its result again and asks nothing. One that
failed repeats what failed. New limits apply from where the run is, also to one
that has finished. An attack retries the images that got no answer.

A process on another machine or in another container cannot be asked whether it
lives: zeroth waits until its lock shows no sign of life for 20 seconds.

Examples:
  $ zeroth resume zeroth-runs/problem-auto-7
  $ zeroth resume problem-auto-7 --max-queries 20000
  $ zeroth resume problem-auto-seeds-0-4           all runs of a series
  $ zeroth resume digits-strongest-constrained-0   an attack`

interface ResumeFlags extends WatchFlags, Limits {
  readonly takeLock?: boolean
  /** What the page has shown of it, as a digest of its spec. */
  readonly shown?: string
}

/** `zeroth resume`: continues a run, a series, a tuning or an attack. */
export function resumeCommand(): Command {
  const described = new Command()
    .argument('<run>', 'the folder of a run, a series, a tuning or an attack, or its name in zeroth-runs')
    .option('--take-lock', 'do not wait for a process elsewhere that holds it: it is gone for certain')
    .optionsGroup('Other limits:')
    .option('--max-queries <n>', 'queries at most, all of the run counted', wholeNumber(1))
    .option('--max-iterations <n>', 'iterations at most, all of the run counted', wholeNumber(0))
    .option('--max-time <time>', 'time at most, all of the run counted', milliseconds)
    .option('--target <value>', 'stop when a point has this value or a better one', number)
    .option('--patience <n>', 'stop after this many queries in a row without a better value', wholeNumber(1))
    .addOption(new Option('--shown <digest>').hideHelp())
  return withPageOptions(withWatchOptions(described)).addHelpText('after', resumeExamples).action(performResume)
}

async function performResume(run: string, { shown, ...flags }: ResumeFlags): Promise<void> {
  const folder = runPlace(run)
  const watching = watcher(flags)
  try {
    if (flags.takeLock === true) freeLocks(folder)
    await watching.page?.open(folder)
    const job = await openJob(folder, flags)
    if (shown !== undefined && shown !== specDigest(job.spec)) {
      await job.close()
      throw new ZerothError('invalid-option', `${folder} has changed since it was shown: look at it again`)
    }
    process.exitCode = await performJob(job, flags, watching)
  } finally {
    watching.close()
  }
  await watching.page?.stay()
}
