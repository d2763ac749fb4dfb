import { exponential, logarithm } from '../kernels/functions.ts'
import { show } from './errors.ts'
import {
  flag,
  Issue,
  isObject,
  listOf,
  number,
  numberWithin,
  oneOf,
  optional,
  positive,
  recordOf,
  type Type,
  table,
  text,
  union,
  withDefault,
} from './options.ts'
import { unitScale } from './space.ts'
import type { Coordinate } from './types.ts'
import type { RangeVariable, Value, Variable, When } from './variable-types.ts'

const value = union(text, number, flag)

/** Variables by name, with the value or the values that they must have for this one to matter. */
const when = optional(recordOf(union(value, listOf(value, 1))))

const range = table({
  /** Its smallest value. */
  from: number,
  /** Its largest value. */
  to: number,
  /** It is from, from + step, ... or to: 1 for whole numbers. Any number between the ends if left out. Above 0. */
  step: optional(positive),
  /** By differences, or by factors, as for rates and penalties. Default 'linear'. */
  scale: withDefault(oneOf('linear', 'log'), 'linear'),
  /** When it matters: values of other variables by name, one or several each; always if left out. */
  when,
})

const powers = table({
  /** Its smallest value. Above 0. */
  from: positive,
  /** Its largest value. */
  to: number,
  /** It is from, from * factor, ... or to: 2 for powers of two. Above 1. */
  factor: numberWithin({ above: 1 }),
  /** When it matters: values of other variables by name, one or several each; always if left out. */
  when,
})

const choice = table({
  /** What it may be, in any order; a run begins with the first unless told otherwise. */
  choices: listOf(value, 2),
  /** When it matters: values of other variables by name, one or several each; always if left out. */
  when,
})

/** One variable: the table that is meant tells what is wrong with it. */
export const variable: Type<Variable, Variable> = {
  ...union(range, powers, choice),
  read: (given) => tableFor(given as object).read(given),
}

function tableFor(given: object): Type<Variable, Variable> {
  return 'choices' in given ? choice : 'factor' in given ? powers : range
}

/** What other libraries write, and what it is here. */
const otherWords: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['type', 'int', 'integer', 'dtype', 'q'].map((word) => [word, 'whole numbers are step: 1'])),
  ...Object.fromEntries(
    ['values', 'options', 'categories'].map((word) => [word, 'a list of values is choices: [...]']),
  ),
  log: "factors matter with scale: 'log'",
  base: 'powers of two are factor: 2',
}

/** More values than this are no steps: float32 could not tell them apart, nor could a search. */
const mostLevels = 16_777_216

/** What is wrong with one variable, as far as its table cannot tell it; undefined where nothing is. */
export function variableProblem(given: unknown): Issue | undefined {
  if (!isObject(given)) return new Issue('must be { from, to } or { choices: [...] }')
  const odd = Object.keys(given).find((key) => Object.hasOwn(otherWords, key))
  if (odd !== undefined) return new Issue(`is not an option of a variable: ${otherWords[odd]}`).within(odd)
  const isChoice = 'choices' in given
  const beside = ['from', 'to', 'step', 'factor', 'scale'].find((key) => key in given)
  if (isChoice && beside !== undefined) return new Issue('does nothing beside choices').within(beside)
  if (isChoice) return choicesProblem(given.choices)
  const idle = 'factor' in given ? ['step', 'scale'].find((key) => key in given) : undefined
  if (idle !== undefined) return new Issue('does nothing beside factor').within(idle)
  return rangeProblem(given as Partial<RangeVariable> & { factor?: unknown })
}

function choicesProblem(choices: unknown): Issue | undefined {
  // What is no list of values is left to the table.
  if (!Array.isArray(choices)) return undefined
  if (choices.length < 2) return new Issue('must hold at least two choices').within('choices')
  const texts = choices.map(String)
  const twice = texts.findIndex((each, i) => texts.indexOf(each) < i)
  if (twice < 0) return undefined
  return new Issue(`must not hold ${choices[twice]} twice`).within('choices')
}

