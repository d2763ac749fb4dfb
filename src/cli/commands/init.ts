import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Command } from 'commander'
import { ZerothError } from '../../index.ts'
import { type Answers, commentedSpec, questions } from '../commented-spec.ts'

const examples = `
Examples:
  $ zeroth init                 asks a few questions
  $ zeroth init problem.yaml --yes   takes the proposals`

/** `zeroth init`: asks a few questions and writes a commented spec. */
export function command(): Command {
  return new Command()
    .argument('[file]', 'the file to write', 'zeroth.yaml')
    .option('-y, --yes', 'take every proposal without asking')
    .option('--force', 'overwrite a file that is there')
    .addHelpText('after', examples)
    .action(async (file: string, { yes, force }: { yes?: boolean; force?: boolean }) => {
      if (existsSync(file) && force !== true) {
        throw new ZerothError('invalid-option', `${file} is there already; --force overwrites it`)
      }
      const answers = yes === true ? proposals() : await ask()
      await writeFile(file, commentedSpec(answers))
      process.stdout.write(`${file}\n`)
      process.stderr.write(`zeroth validate ${file} checks it, zeroth minimize ${file} runs it\n`)
    })
}

function proposals(): Answers {
  return Object.fromEntries(questions.map(({ key, proposal }) => [key, proposal])) as unknown as Answers
}

/** Questions go to stderr; an empty answer, or the end of the input, takes the proposal. */
async function ask(): Promise<Answers> {
  const dialogue = createInterface({ input: process.stdin, output: process.stderr })
  const lines = dialogue[Symbol.asyncIterator]()
  const answers: Record<string, string> = {}
  for (const { key, question, proposal, check } of questions) {
    for (;;) {
      process.stderr.write(`${question} [${proposal}] `)
      const { value, done } = await lines.next()
      const text = done === true || value.trim() === '' ? proposal : value.trim()
      const complaint = check(text)
      if (complaint === undefined) {
        answers[key] = text
        break
      }
      process.stderr.write(`${complaint}\n`)
      if (done === true) throw new ZerothError('invalid-option', complaint)
    }
  }
  dialogue.close()
  return answers as unknown as Answers
}
