import { show } from './errors.ts'
import { isNamedVariables, type NamedVariables, type Variable } from './named-variables.ts'
import { Complaint, type Input, type Type } from './option-type.ts'
import { choice, number, option, table } from './options.ts'
import { parseOptions } from './parse-options.ts'
import { scaledVariables } from './scaled-variables.ts'
import { mapped, recordOf } from './schema.ts'

const variable = table({
  from: number('its smallest value'),
  to: number('its largest value'),
  scale: choice(['linear', 'log'], 'by differences, or by factors, as for rates and penalties', 'linear'),
})

/** What other libraries say of variables that are whole numbers or one of a few things. */
const discrete = ['type', 'integer', 'int', 'step', 'choices', 'values', 'options', 'categories', 'dtype', 'q']

/** Names go into messages, tables and other programs; JavaScript puts names that are whole numbers before all others. */
const nameRule = /^[\p{L}_$][\p{L}\p{N}_$.-]{0,99}$/u
const forbidden = ['__proto__', 'constructor', 'prototype']

/** Variables by name, as programs and files write them. */
export const variablesOption: Type<
  NamedVariables,
  Record<string, Input<typeof variable>>
> = /* @__PURE__ */ namedVariablesOption()

function namedVariablesOption(): Type<NamedVariables, Record<string, Input<typeof variable>>> {
  const record = recordOf(variable)
  const checked = { ...record, read: (value: unknown) => variablesProblem(value) ?? record.read(value) }
  const made = mapped(checked, (variables) => scaledVariables(variables))
  return { ...made, read: (value) => (isNamedVariables(value) ? value : made.read(value)) } as Type<never, never>
}

const ownTable = /* @__PURE__ */ table({
  variables: option(variablesOption, 'variables by name'),
})

/** Variables with names for `createSession`: `minimize` and specs make them themselves. */
export function namedVariables<Name extends string>(variables: Readonly<Record<Name, Variable>>): NamedVariables<Name> {
  return parseOptions('namedVariables', ownTable, { variables }).variables as NamedVariables<Name>
}

/** What is wrong with variables, as far as a table of options cannot tell it; undefined where nothing is. */
export function variablesProblem(value: unknown): Complaint | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new Complaint('must be an object of variables, as in { rate: { from: 1e-5, to: 0.1, scale: "log" } }')
  }
  const all = Object.entries(value)
  if (all.length === 0) return new Complaint('must hold at least one variable')
  for (const [name, each] of all) {
    const problem = nameProblem(name) ?? variableProblem(each)
    if (problem !== undefined) return problem.within(name)
  }
  return undefined
}

function nameProblem(name: string): Complaint | undefined {
  if (nameRule.test(name) && !forbidden.includes(name)) return undefined
  const rule = 'begins with a letter, _ or $ and has letters, digits, _, $, . and - only, 100 at most'
  return new Complaint(`cannot be the name of a variable (${show(name)}): a name ${rule}`)
}

function variableProblem(value: unknown): Complaint | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new Complaint('must be { from, to, scale }')
  }
  const found = discrete.find((key) => Object.hasOwn(value, key))
  if (found !== undefined) {
    const what = 'is not supported: variables are continuous, whole numbers and choices cannot be searched'
    return new Complaint(`${what} (round inside the objective, or make one run per choice)`).within(found)
  }
  const { from, to, scale } = value as Partial<Variable>
  // What is no number is left to the table.
  if (!Number.isFinite(from) || !Number.isFinite(to)) return undefined
  return rangeProblem(from as number, to as number, scale)
}

function rangeProblem(from: number, to: number, scale: unknown): Complaint | undefined {
  if (!(to > from)) return new Complaint(`must be above from, ${from}`).within('to')
  if (!Number.isFinite(to - from))
    return new Complaint(`is too far from ${from}: their difference overflows`).within('to')
  if (scale === 'log' && from <= 0) return new Complaint('must be above 0 for the scale log').within('from')
  return undefined
}