function rangeProblem({ from, to, step, scale, factor }: Partial<RangeVariable> & { factor?: unknown }) {
  // What is no number is left to the table.
  if (!Number.isFinite(from) || !Number.isFinite(to)) return undefined
  const [low, high] = [from as number, to as number]
  if (!(high > low)) return new Issue(`must be above from, ${low}`).within('to')
  if (!Number.isFinite(high - low)) return new Issue(`is too far from ${low}: their difference overflows`).within('to')
  if (low <= 0 && scale === 'log') return new Issue('must be above 0 for the scale log').within('from')
  if (low <= 0 && factor !== undefined) return new Issue('must be above 0 for a factor').within('from')
  if (typeof factor === 'number') return factorProblem(low, high, factor)
  return typeof step === 'number' && step > 0 ? stepProblem(low, high, step) : undefined
}

function stepProblem(from: number, to: number, step: number): Issue | undefined {
  const steps = Math.round((to - from) / step)
  if (steps >= mostLevels) return new Issue(`makes too many values (at most ${mostLevels})`).within('step')
  if (steps > 0 && near(stepped(from, step, steps), to)) return undefined
  const last = stepped(from, step, Math.floor((to - from) / step))
  return new Issue(`must lead from ${from} to ${to}: the last value before is ${last}`).within('step')
}

function factorProblem(from: number, to: number, factor: number): Issue | undefined {
  // A factor that leads nowhere is left to the table.
  if (!(factor > 1 && factor < Infinity)) return undefined
  const all = multiplied(from, to, factor)
  if (all.length > 1 && near(all.at(-1) as number, to)) return undefined
  return new Issue(`must lead from ${from} to ${to}: the last value before is ${all.at(-1)}`).within('factor')
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b))
}

/** One variable: what it is to a search, in own units, and to people. */
export interface Scale {
  /** Without its conditions. */
  readonly coordinate: Coordinate
  /** The number of a search in own units; for a choice both are its index. */
  own(at: number): number
  /** The number of a search for one in own units. */
  at(own: number): number
  /** The value that a number in own units stands for. */
  value(own: number): Value
  /** A value in own units; undefined for what it cannot be. */
  read(value: unknown): number | undefined
  /** In own units, where nothing else is said. */
  readonly middle: number
  /** What it may be, in words. */
  readonly allowed: string
  /** Whether all its numbers are whole, or as they were written: such are no floating-point numbers in other languages. */
  readonly isExact: boolean
  /** Bounds in own units that rounding must keep. */
  readonly bounds?: { readonly from: number; readonly to: number }
}

/** What a variable comes to. */
export function scaleOf(given: Variable): Scale {
  if ('choices' in given) return choiceScale(given.choices)
  const { from, to } = given
  if ('factor' in given) return levelScale(listed(multiplied(from, to, given.factor), to))
  const { step, scale } = given
  if (step === undefined) return continuousScale(given)
  const count = Math.round((to - from) / step) + 1
  const level = (k: number): number => (k === count - 1 ? to : stepped(from, step, k))
  const nearest = (own: number): number => Math.min(Math.max(Math.round((own - from) / step), 0), count - 1)
  const isWhole = Number.isInteger(from) && Number.isInteger(step)
  const first = scale === 'log' ? from / step : undefined
  const what = isWhole && step === 1 ? 'a whole number' : `${from} plus a multiple of ${step}`
  return levelScale({ count, level, nearest, first, isWhole, allowed: `${what} from ${from} to ${to}` })
}

/** from + k step with as many digits as these have: no 0.30000000000000004. */
function stepped(from: number, step: number, k: number): number {
  const exact = from + k * step
  const digits = Math.max(decimals(from), decimals(step))
  // toFixed takes so many digits, and writes larger numbers in another way; + 0 makes a zero of -0.
  return digits > 100 || Math.abs(exact) >= 1e21 ? exact : Number(exact.toFixed(digits)) + 0
}

function decimals(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).split('e')
  return Math.max((mantissa.split('.')[1] ?? '').length - Number(exponent), 0)
}

/** from, from * factor, ... up to `to`, beyond which rounding may carry the last. */
function multiplied(from: number, to: number, factor: number): number[] {
  const all = [from]
  for (let next = from * factor; next <= to || near(next, to); next *= factor) all.push(next)
  return all
}

