import { Command } from 'commander'
import { commands } from '../commands.ts'

const names = commands.map(({ name }) => name).join(' ')

const scripts: Readonly<Record<string, string>> = {
  bash: `_zeroth() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names} --help --version" -- "$word"))
  elif [[ "$word" == -* ]]; then
    COMPREPLY=($(compgen -W "$(zeroth "\${COMP_WORDS[1]}" --help 2>/dev/null | grep -oE -- '--[a-z-]+')" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _zeroth zeroth`,
  zsh: `#compdef zeroth
_zeroth() {
  if (( CURRENT == 2 )); then
    compadd ${names}
  elif [[ "$words[CURRENT]" == -* ]]; then
    compadd -- $(zeroth "$words[2]" --help 2>/dev/null | grep -oE -- '--[a-z-]+')
  else
    _files
  fi
}
compdef _zeroth zeroth`,
  fish: `complete -c zeroth -n __fish_use_subcommand -f -a '${names}'
complete -c zeroth -n 'not __fish_use_subcommand' -a '(zeroth (commandline -opc)[2] --help 2>/dev/null | string match -ar -- "--[a-z-]+")'`,
}

/** `zeroth completion`: what a shell needs to complete commands, options and files. */
export function command(): Command {
  return new Command()
    .argument('<shell>', `one of ${Object.keys(scripts).join(', ')}`)
    .addHelpText(
      'after',
      `
Examples:
  $ zeroth completion bash >> ~/.bashrc
  $ zeroth completion zsh > "\${fpath[1]}/_zeroth"
  $ zeroth completion fish > ~/.config/fish/completions/zeroth.fish`,
    )
    .action(function (this: Command, shell: string) {
      const script = scripts[shell]
      if (script === undefined)
        this.error(`error: no completion for ${shell}: it is one of ${Object.keys(scripts).join(', ')}`)
      process.stdout.write(`${script}\n`)
    })
}
