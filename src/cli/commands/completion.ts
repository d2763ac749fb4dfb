import { Argument, Command } from 'commander'
import { parts } from '../../index.ts'
import { runsFolder } from '../../work/folders.ts'
import { attackArrays, exportFormats, pixelTypes } from '../../work/index.ts'
import { print } from '../output.ts'
import { topics } from './docs.ts'

const examples = `
Examples:
  $ source <(zeroth completion bash)                     for this session
  $ zeroth completion bash >> ~/.bashrc                  for all
  $ zeroth completion zsh > "\${fpath[1]}/_zeroth"
  $ zeroth completion fish > ~/.config/fish/completions/zeroth.fish`

/** A command whose options are completed. */
interface Listed {
  readonly name: string
  readonly load: () => Promise<{ command(): Command }>
}

/** `zeroth completion`: what a shell needs to complete commands, options, runs and files. */
export function command(listed: readonly Listed[]): Command {
  const shells = Object.keys(completionScripts)
  return new Command()
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', examples)
    .action(async (shell: string) => print(completionScripts[shell]?.(await allWords(listed)) ?? ''))
}

async function allWords(listed: readonly Listed[]): Promise<Words> {
  const names = (kind: 'problem' | 'solver'): string[] => parts[kind].map(({ definition }) => definition.name)
  const entries = listed.map(async ({ name, load }) => {
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
      '--format': exportFormats,
      '--array': attackArrays,
      '--pixels': pixelTypes,
      completion: Object.keys(completionScripts),
      docs: await topics(),
    },
    takingRuns: ['resume', 'show', 'compare', 'report', 'export', 'repair'],
    runsFolder,
  }
}

/** What can be completed: the commands with their options, and the values of some options. */
export interface Words {
  readonly commands: Readonly<Record<string, readonly string[]>>
  /** By option, as in `--solver`, or by command, as in `docs`, whose argument they are. */
  readonly values: Readonly<Record<string, readonly string[]>>
  /** Commands whose arguments are runs. */
  readonly takingRuns: readonly string[]
  /** Where runs live. */
  readonly runsFolder: string
}

/** The completion scripts by shell. They hold all words, so that completing never waits for zeroth itself. */
export const completionScripts: Readonly<Record<string, (words: Words) => string>> = { bash, zsh, fish }

function bash({ commands, values, takingRuns, runsFolder }: Words): string {
  return `_zeroth() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ] || [ "$before" = help ]; then
    words="${[...Object.keys(commands), 'help', '--help', '--version'].join(' ')}"
  elif [[ "$word" == -* ]]; then
    case "\${COMP_WORDS[1]}" in
${cases(commands, (options) => `words="${options.join(' ')}"`)}
    esac
  else
    case "$before" in
${cases(values, (list) => `words="${list.join(' ')}"`)}
      *)
        case "\${COMP_WORDS[1]}" in
          ${takingRuns.join('|')}) words="$(ls ${runsFolder} 2>/dev/null)" ;;
        esac ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _zeroth zeroth`
}

function zsh({ commands, values, takingRuns, runsFolder }: Words): string {
  return `#compdef zeroth
_zeroth() {
  local word="$words[CURRENT]" before="$words[CURRENT-1]"
  if (( CURRENT == 2 )) || [[ "$before" == help ]]; then
    compadd -- ${[...Object.keys(commands), 'help', '--help', '--version'].join(' ')}
  elif [[ "$word" == -* ]]; then
    case "$words[2]" in
${cases(commands, (options) => `compadd -- ${options.join(' ')}`)}
    esac
  else
    case "$before" in
${cases(values, (list) => `compadd -- ${list.join(' ')}`)}
      *)
        case "$words[2]" in
          ${takingRuns.join('|')}) [[ -d ${runsFolder} ]] && compadd -- $(ls ${runsFolder}) ;;
        esac
        _files ;;
    esac
  fi
}
if [[ "$funcstack[1]" == _zeroth ]]; then _zeroth "$@"; else compdef _zeroth zeroth; fi`
}

function fish({ commands, values, takingRuns, runsFolder }: Words): string {
  const names = Object.keys(commands)
  const lines = names.flatMap((name) => {
    const options = (commands[name] ?? []).filter((option) => option.startsWith('--')).map((option) => option.slice(2))
    return options.map((option) => {
      const list = values[`--${option}`]
      const argument = list === undefined ? '' : ` -x -a '${list.join(' ')}'`
      return `complete -c zeroth -n '__fish_seen_subcommand_from ${name}' -l ${option}${argument}`
    })
  })
  // Values that belong to a command itself, such as the topics of docs, are its arguments.
  const given = names.flatMap((name) => {
    const list = values[name]
    return list === undefined
      ? []
      : [`complete -c zeroth -n '__fish_seen_subcommand_from ${name}' -f -a '${list.join(' ')}'`]
  })
  return [
    `complete -c zeroth -n __fish_use_subcommand -f -a '${[...names, 'help'].join(' ')}'`,
    `complete -c zeroth -n '__fish_seen_subcommand_from help' -f -a '${names.join(' ')}'`,
    `complete -c zeroth -n '__fish_seen_subcommand_from ${takingRuns.join(' ')}' -a '(ls ${runsFolder} 2>/dev/null)'`,
    ...given,
    ...lines,
  ].join('\n')
}

function cases(lists: Readonly<Record<string, readonly string[]>>, line: (list: readonly string[]) => string): string {
  return Object.entries(lists)
    .map(([name, list]) => `      ${name}) ${line(list)} ;;`)
    .join('\n')
}
