import { Command } from 'commander'
import { ZerothError } from '../../index.ts'
import { zerothVersion } from '../../provenance/machine.ts'
import { now } from '../../provenance/wall-clock.ts'
import { type CompiledSpec, compileSpec, type JsonObject } from '../../spec/index.ts'
import type { RunStore } from '../../trace/index.ts'
import { defaultName, isRun, isSeries, newRunPlace } from '../../work/folders.ts'
import { changedLimits } from '../../work/limits.ts'
import { newSeries } from '../../work/new-series.ts'
import { beginRun, performNew, takeUp } from '../../work/run.ts'
import { runSeries } from '../../work/series.ts'
import { conclude } from '../conclude.ts'
import { dryRun } from '../dry-run.ts'
import { wholeNumber } from '../option-values.ts'
import { print } from '../output.ts'
import { specFromOptions } from '../spec-from-options.ts'
import { type SpecFlags, withSpecOptions } from '../spec-options.ts'
import { type Watcher, type WatchFlags, watcher, withWatchOptions } from '../watch.ts'

const examples = `
Examples:
  $ zeroth minimize problem.yaml
  $ zeroth minimize --function rosenbrock --dim 10 --max-queries 5000 --seed 7
  $ zeroth minimize --exec "python3 objective.py" --dim 4 --bounds -1,1 -j 2
  $ zeroth minimize --http http://localhost:8080/f --dim 20 --retries 3
  $ zeroth minimize --module ./objective.js --dim 8 --target 1e-3
  $ zeroth minimize problem.yaml --repeat 5
  $ zeroth minimize problem.yaml --dry-run
  $ zeroth minimize problem.yaml --out run --resume   begins, or goes on`

interface Flags extends SpecFlags, WatchFlags {
  readonly out?: string
  readonly resume?: boolean
  readonly repeat?: number
  readonly dryRun?: boolean
}

/** `zeroth minimize`: a run from a spec file, from options, or from both. */
export function command(): Command {
  const described = withSpecOptions(new Command().argument('[spec]', 'a YAML or JSON file; options overrule its keys'))
    .optionsGroup('The run:')
    .option('-o, --out <folder>', 'its folder (default: a new one in zeroth-runs)')
    .option('--resume', 'go on with the run in the folder of --out if there is one')
    .option('--repeat <n>', 'so many runs, with seeds from --seed on', wholeNumber(1))
    .option('--dry-run', 'show the queries of the first iteration instead of asking them')
  return withWatchOptions(described).addHelpText('after', examples).action(minimizeCommand)
}

async function minimizeCommand(argument: string | undefined, flags: Flags): Promise<void> {
  const given = specFromOptions(argument, flags)
  const compiled = compileSpec(given.spec, given)
  if (flags.dryRun === true) return print(dryRun(compiled, flags.json === true))
  const watching = watcher(flags)
  try {
    const act = flags.repeat === undefined ? single : series
    process.exitCode = await act(compiled, given.file, flags, watching)
  } finally {
    watching.close()
  }
}

async function single(
  compiled: CompiledSpec,
  file: string | undefined,
  flags: Flags,
  watching: Watcher,
): Promise<number> {
  const { resolved } = compiled
  const there = runThere(flags)
  if (there !== undefined) {
    await compiled.objective.close?.()
    const result = await takeUp(there, (spec) => changedLimits(there, spec, resolved), watching)
    return conclude(result, there, flags, watching)
  }
  const store = await newRun(flags.out, defaultName(resolved, file, String(resolved.seed)), resolved)
  return conclude(await performNew(compiled, store, watching), store.folder, flags, watching)
}

/** The run to go on with, where --resume asks for that and there is one; a run nobody asked for is an error. */
function runThere({ out, resume }: Flags): string | undefined {
  if (out === undefined) {
    if (resume === true) throw new ZerothError('invalid-option', '--resume needs --out: the folder to go on in')
    return undefined
  }
  const { folder } = newRunPlace(out, '')
  if (isSeries(folder)) throw new ZerothError('invalid-option', `${folder} holds several runs: choose another folder`)
  if (!isRun(folder)) return undefined
  if (resume === true) return folder
  const advice = `zeroth resume ${out} goes on with it, --resume begins or goes on`
  throw new ZerothError('invalid-option', `${folder} holds a run already: ${advice}, or choose another folder`)
}

/** Begins a run in the folder of --out, or in a free one: another process may take that in between. */
async function newRun(out: string | undefined, name: string, resolved: JsonObject): Promise<RunStore> {
  for (;;) {
    const place = newRunPlace(out, name)
    try {
      return await beginRun(place, resolved)
    } catch (error) {
      const isTaken = error instanceof ZerothError && (isRun(place.folder) || error.code === 'run-in-use')
      if (out !== undefined || !isTaken) throw error
    }
  }
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
  const plan = { kind: 'repeat', created: now(), zeroth: zerothVersion(), spec: resolved, seeds } as const
  const name = defaultName(resolved, file, `seeds-${first}-${seeds.at(-1)}`)
  const folder = await newSeries(flags, name, plan)
  return runSeries(folder, plan, flags, watching)
}
