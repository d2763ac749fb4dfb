import { Command } from 'commander'
import { output } from './output.ts'

/** A program that prints data to stdout alone, complains in one line, and throws where Commander would end the process. */
export function newProgram(name: string, hint = ''): Command {
  return new Command(name)
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureOutput({
      writeOut: (text) => output.write(text),
      getOutHelpWidth: () => output.columns ?? 80,
      outputError: (text, write) => write(`${oneLine(text)}${hint}\n`),
    })
    .exitOverride()
}

function oneLine(text: string): string {
  if (/unknown option '--maximi[sz]e/.test(text)) {
    return 'zeroth: there is no --maximize: zeroth minimises; let the objective answer -f(x) to maximise f(x)'
  }
  return text
    .trim()
    .replace(/^error:/, 'zeroth:')
    .replace(/\s*\n\s*/g, ' ')
}
