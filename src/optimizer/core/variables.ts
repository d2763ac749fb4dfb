import { didYouMean, show, ZerothError } from './errors.ts'
import { type Input, Issue, isObject, mapped, parseOptions, recordOf, type Type, table } from './options.ts'
import type { Origin } from './part.ts'
import { idleValue, isActive, isNamedVariables, snap } from './space.ts'
import type { Condition, ConvexSet, Coordinate, Queries, Space, Vector } from './types.ts'
import { type Scale, scaleOf, variable, variableProblem, whenText } from './variable.ts'
import type { NamedPoint, NamedVariables, PointOf, Start, Value, Variable, Variables, When } from './variable-types.ts'

/** Variables by name, as programs and files write them. */
export const variablesOption: Type<
  NamedVariables,
  Record<string, Input<typeof variable>>
> = /* @__PURE__ */ namedVariablesOption()

function namedVariablesOption(): Type<NamedVariables, Record<string, Input<typeof variable>>> {
  const record = recordOf(variable)
  const checked = { ...record, read: (given: unknown) => variablesProblem(given) ?? record.read(given) }
  const made = mapped(checked, (variables) => makeVariables(variables))
  return { ...made, read: (given) => (isNamedVariables(given) ? given : made.read(given)) } as Type<never, never>
}

const ownTable = /* @__PURE__ */ table({
  /** Variables by name. */
  variables: variablesOption,
})

/** Variables with names for `createSession` and for objectives: `minimize` and specs make them themselves. */
export function namedVariables<const Of extends Variables>(variables: Of): NamedVariables<Of> {
  return parseOptions('namedVariables', ownTable, { variables }).variables as NamedVariables<Of>
}

/** Names go into messages, tables and other programs; JavaScript puts names that are whole numbers before all others. */
const nameRule = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u
const longestName = 100
const forbidden = ['__proto__', 'constructor', 'prototype']

/** What is wrong with variables; undefined where nothing is, as far as a table of options can tell the rest. */
export function variablesProblem(given: unknown): Issue | undefined {
  if (!isObject(given)) {
    return new Issue('must be an object of variables, as in { rate: { from: 1e-5, to: 0.1, scale: "log" } }')
  }
  const all = Object.entries(given)
  if (all.length === 0) return new Issue('must hold at least one variable')
  for (const [name, each] of all) {
    const problem = nameProblem(name, given) ?? variableProblem(each)
    if (problem !== undefined) return problem.within(name)
  }
  for (const [name, each] of all) {
    const problem = conditionProblem(name, (each as Variable).when, given as Variables)
    if (problem !== undefined) return problem.within('when').within(name)
  }
  return undefined
}

function nameProblem(name: string, all: object): Issue | undefined {
  const words = name.split('.')
  if (name.length > longestName || !words.every((each) => nameRule.test(each) && !forbidden.includes(each))) {
    const rule = `begins with a letter, _ or $ and has letters, digits, _, $ and - only, ${longestName} characters at most`
    return new Issue(`cannot be the name of a variable (${show(name)}): a name ${rule}; a dot stands between two names`)
  }
  const group = words.slice(1).map((_, i) => words.slice(0, i + 1).join('.'))
  const clash = group.find((each) => Object.hasOwn(all, each))
  return clash === undefined ? undefined : new Issue(`is in the group ${clash}, which is the name of a variable, too`)
}

function conditionProblem(name: string, given: When | undefined, all: Variables): Issue | undefined {
  if (given === undefined) return undefined
  if (!isObject(given) || Object.keys(given).length === 0) {
    return new Issue('must be an object of other variables with the values they must have, as in { mode: "tree" }')
  }
  for (const [on, values] of Object.entries(given)) {
    const parent = Object.hasOwn(all, on) ? all[on] : undefined
    if (parent === undefined) {
      const known = Object.keys(all)
      return new Issue(`names ${on}, which is no variable${didYouMean(on, known)} (known: ${known.join(', ')})`)
    }
    const circle = pathTo(name, on, all, [name])
    if (circle !== undefined) return new Issue(`goes in a circle: ${circle.join(' when ')}`)
    const { coordinate, read, allowed } = scaleOf(parent)
    if (coordinate.kind === 'continuous') return new Issue(`names ${on}, which has neither steps nor choices`)
    const list: readonly unknown[] = Array.isArray(values) ? values : [values]
    if (list.length === 0) return new Issue('must name at least one value').within(on)
    const odd = list.find((each) => read(each) === undefined)
    if (odd !== undefined) return new Issue(`must be ${allowed} as ${on} is, or a list of such`).within(on)
  }
  return undefined
}

