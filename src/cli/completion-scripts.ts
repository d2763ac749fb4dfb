/** What can be completed: the commands with their options, and the values of some options. */
export interface Words {
  readonly commands: Readonly<Record<string, readonly string[]>>
  /** By option, as in `--solver`. */
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
  return [
    `complete -c zeroth -n __fish_use_subcommand -f -a '${[...names, 'help'].join(' ')}'`,
    `complete -c zeroth -n '__fish_seen_subcommand_from help' -f -a '${names.join(' ')}'`,
    `complete -c zeroth -n '__fish_seen_subcommand_from ${takingRuns.join(' ')}' -a '(ls ${runsFolder} 2>/dev/null)'`,
    ...lines,
  ].join('\n')
}

function cases(lists: Readonly<Record<string, readonly string[]>>, line: (list: readonly string[]) => string): string {
  return Object.entries(lists)
    .map(([name, list]) => `      ${name}) ${line(list)} ;;`)
    .join('\n')
}