interface Levels {
  readonly count: number
  level(k: number): number
  /** The level nearest to a number in own units. */
  nearest(own: number): number
  readonly first?: number | undefined
  readonly isWhole: boolean
  readonly allowed: string
}

function listed(all: readonly number[], to: number): Levels {
  const values = [...all.slice(0, -1), to]
  const count = values.length
  return {
    count,
    level: (k) => values[k] as number,
    nearest: (own) => nearestIndex(values, own),
    isWhole: values.every(Number.isInteger),
    allowed: `one of ${shortList(values)}`,
  }
}

function nearestIndex(values: readonly number[], own: number): number {
  let best = 0
  values.forEach((each, k) => {
    if (Math.abs(each - own) < Math.abs((values[best] as number) - own)) best = k
  })
  return best
}

function levelScale({ count, level, nearest, first, isWhole, allowed }: Levels): Scale {
  const coordinate: Coordinate = { kind: 'levels', count, ...(first === undefined ? {} : { first }) }
  const middle = first === undefined ? (count - 1) >> 1 : unitScale(coordinate, { low: 0, high: count - 1 }).value(0.5)
  return {
    coordinate,
    own: level,
    at: nearest,
    value: (own) => level(nearest(own)),
    read: (given) =>
      typeof given === 'number' && near(level(nearest(given)), given) ? level(nearest(given)) : undefined,
    middle: level(middle),
    allowed,
    isExact: isWhole,
  }
}

function choiceScale(choices: readonly Value[]): Scale {
  const count = choices.length
  const index = (own: number): number => Math.min(Math.max(Math.round(own), 0), count - 1)
  return {
    coordinate: { kind: 'categories', count },
    own: index,
    at: index,
    value: (own) => choices[index(own)] as Value,
    read: (given) => (choices.includes(given as Value) ? choices.indexOf(given as Value) : undefined),
    middle: 0,
    allowed: `one of ${shortList(choices)}`,
    isExact: true,
  }
}

/** A variable in a few words, for tables: its range or its choices, and when it matters. */
export function variableText(given: Variable): string {
  const condition = given.when === undefined ? '' : `; when ${whenText(given.when)}`
  if ('choices' in given) return `${shortList(given.choices, String)}${condition}`
  const { from, to } = given
  const how =
    'factor' in given
      ? [`factor ${given.factor}`]
      : [given.step && `step ${given.step}`, given.scale === 'log' && 'log']
  return `${[`${from} to ${to}`, ...how.filter(Boolean)].join(', ')}${condition}`
}

/** A condition in words. */
export function whenText(when: When): string {
  const all = Object.entries(when).map(([on, values]) => `${on} is ${[values].flat().join(' or ')}`)
  return all.join(' and ')
}

function shortList(values: readonly Value[], text: (value: unknown) => string = show): string {
  const first = values.slice(0, 8).map((each) => text(each))
  return [...first, ...(values.length > first.length ? [`... ${text(values.at(-1))}`] : [])].join(', ')
}

function continuousScale({ from, to, scale }: RangeVariable): Scale {
  const [low, high] = scale === 'log' ? [logarithm(from), logarithm(to)] : [from, to]
  const inner = scale === 'log' ? exponential : (each: number) => each
  const outer = scale === 'log' ? logarithm : (each: number) => each
  const width = high - low
  const own = (unit: number): number => {
    if (unit <= 0) return from
    // Rounding may carry a value over the end that it is next to.
    return unit >= 1 ? to : Math.min(Math.max(inner(low + unit * width), from), to)
  }
  return {
    coordinate: { kind: 'continuous' },
    own,
    // The middle is the usual start: it comes back to the bit.
    at: (each) => (each === own(0.5) ? 0.5 : Math.min(Math.max((outer(each) - low) / width, 0), 1)),
    value: (each) => each,
    read: (given) => (typeof given === 'number' && given >= from && given <= to ? given : undefined),
    middle: own(0.5),
    allowed: `a number from ${from} to ${to}`,
    isExact: false,
    bounds: { from, to },
  }
}