/** The names from one that a condition is on back to the variable that has it; undefined if none of them leads there. */
function pathTo(name: string, on: string, all: Variables, path: readonly string[]): string[] | undefined {
  if (on === name) return [...path, on]
  if (path.includes(on)) return undefined
  const parents = isObject(all[on]?.when) ? Object.keys(all[on].when) : []
  for (const parent of parents) {
    const found = pathTo(name, parent, all, [...path, on])
    if (found !== undefined) return found
  }
  return undefined
}

/** Makes variables of what `variablesOption` has checked. */
export function makeVariables(given: Variables): NamedVariables {
  const names = Object.keys(given)
  const scales = Object.values(given).map(scaleOf)
  const space = spaceOf(given, names, scales)
  const isConditional = space.coordinates.some(({ conditions }) => conditions !== undefined)
  const set =
    isConditional || scales.some(({ coordinate }) => coordinate.kind !== 'continuous')
      ? mixedBox(space)
      : unitBox(names.length)
  const origin: Origin = { kind: 'set', name: 'variables', options: given }
  const paths = names.map((name) => name.split('.'))
  const [room, numbers] = [new Float64Array(names.length), new Float64Array(names.length)]

  const isActiveAt = (point: ArrayLike<number>): ((i: number) => boolean) => {
    if (!isConditional) return () => true
    scales.forEach(({ at }, i) => {
      numbers[i] = at(point[i] as number)
    })
    return (i) => isActive(space, numbers, i)
  }

  const values = (point: ArrayLike<number>): (Value | undefined)[] => {
    const matters = isActiveAt(point)
    return scales.map(({ value }, i) => (matters(i) ? value(point[i] as number) : undefined))
  }

  const ownStart = (start: Start | undefined): Float64Array => {
    const read = isList(start) ? listedValues(names, scales, start) : startValues(names, start)
    const point = Float64Array.from(scales, (scale, i) => startValue(names[i] as string, scale, read[i]))
    const matters = isActiveAt(point)
    return point.map((own, i) => {
      if (matters(i)) return own
      if (read[i] !== undefined && !isList(start)) throw idleStart(names[i] as string, given)
      return (scales[i] as Scale).own(idleValue(space.coordinates[i] as Coordinate, { low: 0, high: 1 }))
    })
  }

  return {
    names,
    declared: given,
    set: Object.assign(set, { origin }),
    ownStart,
    unitStart: (start) => ownStart(start).map((own, i) => (scales[i] as Scale).at(own)),
    ownPoint: (unit) => Float64Array.from(scales, ({ own }, i) => own(unit[i] as number)),
    ownQueries: (queries) => ownQueries(queries, scales, room),
    values,
    named: (point) => nested(paths, values(point)) as PointOf<Variables>,
    json(point, float) {
      const texts = values(point).map((each, i) =>
        typeof each === 'number' && !(scales[i] as Scale).isExact ? float(each) : JSON.stringify(each),
      )
      return jsonText(nested(paths, texts))
    },
  }
}

/** What a search is told of variables: conditions by their indices. */
function spaceOf(given: Variables, names: readonly string[], scales: readonly Scale[]): Space {
  const conditionsOf = ({ when }: Variable): Condition[] | undefined =>
    when &&
    Object.entries(when).map(([name, values]) => {
      const on = names.indexOf(name)
      const { read, at } = scales[on] as Scale
      const list: readonly Value[] = Array.isArray(values) ? values : [values as Value]
      return { on, among: list.map((each) => at(read(each) as number)) }
    })
  const coordinates = scales.map(({ coordinate }, i): Coordinate => {
    const conditions = conditionsOf(given[names[i] as string] as Variable)
    return conditions === undefined ? coordinate : { ...coordinate, conditions }
  })
  return { coordinates }
}

/** Queries as whoever answers them sees them: in own units. `room` holds a point of the method meanwhile. */
function ownQueries(queries: Queries, scales: readonly Scale[], room: Float64Array): Queries {
  return {
    key: queries.key,
    rows: queries.rows,
    dim: queries.dim,
    centers: queries.centers,
    sample: (row) => queries.sample(row),
    ...(queries.original === undefined ? {} : { original: queries.original.bind(queries) }),
    write(row, into, offset = 0) {
      queries.write(row, room)
      scales.forEach(({ own, bounds }, i) => {
        store(into, offset + i, own(room[i] as number), bounds)
      })
    },
  }
}

/** Members by the words of their names, in objects inside each other; what is undefined is left out. */
function nested(paths: readonly (readonly string[])[], members: readonly unknown[]): object {
  const whole: Record<string, unknown> = {}
  paths.forEach((path, i) => {
    if (members[i] === undefined) return
    let at = whole
    for (const word of path.slice(0, -1)) {
      at[word] ??= {}
      at = at[word] as Record<string, unknown>
    }
    at[path.at(-1) as string] = members[i]
  })
  return whole
}

/** An object of JSON texts as JSON. */
function jsonText(whole: object): string {
  const members = Object.entries(whole).map(
    ([name, each]) => `${JSON.stringify(name)}:${typeof each === 'string' ? each : jsonText(each)}`,
  )
  return `{${members.join(',')}}`
}

