import { readdir, readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { nearest } from '../../core/errors.ts'
import { ZerothError } from '../../index.ts'
import { print } from '../output.ts'

/** The pages of the package: src/cli/commands and dist/cli/commands are equally far from them. */
const folder = new URL('../../../docs/', import.meta.url)

const examples = `
Examples:
  $ zeroth docs                 lists the topics
  $ zeroth docs minimize
  $ zeroth docs options | less  every option of every part`

/** `zeroth docs`: the documentation that travels with the package. */
export function command(): Command {
  return new Command()
    .argument('[topic]', 'the topic; all are listed without one')
    .addHelpText('after', examples)
    .action(async (topic?: string) => print(topic === undefined ? await listTopics() : await page(topic)))
}

/** The names of all topics. */
export async function topics(): Promise<string[]> {
  const files = await readdir(folder)
  return files
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .sort()
}

async function listTopics(): Promise<string> {
  const names = await topics()
  const width = Math.max(...names.map((name) => name.length))
  const lines = await Promise.all(
    names.map(async (name) => {
      const { title, sentence } = opening(await textOf(name))
      return `${name.padEnd(width)}  ${[title, sentence].filter((each) => each !== '').join(': ')}`
    }),
  )
  return `${lines.join('\n')}\n\nzeroth docs <topic> prints one.`
}

async function page(topic: string): Promise<string> {
  const known = await topics()
  if (known.includes(topic)) return await textOf(topic)
  const suggestion = nearest(topic, known)
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`
  throw new ZerothError('invalid-option', `docs has no topic ${topic}${hint} (known: ${known.join(', ')})`)
}

/** A page without the marks for what writes its tables. */
async function textOf(topic: string): Promise<string> {
  const text = await readFile(new URL(`${topic}.md`, folder), 'utf8')
  return text.replaceAll(/<!--.*?-->\n\n/g, '').trimEnd()
}

/** The title of a page, and the sentence it begins with where it does not begin with an example. */
function opening(text: string): { title: string; sentence: string } {
  const [head = '', first = ''] = text.split('\n\n')
  const prose = /^[A-Z`]/.test(first) && !first.startsWith('```') ? first.replaceAll('\n', ' ') : ''
  return { title: head.replace(/^# /, '').replaceAll('`', ''), sentence: /^.*?[.?](?= |$)/.exec(prose)?.[0] ?? '' }
}
