import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { complain, newProgram } from './program.ts'

const examples = `
Examples:
  $ zeroth init                              asks, writes zeroth.yaml
  $ zeroth minimize zeroth.yaml              runs it; Ctrl-C saves and stops
  $ zeroth resume zeroth-auto-0              continues it
  $ zeroth report zeroth-auto-0              writes an HTML report
  $ zeroth minimize --function rosenbrock --dim 10 --max-queries 5000
  $ zeroth attack --model digits --count 10  measures a classifier's robustness

Every command has its own help: zeroth help <command>
Exit codes: 0 success, 1 the run failed, 2 wrong usage or a wrong spec,
3 less robust than --fail-under demands, 130 interrupted and saved.`

/** What only the repository does: the paper is no part of the package. */
const inRepository = ['reproduce', 'theory']

/** Runs `zeroth` with the given arguments; returns its exit code. */
export async function runCommandLine(given: readonly string[]): Promise<number> {
  const args = given[0] === 'help' ? helpArguments(given.slice(1)) : given
  try {
    await (await programFor(args)).parseAsync(args, { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (error) {
    return await complain(error, args)
  }
}

/** The program with all its commands; only the one that is called is loaded, so that help does not wait for others. */
async function programFor(args: readonly string[]): Promise<Command> {
  const { version = '', description = '' } = packageFields()
  const wanted = args.find((arg) => !arg.startsWith('-'))
  const hint = inRepository.includes(wanted ?? '') ? `; the repository of zeroth has it: npm run ${wanted}` : ''
  const program = newProgram('zeroth', hint)
    .description(description)
    .version(version, '-V, --version', 'print the version')
    .addHelpText('after', examples)
  for (const { name, summary, group, load } of commands) {
    const command = name === wanted ? (await load()).name(name) : new Command(name)
    program.addCommand(command.copyInheritedSettings(program).description(summary).helpGroup(group))
  }
  return program
}

/** `zeroth help minimize` is `zeroth minimize --help`. */
function helpArguments([command]: readonly string[]): readonly string[] {
  if (command === undefined) return ['--help']
  return commands.some(({ name }) => name === command) ? [command, '--help'] : [command]
}

function packageFields(): Partial<Record<string, string>> {
  return JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
}

/** A command as the list in `zeroth --help` shows it; its code is loaded when it is called. */
interface Listed {
  readonly name: string
  readonly summary: string
  readonly group: string
  readonly load: () => Promise<Command>
}

const running = 'Run:'
const showing = 'Results:'
const writing = 'Write specs:'
const more = 'More:'

/** Every command, in the order of the help text. */
export const commands: readonly Listed[] = [
  {
    name: 'minimize',
    summary: 'minimise a function, a program, a service: from a spec file or from options',
    group: running,
    load: async () => (await import('./commands/minimize.ts')).minimizeCommand(),
  },
  {
    name: 'attack',
    summary: "measure a classifier's robustness through queries alone",
    group: running,
    load: async () => (await import('./commands/attack.ts')).attackCommand(),
  },
  {
    name: 'resume',
    summary: 'continue an interrupted run, series, tuning or attack',
    group: running,
    load: async () => (await import('./commands/minimize.ts')).resumeCommand(),
  },
  {
    name: 'tune',
    summary: 'find the arguments that make a program fast, small or good',
    group: running,
    load: async () => (await import('./commands/tune.ts')).tuneCommand(),
  },
  {
    name: 'worker',
    summary: 'run a worker that takes jobs from a Redis queue',
    group: running,
    load: async () => (await import('./commands/worker.ts')).workerCommand(),
  },
  {
    name: 'queue',
    summary: 'show the jobs and workers of a queue, drop or retry jobs',
    group: running,
    load: async () => (await import('./commands/queue.ts')).queueCommand(),
  },
  {
    name: 'serve',
    summary: 'ask and tell for other languages, as lines of JSON',
    group: running,
    load: async () => (await import('./commands/serve.ts')).serveCommand(),
  },
  {
    name: 'list',
    summary: 'list runs, series, tunings and attacks',
    group: showing,
    load: async () => (await import('./commands/jobs.ts')).listCommand(),
  },
  {
    name: 'ui',
    summary: 'show them in the browser, live',
    group: showing,
    load: async () => (await import('./commands/ui.ts')).uiCommand(),
  },
  {
    name: 'show',
    summary: 'show one of them',
    group: showing,
    load: async () => (await import('./commands/jobs.ts')).showCommand(),
  },
  {
    name: 'compare',
    summary: 'compare runs in a table and a page',
    group: showing,
    load: async () => (await import('./commands/pages.ts')).compareCommand(),
  },
  {
    name: 'report',
    summary: 'write the page of a run or a series',
    group: showing,
    load: async () => (await import('./commands/pages.ts')).reportCommand(),
  },
  {
    name: 'export',
    summary: 'write runs and attacks as CSV, Parquet, JSON or npy, or for TensorBoard and MLflow',
    group: showing,
    load: async () => (await import('./commands/export.ts')).exportCommand(),
  },
  {
    name: 'init',
    summary: 'write a commented spec file',
    group: writing,
    load: async () => (await import('./commands/specs.ts')).initCommand(),
  },
  {
    name: 'validate',
    summary: 'check a spec file without running it',
    group: writing,
    load: async () => (await import('./commands/specs.ts')).validateCommand(),
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of spec files',
    group: writing,
    load: async () => (await import('./commands/specs.ts')).schemaCommand(),
  },
  {
    name: 'docs',
    summary: 'print a page of the documentation, or list them',
    group: more,
    load: async () => (await import('./commands/help.ts')).docsCommand(),
  },
  {
    name: 'doctor',
    summary: 'check what works on this machine',
    group: more,
    load: async () => (await import('./commands/help.ts')).doctorCommand(),
  },
]
