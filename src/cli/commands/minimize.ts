import { join } from 'node:path'
import { Command } from 'commander'
import { compileSpec, type SpecSource } from '../../spec/index.ts'
import { createRun, type RunResult } from '../../trace/index.ts'
import { conclude, ending } from '../conclude.ts'
import { dryRun } from '../dry-run.ts'
import { machine, zerothVersion } from '../machine.ts'
import { wholeNumber } from '../option-values.ts'
import { perform } from '../perform.ts'
import { newRunPlace, type RunPlace } from '../run-places.ts'
import { type Member, seriesJson, seriesText } from '../series.ts'
import { type SpecFlags, specOf, withSpecOptions } from '../spec-options.ts'
import { now } from '../wall-clock.ts'
import { type Watcher, type WatchFlags, watcher, withWatchOptions } from '../watch.ts'

const examples = `
Examples:
  $ zeroth minimize --function rosenbrock --dim 10 --max-queries 5000 --seed 7
  $ zeroth minimize --exec "python3 objective.py" --dim 4 --bounds=-1,1 -j 2
  $ zeroth minimize --http http://127.0.0.1:8080/f --dim 20 --retries 3 --rate 10
  $ zeroth minimize --module ./objective.js --dim 8 --target 1e-3
  $ zeroth minimize problem.yaml --repeat 5
  $ zeroth minimize problem.yaml --dry-run`

interface Flags extends SpecFlags, WatchFlags {
  readonly out?: string
  readonly repeat?: number
  readonly dryRun?: boolean
}

/** `zeroth minimize`: a run from a spec file, from options, or from both. */
export function command(): Command {
  const described = withSpecOptions(new Command().argument('[spec]', 'a YAML or JSON file; options go before its keys'))
    .option('--out <folder>', 'the folder of the run (default: a new one in zeroth-runs)')
    .option('--repeat <n>', 'so many runs, with seeds from --seed on', wholeNumber(1))
    .option('--dry-run', 'show the queries of the first iteration instead of asking them')
  return withWatchOptions(described).addHelpText('after', examples).action(minimizeCommand)
}

async function minimizeCommand(file: string | undefined, flags: Flags): Promise<void> {
  const source = specOf(file, flags)
  const { resolved } = compileSpec(source.spec, source)
  if (flags.dryRun === true) {
    process.stdout.write(`${dryRun(compileSpec(source.spec, source), flags.json === true)}\n`)
    return
  }
  const place = newRunPlace(flags.out, resolved, file)
  const watching = watcher(flags)
  try {
    if (flags.repeat === undefined) {
      process.exitCode = conclude(await runIn(place, source, watching), place.folder, flags, watching)
    } else {
      const seeds = Array.from({ length: flags.repeat }, (_, i) => Number(resolved['seed']) + i)
      process.exitCode = await runSeries(place.folder, seeds, source, flags, watching)
    }
  } finally {
    watching.close()
  }
}

/** One run after the other that differ in their seed alone, each in its own folder. */
async function runSeries(
  parent: string,
  seeds: readonly number[],
  source: SpecSource,
  flags: Flags,
  watching: Watcher,
): Promise<number> {
  const members: Member[] = []
  for (const seed of seeds) {
    const place = { folder: join(parent, `seed-${seed}`), id: `seed-${seed}` }
    const result = await runIn(place, { ...source, spec: { ...source.spec, seed } }, watching)
    members.push({ result, folder: place.folder })
    if (result.status === 'aborted') break
  }
  process.stdout.write(`${flags.json === true ? seriesJson(members, parent) : seriesText(members, parent)}\n`)
  const worst = members.map(({ result, folder }) => ending(result, folder)).reduce((a, b) => (b.code > a.code ? b : a))
  if (worst.code !== 0 && worst.message !== undefined) watching.say(worst.message)
  return worst.code
}

/** A new run, to its end or to Ctrl-C. */
async function runIn({ folder, id }: RunPlace, source: SpecSource, watching: Watcher): Promise<RunResult> {
  const compiled = compileSpec(source.spec, source)
  const about = { id, created: now(), zeroth: zerothVersion(), spec: compiled.resolved, machine: machine() }
  return perform(compiled, await createRun(folder, about), watching)
}
