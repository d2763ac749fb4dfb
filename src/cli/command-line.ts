import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { commands } from './commands.ts'
import { output, print } from './output.ts'

const examples = `
Examples:
  $ zeroth init                              asks, writes zeroth.yaml
  $ zeroth minimize zeroth.yaml              runs it; Ctrl-C saves and stops
  $ zeroth resume zeroth-zo-adamm-0          goes on
  $ zeroth report zeroth-zo-adamm-0          writes its page
  $ zeroth minimize --function rosenbrock --dim 10 --max-queries 5000
  $ zeroth attack --model digits --count 10  says how robust a classifier is

Every command has its own help: zeroth help <command>
Exit codes: 0 all is well, 1 the run failed, 2 wrong usage or a wrong spec,
3 less robust than --fail-under demands, 130 interrupted and saved.`

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

/** Says what went wrong in one line on stderr, for programs as one JSON object, too; returns the exit code. */
export async function complain(error: unknown, args: readonly string[]): Promise<number> {
  // Commander has printed its own message already, help and version included.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const { explainError } = await import('./explain-error.ts')
  const { message, code, exitCode, run } = explainError(error)
  const advice = run === undefined ? '' : `; zeroth resume ${run} goes on`
  process.stderr.write(`zeroth: ${message}${advice}\n`)
  if (process.env.ZEROTH_DEBUG === '1') process.stderr.write(`${(error as Error)?.stack ?? ''}\n`)
  if (exitCode === 1 && args.includes('--json')) print(JSON.stringify({ status: 'failed', code, error: message, run }))
  return exitCode
}

/** The program with all its commands; only the one that is called is loaded, so that help does not wait for others. */
async function programFor(args: readonly string[]): Promise<Command> {
  const { version = '', description = '' } = packageFields()
  const program = new Command('zeroth')
    .description(description)
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', examples)
    .configureOutput({
      writeOut: (text) => output.write(text),
      getOutHelpWidth: () => output.columns ?? 80,
      outputError: (text, write) => write(`${oneLine(text)}\n`),
    })
    .exitOverride()
  const wanted = args.find((arg) => !arg.startsWith('-'))
  for (const { name, summary, group, load } of commands) {
    const command = name === wanted ? (await load()).command().name(name) : new Command(name)
    program.addCommand(command.copyInheritedSettings(program).description(summary).helpGroup(group))
  }
  return program
}

/** `zeroth help minimize` is `zeroth minimize --help`. */
function helpArguments([command]: readonly string[]): readonly string[] {
  if (command === undefined) return ['--help']
  return commands.some(({ name }) => name === command) ? [command, '--help'] : [command]
}

function oneLine(text: string): string {
  return text
    .trim()
    .replace(/^error:/, 'zeroth:')
    .replace(/\s*\n\s*/g, ' ')
}

function packageFields(): Partial<Record<string, string>> {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
}
