import { basename } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { ZerothError } from '../../../index.ts'
import type { Value, Variables } from '../../../optimizer/core/variable-types.ts'
import { slug } from '../../jobs/folders.ts'
import { openRun } from '../../jobs/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { collected, commandWords, milliseconds, namedStart, number, wholeNumber } from '../option-values.ts'
import { assign, given } from '../options.ts'
import { performJob } from '../perform.ts'
import { type OutFlags, placeJob } from '../place-job.ts'
import { print } from '../program.ts'
import { type WatchFlags, watcher, withPageOptions, withWatchOptions } from '../terminal.ts'
import { valueMeant, variable, variableOfText, withValues } from '../variable-text.ts'
import { dryRun } from './minimize.ts'

const tuneExamples = `
Finds the arguments that make a program fast, small or good: zeroth tunes what
is in braces and runs the command without a shell.
  {threads:1..16:int}  whole numbers       {level:1|3|9}    one of these
  {rate:1e-5..1:log}   any number          {fast:--fast|}   there or not
  {batch:32..2048:log2}                    {{ and }}        braces that stay

What is measured: time (the default, in seconds), exit-code, last-number (the
last number printed), json:.path.to.a.number or regex:PATTERN, on what the
program prints. A setting that fails is no result and ends nothing.

Examples:
  $ zeroth tune -- gzip -k -f -{level:1..9:int} data.tar
  $ zeroth tune --default threads=1 -- xz -k -f -T{threads:0..4:int} data.tar
  $ zeroth tune --measure json:.tps --maximize --constraint 'json:.p99 <= 5' \\
      -- ./bench --batch={batch:32..2048:log2} --mode={mode:a|b}
  $ zeroth tune --measure last-number -- THREADS={threads:1..8:int} ./solve
  $ zeroth resume gzip-auto-0                  continues it
  $ zeroth report gzip-auto-0                  writes an HTML report

The learning rates of the paper's methods: zeroth minimize --tune-solver.`

interface TuneFlags extends WatchFlags, OutFlags {
  readonly variable?: Variables
  readonly measure?: string
  readonly maximize?: boolean
  readonly constraint?: readonly string[]
  readonly default?: Record<string, string>
  readonly repeats?: number
  readonly warmup?: number
  readonly prepare?: string
  readonly cleanup?: string
  readonly timeout?: number
  readonly compare: number
  readonly maxQueries: number
  readonly maxTime?: number
  readonly target?: number
  readonly patience?: number
  readonly solver?: string
  readonly seed?: number
  readonly jobs?: number
  readonly option?: readonly string[]
  readonly dryRun?: boolean
}

/** `zeroth tune`: the arguments that make a program fast, small or good. */
export function tuneCommand(): Command {
  const described = new Command()
    .argument('<command...>', 'behind --: the program and its arguments, with what is tuned in braces')
    .usage('[options] -- <command with {placeholders}>')
    .optionsGroup('What is measured:')
    .option('--measure <what>', 'time, exit-code, last-number, json:.path or regex:PATTERN (default: time)')
    .option('--maximize', 'more is better')
    .option('--constraint <limit>', 'a limit such as "json:.p99 <= 500"; may be repeated', collected)
    .option(
      '--repeats <n>',
      'runs per setting, of which the median counts (default: 3 for time, else 1)',
      wholeNumber(1),
    )
    .option('--warmup <n>', 'runs per setting before those that count (default: 0)', wholeNumber(0))
    .option('--prepare <command>', 'run before each run; no shell')
    .option('--cleanup <command>', 'run after the last run of each setting; no shell')
    .option('--timeout <time>', 'for one run: milliseconds, or 30s, 2m (default: 10m)', milliseconds)
    .optionsGroup('What is tuned:')
    .option(
      '--variable <range>',
      'a variable of a placeholder {name}: threads=1..16:int, mode=a|b; may be repeated',
      variable,
    )
    .option('--default <values>', 'where to begin, and what to compare with: threads=8,mode=fast', namedDefaults)
    .optionsGroup('Method, and when to stop:')
    .option('--max-queries <n>', 'settings to try at most', wholeNumber(1), 60)
    .option('--max-time <time>', 'for all of it: milliseconds, or 30s, 10m, 2h', milliseconds)
    .option('--target <value>', 'stop at a setting with this value or a better one', number)
    .option('--patience <n>', 'stop after this many settings in a row that are no better', wholeNumber(1))
    .option('--compare <n>', 'measure the best setting and the default so often once more, in turns', wholeNumber(0), 5)
    .option('-j, --jobs <n>', 'settings to measure at once; not where times are measured', wholeNumber(1))
    .option('--solver <name>', 'the method (default: auto)')
    .option('--seed <n>', 'determines every random number (default: 0)', wholeNumber(0))
    .option(
      '-O, --option <key=value>',
      'any key of the spec, as in objective.maxOutputBytes=1e8; may be repeated',
      collected,
    )
    .optionsGroup('Run folder:')
    .option('-o, --out <folder>', 'its folder (default: a new one in zeroth-runs)')
    .option('--resume', 'continue the run in the folder of --out if there is one')
    .option('--dry-run', 'show the first settings instead of running them')
  return withPageOptions(withWatchOptions(described)).addHelpText('after', tuneExamples).action(performTune)
}

