import { numberOf } from './exact-json.ts'
import { shownReply } from './shown-reply.ts'
import type { Datatype, TensorData } from './tensor.ts'

/** Numbers from JSON, as a flat list or as lists in lists; a sentence where they are not what was announced. */
export function numbersOfJson(value: unknown, datatype: Datatype, count: number): TensorData | string {
  if (!Array.isArray(value)) return `its data is ${shownReply(value)} instead of a list`
  const flat = flattened(value, count)
  if (flat === undefined || flat.length !== count) {
    return `its data has ${flat === undefined ? 'more' : flat.length} numbers, its shape ${count}`
  }
  const data = datatype.make(count)
  const bigIntegers = data instanceof BigInt64Array || data instanceof BigUint64Array
  for (let i = 0; i < count; i++) {
    const number = elementOf(flat[i], datatype)
    if (number === undefined) return `entry ${i} of its data is ${shownReply(flat[i])}`
    if (bigIntegers && !Number.isSafeInteger(number)) return `entry ${i} of its data is too large to be exact in JSON`
    data[i] = bigIntegers ? BigInt(number) : number
    if (datatype.kind === 'integer' && Number(data[i]) !== number)
      return `entry ${i} of its data is ${shownReply(flat[i])}`
  }
  return data
}

/** The entry as a number. Some servers write null for NaN, having no better word for it. */
function elementOf(value: unknown, { kind }: Datatype): number | undefined {
  if (kind === 'float') return value === null ? Number.NaN : numberOf(value)
  if (kind === 'boolean') return value === true || value === 1 ? 1 : value === false || value === 0 ? 0 : undefined
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined
}

/** The entries of nested lists in order, without recursion; undefined where there are more than `most`. */
function flattened(list: readonly unknown[], most: number): unknown[] | undefined {
  if (!list.some(Array.isArray)) return list.slice()
  const flat: unknown[] = []
  const waiting: { readonly list: readonly unknown[]; next: number }[] = [{ list, next: 0 }]
  for (let top = waiting.at(-1); top !== undefined; top = waiting.at(-1)) {
    if (top.next === top.list.length) waiting.pop()
    else {
      const entry = top.list[top.next++]
      if (Array.isArray(entry)) waiting.push({ list: entry, next: 0 })
      else if (flat.push(entry) > most) return undefined
    }
  }
  return flat
}
