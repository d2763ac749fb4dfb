import { Command } from 'commander'
import { jsonSafe } from '../../core/json-safe.ts'
import { createSession, points } from '../../index.ts'
import { type CompiledSpec, compileSpec } from '../../spec/index.ts'
import { defaultName } from '../../work/folders.ts'
import { openRun, openSeries } from '../../work/index.ts'
import { performWork } from '../conclude.ts'
import { wholeNumber } from '../option-values.ts'
import { print } from '../output.ts'
import { withPageOptions } from '../page-beside.ts'
import { explain } from '../print-explanation.ts'
import { specFromOptions } from '../spec-from-options.ts'
import { type SpecFlags, withSpecOptions } from '../spec-options.ts'
import { type Watcher, type WatchFlags, watcher, withWatchOptions } from '../watch.ts'
import { type OutFlags, placeWork } from '../work-folder.ts'

const examples = `
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
  $ zeroth minimize problem.yaml --out run --resume   begins, or continues`

interface Flags extends SpecFlags, WatchFlags, OutFlags {
  readonly repeat?: number
  readonly dryRun?: boolean
  readonly explain?: boolean
}

/** `zeroth minimize`: a run from a spec file, from options, or from both. */
export function command(): Command {
  const described = withSpecOptions(new Command().argument('[spec]', 'a YAML or JSON file; options overrule its keys'))
    .optionsGroup('The run:')
    .option('-o, --out <folder>', 'its folder (default: a new one in zeroth-runs)')
    .option('--resume', 'continue the run in the folder of --out if there is one')
    .option('--repeat <n>', 'this many runs, with seeds from --seed on', wholeNumber(1))
    .option('--dry-run', 'show the queries of the first iteration instead of asking them')
    .option('--explain', 'say which methods the default would use, and why, instead of running')
  return withPageOptions(withWatchOptions(described)).addHelpText('after', examples).action(minimizeCommand)
}

async function minimizeCommand(argument: string | undefined, flags: Flags): Promise<void> {
  const given = specFromOptions(argument, flags)
  const compiled = compileSpec(given.spec, given)
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
  flags: Flags,
  watching: Watcher,
): Promise<number> {
  const { resolved } = compiled
  const name = defaultName(resolved, file, String(resolved.seed))
  const folder = await placeWork('run', flags, name, watching.page)
  return performWork(await openRun(folder, compiled), flags, watching)
}

/** One run after the other that differ in their seed alone, each in its own folder. */
async function series(
  { objective, resolved }: CompiledSpec,
  file: string | undefined,
  flags: Flags,
  watching: Watcher,
): Promise<number> {
  await objective.close?.()
  const first = Number(resolved.seed)
  const seeds = Array.from({ length: flags.repeat ?? 1 }, (_, i) => first + i)
  const name = defaultName(resolved, file, `seeds-${first}-${seeds.at(-1)}`)
  const folder = await placeWork('series', flags, name, watching.page)
  return performWork(await openSeries(folder, resolved, { seeds }), flags, watching)
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
  const names = options.variables?.names
  if (json) return JSON.stringify(jsonSafe({ iteration, centers: queries.centers, names, queries: rows }))
  const lines = rows.map((x, row) => `${row < queries.centers ? 'point' : 'probe'} ${pointText(x, names)}`)
  return [
    `iteration ${iteration} would ask ${queries.rows === 1 ? 'one query' : `${queries.rows} queries`}:`,
    ...lines,
  ].join('\n')
}

function pointText(x: readonly number[], names: readonly string[] | undefined): string {
  const text = (each: number, i: number) => `${names === undefined ? '' : `${names[i]}=`}${each.toPrecision(6)}`
  const numbers = x.slice(0, shown).map(text)
  return [...numbers, ...(x.length > shown ? [`... ${x.length} in all`] : [])].join(' ')
}