async function performTune(words: readonly string[], flags: TuneFlags): Promise<void> {
  const spec = tuneSpec(words, flags)
  const { compileSpec } = await import('../../spec/index.ts')
  const compiled = compileSpec(spec, { locate: locateOption })
  if (flags.dryRun === true) {
    await compiled.objective.close?.()
    return print(dryRun(compiled, flags.json === true))
  }
  const watching = watcher(flags)
  try {
    if ((flags.jobs ?? 1) > 1 && (flags.measure ?? 'time') === 'time') {
      watching.warn('warning: settings that are measured at once slow each other down: their times are of little use')
    }
    const { solver, seed, objective } = compiled.resolved
    const [program = 'tune'] = (objective as { command: string[] }).command.slice(0, 1).map((word) => basename(word))
    const name = slug(`${program}-${(solver as JsonObject).name}-${seed}`) || 'tune'
    process.exitCode = await placeJob('run', flags, name, watching.page, async (folder) =>
      performJob(await openRun(folder, compiled), flags, watching),
    )
  } finally {
    watching.close()
  }
  await watching.page?.stay()
}

/** The spec that a command line with placeholders means. */
export function tuneSpec(words: readonly string[], flags: TuneFlags): JsonObject {
  const found: Record<string, ReturnType<typeof variableOfText>> = {}
  const plain = (word: string): string => withoutRanges(word, found)
  const filled = words.map(plain)
  const first = filled.findIndex((word) => !/^[A-Za-z_][A-Za-z0-9_]*=/.test(word))
  if (first < 0) throw new ZerothError('invalid-option', 'there is no program to run: only environment variables')
  const env = Object.fromEntries(filled.slice(0, first).map((word) => word.split(/=(.*)/s).slice(0, 2)))
  const prepare = flags.prepare && commandWords(flags.prepare, 'prepare').map(plain)
  const cleanup = flags.cleanup && commandWords(flags.cleanup, 'cleanup').map(plain)
  for (const name of Object.keys(flags.variable ?? {})) {
    if (name in found)
      throw new ZerothError('invalid-option', `the variable ${name} is both in {${name}:...} and in --variable`)
  }
  const variables = withValues({ ...found, ...flags.variable })
  if (Object.keys(variables).length === 0) {
    const advice = 'put one into the command, such as {threads:1..16:int} or {mode:fast|best}'
    throw new ZerothError('invalid-option', `nothing to tune: there is no placeholder; ${advice}`)
  }
  const { measure = 'time', maximize, constraint, warmup, timeout, jobs, target, solver, seed } = flags
  const objective = given({
    name: 'command',
    command: filled.slice(first),
    cwd: process.cwd(),
    env: first > 0 ? env : undefined,
    measure,
    maximize,
    constraints: constraint,
    repeats: flags.repeats ?? (measure.trim() === 'time' ? 3 : 1),
    warmup,
    prepare,
    cleanup,
  })
  const start = Object.entries(flags.default ?? {}).map(([name, text]) => [name, valueMeant(text, variables[name])])
  const spec = given({
    objective,
    variables,
    start: start.length > 0 ? (Object.fromEntries(start) as Record<string, Value>) : undefined,
    solver,
    seed,
    maxQueries: flags.maxQueries,
    maxTime: flags.maxTime,
    patience: flags.patience,
    target: target === undefined ? undefined : maximize === true ? 0 - target : target,
    timeout,
    jobs,
    failures: 'skip',
    compare: flags.compare > 0 ? flags.compare : undefined,
  })
  for (const assignment of flags.option ?? []) assign(spec, assignment)
  return spec as JsonObject
}

const ranged = /\{\{|\}\}|(?<!\$)\{([\p{L}_$][\p{L}\p{N}_.$-]*):([^{}]*)\}/gu

/** A word whose placeholders have names alone; what stands behind a name is what the variable may be. */
function withoutRanges(word: string, found: Record<string, ReturnType<typeof variableOfText>>): string {
  return word.replace(ranged, (whole: string, name: string | undefined, range = '') => {
    if (name === undefined) return whole
    if (Object.hasOwn(found, name)) {
      throw new ZerothError(
        'invalid-option',
        `${whole}: what ${name} may be is said twice; the second time write {${name}}`,
      )
    }
    try {
      found[name] = variableOfText(range, true)
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error
      const braces = `for braces that stay write {{${name}:${range}}}`
      throw new ZerothError('invalid-option', `the placeholder ${whole}: ${error.message} (${braces})`)
    }
    return `{${name}}`
  })
}

function namedDefaults(text: string, previous: Record<string, string> = {}): Record<string, string> {
  return { ...previous, ...namedStart(text) }
}

/** The option that a key of the spec comes from. */
function locateOption(path: readonly PropertyKey[]): string {
  const [key, inner] = path.map(String)
  const options: Readonly<Record<string, string>> = { start: 'default', measure: 'measure', constraints: 'constraint' }
  const option = options[key === 'objective' ? String(inner) : String(key)]
  return option === undefined ? '' : `--${option}: `
}
