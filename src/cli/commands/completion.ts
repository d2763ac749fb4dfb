import { Argument, Command } from 'commander'
import { parts } from '../../index.ts'
import { exportFormats } from '../../work/export-formats.ts'
import { runsFolder } from '../../work/run-places.ts'
import { commands } from '../commands.ts'
import { completionScripts, type Words } from '../completion-scripts.ts'
import { print } from '../output.ts'
import { topics } from './docs.ts'

const examples = `
Examples:
  $ source <(zeroth completion bash)                     for this session
  $ zeroth completion bash >> ~/.bashrc                  for all
  $ zeroth completion zsh > "\${fpath[1]}/_zeroth"
  $ zeroth completion fish > ~/.config/fish/completions/zeroth.fish`

/** `zeroth completion`: what a shell needs to complete commands, options, runs and files. */
export function command(): Command {
  const shells = Object.keys(completionScripts)
  return new Command()
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', examples)
    .action(async (shell: string) => print(completionScripts[shell]?.(await allWords()) ?? ''))
}

async function allWords(): Promise<Words> {
  const names = (kind: 'problem' | 'solver'): string[] => parts[kind].map(({ definition }) => definition.name)
  const entries = commands.map(async ({ name, load }) => {
    const { options } = (await load()).command()
    const flags = options
      .flatMap(({ short, long }) => [long, short])
      .filter((flag) => flag !== undefined && flag !== null)
    return [name, [...flags, '--help']] as const
  })
  return {
    commands: Object.fromEntries(await Promise.all(entries)),
    values: {
      '--function': names('problem'),
      '--solver': names('solver'),
      '--failures': ['stop', 'skip', 'worst'],
      '--precision': ['float64', 'float32'],
      '--format': Object.keys(exportFormats),
      completion: Object.keys(completionScripts),
      docs: await topics(),
    },
    takingRuns: ['resume', 'show', 'compare', 'report', 'export', 'repair'],
    runsFolder,
  }
}
