import { exponential } from '../kernels/exponential.ts'
import { logarithm } from '../kernels/logarithm.ts'
import { didYouMean, show, ZerothError } from './errors.ts'
import { type NamedPoint, type NamedVariables, namedPoint, type Start, type Variable } from './named-variables.ts'
import type { Origin } from './part.ts'
import type { ConvexSet, Vector } from './types.ts'

/** How one variable is scaled: to its own units from 0..1, and back. */
interface Scale {
  readonly from: number
  readonly to: number
  own(unit: number): number
  unit(own: number): number
}

/** Makes variables of what `variablesOption` has checked. */
export function scaledVariables<Name extends string>(given: Readonly<Record<Name, Variable>>): NamedVariables<Name> {
  const names = Object.keys(given) as Name[]
  const scales = names.map((name) => scaleOf(given[name]))
  const room = new Float64Array(names.length)
  const origin: Origin = { kind: 'set', name: 'variables', options: given }
  const ownStart = (start: Start | undefined): Float64Array => {
    const own = startValues(names, start)
    return Float64Array.from(scales, (scale, i) => startValue(names[i] as Name, scale, own[i]))
  }
  return {
    names,
    set: Object.assign(unitBox(names.length), { origin }),
    ownStart,
    unitStart: (start) => ownStart(start).map((own, i) => (scales[i] as Scale).unit(own)),
    ownPoint: (unit) => Float64Array.from(scales, ({ own }, i) => own(unit[i] as number)),
    ownQueries: (queries) => ({
      key: queries.key,
      rows: queries.rows,
      dim: queries.dim,
      centers: queries.centers,
      sample: (row) => queries.sample(row),
      ...(queries.original === undefined ? {} : { original: queries.original.bind(queries) }),
      write(row, into, offset = 0) {
        queries.write(row, room)
        scales.forEach((scale, i) => {
          store(into, offset + i, scale.own(room[i] as number), scale)
        })
      },
    }),
    named: (point) => namedPoint(names, point),
  }
}

function scaleOf({ from, to, scale }: Variable): Scale {
  const [low, high] = scale === 'log' ? [logarithm(from), logarithm(to)] : [from, to]
  const inner = scale === 'log' ? exponential : (value: number) => value
  const outer = scale === 'log' ? logarithm : (value: number) => value
  const width = high - low
  const own = (unit: number): number => {
    if (unit <= 0) return from
    // Rounding may carry a value over the end that it is next to.
    return unit >= 1 ? to : Math.min(Math.max(inner(low + unit * width), from), to)
  }
  return {
    from,
    to,
    own,
    // The middle is the usual start: it comes back to the bit.
    unit: (value) => (value === own(0.5) ? 0.5 : Math.min(Math.max((outer(value) - low) / width, 0), 1)),
  }
}

/** Puts a value where it is asked for; one that float32 rounds beyond an end goes to the number before. */
function store(into: Vector, i: number, value: number, { from, to }: Scale): void {
  into[i] = value
  if (into instanceof Float64Array) return
  const stored = into[i] as number
  const ulp = Math.max(Math.abs(stored) * 1.1920928955078125e-7, 1.401298464324817e-45)
  if (stored < from) into[i] = stored + ulp
  else if (stored > to) into[i] = stored - ulp
}

/** The start of each variable in own units; undefined where it is left out. */
function startValues(names: readonly string[], given: Start | undefined): readonly unknown[] {
  if (given === undefined) return []
  const isList = Array.isArray(given) || ArrayBuffer.isView(given)
  if (typeof given !== 'object' || given === null) {
    throw invalidStart(
      `the start must be a list of numbers or an object with some of ${names.join(', ')}, got ${show(given)}`,
    )
  }
  if (isList) {
    const { length } = given as ArrayLike<number>
    if (length === names.length) return Array.from(given as ArrayLike<unknown>, (each) => each ?? null)
    throw invalidStart(`the start must have one number for each of ${names.join(', ')}, got ${length} of them`)
  }
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    throw invalidStart(`start.${unknown} is no variable${didYouMean(unknown, names)} (known: ${names.join(', ')})`)
  }
  return names.map((name) => (Object.hasOwn(given, name) ? (given as Partial<NamedPoint>)[name] : undefined))
}

function startValue(name: string, { from, to, own }: Scale, given: unknown): number {
  if (given === undefined) return own(0.5)
  if (typeof given === 'number' && given >= from && given <= to) return given
  throw invalidStart(`start.${name} must be a number from ${from} to ${to}, got ${show(given)}`)
}

function invalidStart(message: string): ZerothError {
  return new ZerothError('invalid-start', message)
}

function unitBox(dim: number): ConvexSet {
  const clipped = (value: number): number => Math.min(Math.max(value, 0), 1)
  return {
    needsMetric: false,
    check(given) {
      if (given === dim) return
      throw new ZerothError('invalid-option', `there are ${dim} variables with names, but the point has ${given}`)
    },
    bounds: () => ({ lower: Float64Array.of(0), upper: Float64Array.of(1) }),
    contains: (x, tolerance = 0) => x.every((value) => value >= -tolerance && value <= 1 + tolerance),
    scratchSize: () => 0,
    project(x) {
      for (let i = 0; i < x.length; i++) x[i] = clipped(x[i] as number)
    },
  }
}
