import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Command } from 'commander'
import { ZerothError } from '../../index.ts'
import { compileSpec, parseSpec } from '../../spec/index.ts'
import { unwritable } from '../../work/unwritable.ts'
import { type Answers, commentedSpec, type Question, questions } from '../commented-spec.ts'
import { exitCodes } from '../explain-error.ts'
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
  await writeFile(file, text).catch((error: unknown) => {
    throw unwritable(file, error)
  })
  print(file)
  process.stderr.write(`zeroth validate ${file} checks it, zeroth minimize ${file} runs it\n`)
}

function proposals(): Answers {
  return Object.fromEntries(questions.map(({ key, proposal }) => [key, proposal])) as unknown as Answers
}

/** Where answers come from and questions go. */
export interface Talk {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }
  readonly output: NodeJS.WritableStream
}

/**
 * Asks questions until each has a good answer; undefined where the user quits (Ctrl-C, Ctrl-D). An empty
 * answer takes the proposal, and so do all questions behind the end of a pipe.
 */
export async function askAll(questions: readonly Question[], { input, output }: Talk): Promise<Answers | undefined> {
  const dialogue = createInterface({ input, output })
  let isEnough = false
  dialogue.on('SIGINT', () => {
    isEnough = true
    dialogue.close()
  })
  const lines = dialogue[Symbol.asyncIterator]()
  const answers: Record<string, string> = {}
  try {
    for (const question of questions) {
      const answer = await ask(question, lines, input.isTTY === true, output)
      if (answer === undefined || isEnough) return undefined
      answers[question.key] = answer
    }
  } finally {
    dialogue.close()
  }
  return answers as unknown as Answers
}

async function ask(
  { key, question, proposal, check }: Question,
  lines: AsyncIterator<string>,
  isTerminal: boolean,
  output: NodeJS.WritableStream,
): Promise<string | undefined> {
  for (;;) {
    if (isTerminal) output.write(`${question} [${proposal}] `)
    const { value = '', done } = await lines.next()
    if (done === true && isTerminal) return undefined
    const answer = value.trim() === '' ? proposal : value.trim()
    const complaint = check(answer)
    if (complaint === undefined) return answer
    // A pipe cannot be asked again.
    if (!isTerminal) throw new ZerothError('invalid-option', `${key}: ${complaint}`)
    output.write(`${complaint}\n`)
  }
}
