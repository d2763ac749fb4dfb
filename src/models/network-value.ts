import { ZerothError } from '../core/errors.ts'
import type { Sides } from './network-input.ts'

/** An input or output of a network. */
export interface NetworkValue {
  readonly name: string
  /** The kind of its numbers, as its runtime calls it. */
  readonly type: string
  readonly sides: Sides
}

/** What is wanted of a network's inputs or outputs. */
interface Wanted<Type extends string> {
  readonly kind: 'input' | 'output'
  /** Its name; the only one if left out. */
  readonly name: string | undefined
  /** The kinds of numbers that will do. */
  readonly types: readonly Type[]
}

/** The input that takes images or the output that gives scores: the only one, or the one that is named. */
export function chooseValue<Type extends string>(
  all: readonly NetworkValue[],
  { kind, name, types }: Wanted<Type>,
  network: string,
): NetworkValue & { readonly type: Type } {
  const refuse = (why: string): never => {
    throw new ZerothError('invalid-model', `${network} ${why}`)
  }
  const names = all.map((each) => each.name).join(', ')
  const found = name === undefined && all.length === 1 ? all[0] : all.find((each) => each.name === name)
  if (found === undefined && name !== undefined) return refuse(`has no ${kind} ${name} (its ${kind}s: ${names})`)
  if (found === undefined) return refuse(`has ${all.length} ${kind}s (${names}): choose one with the option ${kind}`)
  const type = types.find((each) => each === found.type)
  if (type !== undefined) return { ...found, type }
  return refuse(`has the ${kind} ${found.name} of type ${found.type}; supported are ${types.join(', ')}`)
}
