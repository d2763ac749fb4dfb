import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Command } from 'commander'
import { ZerothError } from '../../index.ts'
import { compileSpec, parseSpec } from '../../spec/index.ts'
import { type Answers, commentedSpec, questions } from '../commented-spec.ts'
import { askAll } from '../dialogue.ts'
import { exitCodes } from '../exit-codes.ts'
import { print } from '../output.ts'

const examples = `
Examples:
  $ zeroth init                       asks a few questions, writes zeroth.yaml
  $ zeroth init problem.yaml --yes    takes the proposals
  $ printf './f.sh\\n4\\n-1,1\\n\\n' | zeroth init problem.yaml`

interface Flags {
  readonly yes?: boolean
  readonly force?: boolean
}

/** `zeroth init`: asks a few questions and writes a commented spec. */
export function command(): Command {
  return new Command()
    .argument('[file]', 'the file to write', 'zeroth.yaml')
    .option('-y, --yes', 'take every proposal without asking')
    .option('--force', 'overwrite a file that is there')
    .addHelpText('after', examples)
    .action(initCommand)
}

async function initCommand(file: string, { yes, force }: Flags): Promise<void> {
  if (existsSync(file) && force !== true) {
    throw new ZerothError('invalid-option', `${file} is there already; --force overwrites it`)
  }
  const talk = { input: process.stdin, output: process.stderr }
  const answers = yes === true ? proposals() : await askAll(questions, talk)
  if (answers === undefined) {
    process.stderr.write('\nnothing was written\n')
    process.exitCode = exitCodes.interrupted
    return
  }
  const text = commentedSpec(answers)
  const source = parseSpec(text, { name: file, folder: dirname(resolve(file)) })
  await compileSpec(source.spec, source).objective.close?.()
  await writeFile(file, text)
  print(file)
  process.stderr.write(`zeroth validate ${file} checks it, zeroth minimize ${file} runs it\n`)
}

function proposals(): Answers {
  return Object.fromEntries(questions.map(({ key, proposal }) => [key, proposal])) as unknown as Answers
}
