import { createInterface } from 'node:readline'
import { ZerothError } from '../index.ts'
import type { Answers, Question } from './commented-spec.ts'

/** Where answers come from and questions go. */
export interface Talk {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }
  readonly output: NodeJS.WritableStream
}

/**
 * Asks questions until each has a good answer; undefined where whoever answers had enough (Ctrl-C, Ctrl-D). An empty
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
    // Nobody can be asked again at the other end of a pipe.
    if (!isTerminal) throw new ZerothError('invalid-option', `${key}: ${complaint}`)
    output.write(`${complaint}\n`)
  }
}