/** The values of a point by their whole names, as tables have them: "sgd.rate" for `rate` in the object `sgd`. */
export function flatPoint(point: NamedPoint, before = ''): [name: string, value: Value][] {
  return Object.entries(point).flatMap(([name, each]): [string, Value][] =>
    typeof each === 'object' && each !== null ? flatPoint(each, `${before}${name}.`) : [[before + name, each]],
  )
}

/** Puts a value where it is asked for; one that float32 rounds beyond an end goes to the number before. */
function store(into: Vector, i: number, value: number, bounds: Scale['bounds']): void {
  into[i] = value
  if (bounds === undefined || into instanceof Float64Array) return
  const stored = into[i] as number
  const ulp = Math.max(Math.abs(stored) * 1.1920928955078125e-7, 1.401298464324817e-45)
  if (stored < bounds.from) into[i] = stored + ulp
  else if (stored > bounds.to) into[i] = stored - ulp
}

function isList(start: unknown): start is ArrayLike<unknown> {
  return Array.isArray(start) || ArrayBuffer.isView(start)
}

/** What a list of numbers in own units says of each variable: of a choice it has the index. */
function listedValues(names: readonly string[], scales: readonly Scale[], given: ArrayLike<unknown>): unknown[] {
  if (given.length !== names.length) {
    throw invalidStart(`the start must have one number for each of ${names.join(', ')}, got ${given.length} of them`)
  }
  return scales.map(({ coordinate, value }, i) => {
    const each = given[i] ?? null
    if (coordinate.kind !== 'categories') return each
    if (Number.isInteger(each) && (each as number) >= 0 && (each as number) < coordinate.count)
      return value(each as number)
    throw invalidStart(
      `start.${names[i]} must be the index of a choice, from 0 to ${coordinate.count - 1}, got ${show(each)}`,
    )
  })
}

/** What an object says of each variable; undefined where it leaves one out. */
function startValues(names: readonly string[], given: unknown): readonly unknown[] {
  if (given === undefined) return []
  if (typeof given !== 'object' || given === null) {
    const what = `a list of numbers or an object with some of ${names.join(', ')}`
    throw invalidStart(`the start must be ${what}, got ${show(given)}`)
  }
  const all = new Map(flatPoint(given as NamedPoint))
  const unknown = [...all.keys()].find((name) => !names.includes(name))
  if (unknown !== undefined) {
    throw invalidStart(`start.${unknown} is no variable${didYouMean(unknown, names)} (known: ${names.join(', ')})`)
  }
  return names.map((name) => all.get(name))
}

function startValue(name: string, { read, middle, allowed }: Scale, given: unknown): number {
  const own = given === undefined ? middle : read(given)
  if (own !== undefined) return own
  throw invalidStart(`start.${name} must be ${allowed}, got ${show(given)}`)
}

function idleStart(name: string, given: Variables): ZerothError {
  const why = whenText(given[name]?.when ?? {})
  return invalidStart(`start.${name} does nothing there: it only matters when ${why}`)
}

function invalidStart(message: string): ZerothError {
  return new ZerothError('invalid-start', message)
}

/** The box of continuous variables that always matter: what every method takes. */
function unitBox(dim: number): ConvexSet {
  const clipped = (each: number): number => Math.min(Math.max(each, 0), 1)
  return {
    needsMetric: false,
    check: (given) => checkCount(dim, given),
    bounds: () => ({ lower: Float64Array.of(0), upper: Float64Array.of(1) }),
    contains: (x, tolerance = 0) => x.every((each) => each >= -tolerance && each <= 1 + tolerance),
    scratchSize: () => 0,
    project(x) {
      for (let i = 0; i < x.length; i++) x[i] = clipped(x[i] as number)
    },
  }
}

/** Whole numbers and categories stand at their indices; what does not matter has one place. */
function mixedBox(space: Space): ConvexSet {
  const { coordinates } = space
  const upper = Float64Array.from(coordinates, (each) => (each.kind === 'continuous' ? 1 : each.count - 1))
  const bounds = { lower: new Float64Array(upper.length), upper }
  const project = (x: Vector): void => snap(space, x, (i) => ({ low: 0, high: upper[i] as number }))
  return {
    needsMetric: false,
    space,
    check: (given) => checkCount(upper.length, given),
    bounds: () => bounds,
    contains(x, tolerance = 0) {
      const nearest = Float64Array.from(x)
      project(nearest)
      return nearest.every((each, i) => Math.abs(each - (x[i] as number)) <= tolerance)
    },
    scratchSize: () => 0,
    project,
  }
}

function checkCount(dim: number, given: number): void {
  if (given === dim) return
  throw new ZerothError('invalid-option', `there are ${dim} variables with names, but the point has ${given}`)
}
