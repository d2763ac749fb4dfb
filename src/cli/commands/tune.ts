import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { shortNumber, textTable } from '../../report/index.ts'
import { compileSpec, type JsonObject, type SpecSource } from '../../spec/index.ts'
import { createRun, openRun, type RunResult } from '../../trace/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { jsonSafe } from '../json-safe.ts'
import { machine, zerothVersion } from '../machine.ts'
import { number, wholeNumber } from '../option-values.ts'
import { perform } from '../perform.ts'
import { newRunPlace } from '../run-places.ts'
import { type SpecFlags, specOf, withSpecOptions } from '../spec-options.ts'
import { greedySearch, rateGrid, type Tried } from '../tune-search.ts'
import { now } from '../wall-clock.ts'
import { type Watcher, type WatchFlags, watcher, withWatchOptions } from '../watch.ts'

const examples = `
The learning rate is searched over a grid that grows as long as its best value is at an edge; with --betas the
pairs (beta1, beta2) of the paper's grid are then tried at the best rate. Every try is a run of its own, so that an
interrupted search goes on where it stood when the same command is given again.

Examples:
  $ zeroth tune --function rosenbrock --dim 10 --max-queries 2000 --seeds 3
  $ zeroth tune problem.yaml --from 1e-3 --to 1 --betas --out tuned`

/** The grid of the paper's search over beta1 and beta2. */
const paperBetas = [0.1, 0.3, 0.5, 0.7, 0.9]

interface Flags extends SpecFlags, WatchFlags {
  readonly out?: string
  readonly from: number
  readonly to: number
  readonly seeds: number
  readonly betas?: boolean
}

/** `zeroth tune`: which learning rate, and which betas, serve a problem best. */
export function command(): Command {
  const described = withSpecOptions(new Command().argument('[spec]', 'a YAML or JSON file; options go before its keys'))
    .option('--from <rate>', 'the smallest learning rate of the grid', number, 1e-3)
    .option('--to <rate>', 'the largest learning rate of the grid', number, 1)
    .option('--seeds <n>', 'runs per setting; their mean value counts', wholeNumber(1), 3)
    .option('--betas', 'search beta1 and beta2 at the best rate, too')
    .option('--out <folder>', 'where the runs go (default: a new folder in zeroth-runs)')
  return withWatchOptions(described).addHelpText('after', examples).action(tuneCommand)
}

async function tuneCommand(file: string | undefined, flags: Flags): Promise<void> {
  const source = specOf(file, flags)
  const { resolved } = compileSpec(source.spec, source)
  const folder = flags.out ?? newRunPlace(undefined, resolved, file).folder
  const watching = watcher(flags)
  try {
    const measure = async (setting: Omit<Tried, 'value'>): Promise<number> => {
      let sum = 0
      for (let i = 0; i < flags.seeds; i++) {
        const seed = Number(resolved['seed']) + i
        const result = await tryOut(source, { ...setting, seed }, join(folder, nameOf(setting, seed)), watching)
        if (result.status === 'aborted') throw new Interrupted()
        sum += result.value
      }
      watching.say(`${describe(setting)}  value ${shortNumber(sum / flags.seeds)}`)
      return sum / flags.seeds
    }
    const betas = flags.betas === true ? paperBetas : []
    const found = await greedySearch(rateGrid(flags.from, flags.to), betas, 6, measure)
    if (found.atEdge) watching.say('warning: the best learning rate is at the edge of all that were tried')
    process.stdout.write(
      `${flags.json === true ? JSON.stringify(jsonSafe({ ...found, run: folder })) : text(found, folder)}\n`,
    )
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    watching.say(`interrupted and saved: the same command with --out ${folder} goes on`)
    process.exitCode = exitCodes.interrupted
  } finally {
    watching.close()
  }
}

class Interrupted extends Error {}

/** One run of a setting: made, taken up again, or, where it has finished before, only read. */
async function tryOut(
  source: SpecSource,
  { seed, ...setting }: Omit<Tried, 'value'> & { seed: number },
  folder: string,
  watching: Watcher,
): Promise<RunResult> {
  const current = source.spec['solver'] ?? 'zo-adamm'
  const solver = { ...(typeof current === 'string' ? { name: current } : (current as JsonObject)), ...setting }
  const spec = { ...source.spec, seed, solver: JSON.parse(JSON.stringify(solver)) as JsonObject }
  const compiled = compileSpec(spec, source)
  const about = {
    id: nameOf(setting, seed),
    created: now(),
    zeroth: zerothVersion(),
    spec: compiled.resolved,
    machine: machine(),
  }
  const store = await (existsSync(join(folder, 'meta.json')) ? openRun(folder) : createRun(folder, about))
  if (store.result?.status === 'finished') {
    await store.close()
    return store.result
  }
  return perform(compiled, store, watching)
}

function nameOf({ learningRate, beta1, beta2 }: Omit<Tried, 'value'>, seed: number): string {
  const parts = [`rate-${learningRate}`, beta1 === undefined ? '' : `betas-${beta1}-${beta2}`, `seed-${seed}`]
  return parts
    .filter((each) => each !== '')
    .join('-')
    .replaceAll('.', 'p')
    .replaceAll('+', '')
}

function describe({ learningRate, beta1, beta2 }: Omit<Tried, 'value'>): string {
  return `learningRate ${learningRate}${beta1 === undefined ? '' : `  beta1 ${beta1}  beta2 ${beta2}`}`
}

function text({ tried, best }: { tried: readonly Tried[]; best: Tried }, folder: string): string {
  const sorted = tried.toSorted((a, b) => a.learningRate - b.learningRate)
  const table = textTable(sorted, [
    { title: 'learning rate', align: 'right', cell: ({ learningRate }) => String(learningRate) },
    { title: 'beta1', align: 'right', cell: ({ beta1 }) => String(beta1 ?? '') },
    { title: 'beta2', align: 'right', cell: ({ beta2 }) => String(beta2 ?? '') },
    { title: 'mean value', align: 'right', cell: ({ value }) => shortNumber(value) },
    { title: '', cell: (each) => (each === best ? 'best' : '') },
  ])
  return `${table}\n\nbest: ${describe(best)}\nruns: ${folder}`
}
