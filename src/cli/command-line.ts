import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { commands } from './commands.ts'
import { complain, newProgram } from './program.ts'

const examples = `
Examples:
  $ zeroth init                              asks, writes zeroth.yaml
  $ zeroth minimize zeroth.yaml              runs it; Ctrl-C saves and stops
  $ zeroth resume zeroth-auto-0              continues it
  $ zeroth report zeroth-auto-0              writes its page
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

function packageFields(): Partial<Record<string, string>> {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
}
