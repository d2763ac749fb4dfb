import { callAfter, onAbort } from '../../../optimizer/core/async.ts'
import { didYouMean, messageOf, show, ZerothError } from '../../../optimizer/core/errors.ts'
import { detailsOf, startChild } from '../exec/child.ts'
import type { FailureDetails, Program } from '../exec/program.ts'

/** How one run of a program went. */
export interface Ran {
  /** From its start to its end, by the clock. */
  readonly seconds: number
  /** Its exit code. */
  readonly code: number
  readonly stdout: string
  /** The end of what it wrote to its standard error output. */
  readonly stderr: string
}

/** Runs a program once, with nothing on its standard input, and waits for its end. */
export async function runProgram(program: Program, signal: AbortSignal): Promise<Ran> {
  signal.throwIfAborted()
  const lines: string[] = []
  let bytes = 0
  let end: (ran: Ran) => void = () => undefined
  let fail: (what: string, details?: FailureDetails) => void = () => undefined
  const ended = new Promise<Ran>((resolve, reject) => {
    end = resolve
    fail = (what, details) => reject(program.failure(what, { stderrTail: child.stderrTail(), ...details }))
  })
  const tooMuch = (): void => fail(`wrote more than ${program.maxLineBytes} bytes`)
  const began = performance.now()
  const child = startChild(program, {
    line: (text) => {
      bytes += text.length + 1
      if (bytes > program.maxLineBytes) tooMuch()
      else lines.push(text)
    },
    tooLong: tooMuch,
    over(what, ending, code) {
      const seconds = (performance.now() - began) / 1000
      if (typeof code !== 'number') fail(what, detailsOf(ending))
      else end({ seconds, code, stdout: lines.join('\n'), stderr: child.stderrTail().join('\n') })
    },
  })
  child.finish()
  const timer = callAfter(program.timeout, () => fail(`did not end within ${program.timeout} ms`, { timedOut: true }))
  const unfollow = onAbort(signal, () => fail(`was stopped: ${messageOf(signal.reason)}`, { retryable: false }))
  try {
    return await ended
  } finally {
    clearTimeout(timer)
    unfollow()
    await child.stop()
  }
}

/** The error of a run that ended with another exit code than 0; undefined for one that ended well. */
export function failedRun(program: Program, { code, stderr }: Ran): Error | undefined {
  if (code === 0) return undefined
  return program.failure(`exited with code ${code}`, { stderrTail: stderr === '' ? [] : stderr.split('\n') })
}

/** Something read of a run of a program: a number, or why there is none. */
export type Reading = (ran: Ran) => number | string

/** Where a number comes from, as people write it, and how it is read. */
export interface Source {
  readonly text: string
  readonly read: Reading
}

/** A limit on something that is read of a run. */
export interface Limit extends Source {
  /** By how much it is broken: at most 0 where it holds. */
  excess(value: number): number
}

const forms = 'time, exit-code, last-number, json:.path.to.a.number or regex:PATTERN'

/** Reads a source, such as `time`, `json:.results[0].tps` or `regex:([0-9.]+) tok/s`. */
export function sourceOf(text: string, where: string): Source {
  const given = text.trim()
  const [, kind, rest = ''] = /^(json|regex):(.*)$/s.exec(given) ?? []
  if (kind === 'json') return { text: given, read: jsonReading(pathOf(rest, where)) }
  if (kind === 'regex') return { text: given, read: patternReading(patternOf(rest, where)) }
  const read = plain[given]
  if (read !== undefined) return { text: given, read }
  throw invalid(where, `must be ${forms}, got ${show(text)}${didYouMean(given, Object.keys(plain))}`)
}

/** Reads a limit, such as `json:.p99 <= 500`. */
export function limitOf(text: string, where: string): Limit {
  const [, source, sign, bound = ''] = /^(.*?)\s*(<=|>=|<|>|==?)\s*(\S*)\s*$/s.exec(text) ?? []
  const limit = bound === '' ? Number.NaN : Number(bound)
  if (source === undefined || (sign !== '<=' && sign !== '>=') || !Number.isFinite(limit)) {
    throw invalid(where, `must be like json:.p99 <= 500 or last-number >= 0.9, got ${show(text)}`)
  }
  const { read, text: name } = sourceOf(source, where)
  const excess = (value: number): number => (sign === '<=' ? value - limit : limit - value)
  return { text: `${name} ${sign} ${bound}`, read, excess }
}

