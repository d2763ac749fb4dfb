import { InvalidArgumentError } from 'commander'
import type { Value, Variable, Variables, When } from '../../optimizer/core/variable-types.ts'

const examples =
  'width=0..4, rate=1e-5..0.1:log, threads=1..16:int, batch=32..2048:log2, mode=fast|slow or depth=1..5:int?mode=slow'

/** A variable as a command line has it, with those given before. */
export function variable(text: string, previous: Variables = {}): Variables {
  const [, name = '', rest = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  if (name === '') throw new InvalidArgumentError(`It must be like ${examples}.`)
  if (Object.hasOwn(previous, name)) throw new InvalidArgumentError(`The variable ${name} is given twice.`)
  return { ...previous, [name]: variableOfText(rest) }
}

/**
 * What a variable may be, as in 1..16:int, 1e-5..0.1:log or fast|slow, and when it matters, as in 1..5:int?mode=slow. One of
 * several choices may be the empty text where that means something.
 */
export function variableOfText(text: string, mayBeEmpty = false): Variable {
  const [own = '', ...conditions] = text.split('?')
  const when = conditions.length === 0 ? {} : { when: conditionOf(conditions.join('?')) }
  const [, from = '', to = '', how = ''] = /^(.+?)\.\.([^:]+)((?::.*)?)$/.exec(own) ?? []
  if ([from, to].every(isNumber)) return { from: Number(from), to: Number(to), ...mannersOf(how), ...when } as Variable
  const choices = own.split('|')
  const empty = choices.filter((each) => each === '').length
  if (choices.length < 2 || empty > (mayBeEmpty ? 1 : 0)) throw new InvalidArgumentError(`It must be like ${examples}.`)
  return { choices: valuesOf(choices), ...when }
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text))
}

/** What follows a range: `:int`, `:log`, `:log2`, `:log10`, `:step=0.5` and `:factor=3`, several of them one after the other. */
function mannersOf(text: string): object {
  const all = text.split(':').slice(1)
  return Object.assign({}, ...all.map(mannerOf))
}

function mannerOf(word: string): object {
  const [, key = '', size = ''] = /^(step|factor)=(.*)$/.exec(word) ?? []
  if (isNumber(size)) return { [key]: Number(size) }
  if (word === 'int') return { step: 1 }
  if (word === 'log' || word === 'linear') return { scale: word }
  if (word === 'log2' || word === 'log10') return { factor: Number(word.slice(3)) }
  throw new InvalidArgumentError(
    'A range ends with :int, :log, :log2, :log10, :step=0.5 or :factor=3, or with nothing.',
  )
}

/** Choices are numbers or switches if all of them read as such, and come back as the same text; else texts. */
function valuesOf(texts: readonly string[]): Value[] {
  if (texts.every((each) => each === 'true' || each === 'false')) return texts.map((each) => each === 'true')
  return texts.every((each) => String(Number(each)) === each) ? texts.map(Number) : [...texts]
}

/** `mode=slow|best&fast=true`: all must hold. The values are texts, which `withValues` reads by the variables they are of. */
function conditionOf(text: string): When {
  const pairs = text.split('&').map((each) => /^([^=]+)=(.+)$/.exec(each) ?? [])
  if (!pairs.every(([whole]) => whole !== undefined)) {
    throw new InvalidArgumentError('A condition must be like mode=slow, mode=slow|best or mode=slow&fast=true.')
  }
  return Object.fromEntries(pairs.map(([, name, values = '']) => [name as string, values.split('|')]))
}

/** Variables whose conditions came from a command line: their texts as the values that are meant. */
export function withValues(variables: Variables): Variables {
  const read = ([name, given]: [string, Variable]): [string, Variable] => {
    if (given.when === undefined) return [name, given]
    const when = Object.entries(given.when).map(([on, values]): [string, Value[]] => {
      return [on, [values].flat().map((each) => valueMeant(each as Value, variables[on]))]
    })
    return [name, { ...given, when: Object.fromEntries(when) }]
  }
  return Object.fromEntries(Object.entries(variables).map(read))
}

/** The value of a variable that a text means; the text itself where it means none. */
export function valueMeant(text: Value, of: Variable | undefined): Value {
  if (typeof text !== 'string') return text
  const choices = of !== undefined && 'choices' in of ? of.choices : undefined
  const choice = choices?.find((each) => String(each) === text)
  return choice ?? (isNumber(text) ? Number(text) : text)
}