const plain: Readonly<Record<string, Reading>> = {
  time: ({ seconds }) => seconds,
  'exit-code': ({ code }) => code,
  'last-number': lastNumber,
}

function invalid(where: string, message: string): ZerothError {
  return new ZerothError('invalid-option', `${where} ${message}`)
}

/** A number in a text: also with commas between thousands. */
const number = /[-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/g

function numberIn(text: string): number {
  const [found] = text.match(number) ?? []
  return found === undefined ? Number.NaN : Number(found.replaceAll(',', ''))
}

function lastNumber({ stdout, stderr }: Ran): number | string {
  const last = (stdout.match(number) ?? stderr.match(number))?.at(-1)
  return last === undefined ? `printed no number: ${shown(stdout || stderr)}` : numberIn(last)
}

/** The first group of the pattern's last match, or all of it; on standard error where standard output has none. */
function patternReading(pattern: RegExp): Reading {
  return ({ stdout, stderr }) => {
    const found = [...stdout.matchAll(pattern)].at(-1) ?? [...stderr.matchAll(pattern)].at(-1)
    if (found === undefined) return `printed nothing that ${pattern.source} matches: ${shown(stdout || stderr)}`
    const value = numberIn(found[1] ?? found[0])
    return Number.isNaN(value) ? `printed ${show(found[1] ?? found[0])} there, which is no number` : value
  }
}

function patternOf(text: string, where: string): RegExp {
  if (text === '') throw invalid(where, 'needs a pattern, as in regex:([0-9.]+) tok/s')
  try {
    return new RegExp(text, 'gm')
  } catch (error) {
    throw invalid(where, `is no pattern: ${(error as Error).message}`)
  }
}

/** The steps of a path such as `.results[0].tps` or `.["p 99"]`. */
function pathOf(text: string, where: string): (string | number)[] {
  const steps: (string | number)[] = []
  const step = /\.?\[(-?\d+)\]|\.?\["([^"]*)"\]|\.([^.[\]\s]+)/y
  const path = /^[.[]/.test(text) ? text : `.${text}`
  while (step.lastIndex < path.length) {
    const [, index, quoted, plain] = step.exec(path) ?? []
    const key = index === undefined ? (quoted ?? plain) : Number(index)
    if (key === undefined) throw invalid(where, `must be a path such as json:.results[0].tps, got ${show(text)}`)
    steps.push(key)
  }
  return steps
}

function jsonReading(path: readonly (string | number)[]): Reading {
  return ({ stdout }) => {
    const whole = jsonIn(stdout)
    if (whole === undefined) return `printed no JSON: ${shown(stdout)}`
    let at: unknown = whole
    let walked = ''
    for (const key of path) {
      const next =
        typeof key === 'number' && Array.isArray(at) ? at.at(key) : (at as Record<string, unknown> | null)?.[key]
      if (next === undefined || next === null)
        return `printed JSON without ${walked}${stepText(key)}: ${held(at, walked)}`
      walked += stepText(key)
      at = next
    }
    const value = typeof at === 'string' && at.trim() !== '' ? Number(at) : at
    return typeof value === 'number' && !Number.isNaN(value)
      ? value
      : `printed ${show(at)} as ${walked || 'JSON'}, which is no number`
  }
}

/** JSON that is all of an output, or its last line that is JSON. */
function jsonIn(text: string): unknown {
  for (const candidate of [text, ...text.split('\n').reverse()]) {
    try {
      if (candidate.trim() !== '') return JSON.parse(candidate)
    } catch {
      // Perhaps another line is.
    }
  }
  return undefined
}

function stepText(key: string | number): string {
  return typeof key === 'number' ? `[${key}]` : `.${key}`
}

/** What there is instead. */
function held(at: unknown, walked: string): string {
  if (Array.isArray(at)) return `${walked || 'it'} is a list of ${at.length}`
  if (typeof at !== 'object' || at === null) return `${walked || 'it'} is ${show(at)}`
  return `${walked || 'it'} has ${Object.keys(at).slice(0, 8).join(', ') || 'nothing'}`
}

function shown(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  if (line === '') return 'its output is empty'
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 40)} ... ${line.slice(-35)}` : line)
}
