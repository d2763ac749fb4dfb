import type { Shape, Table } from './option-type.ts'
import { noted, table } from './options.ts'

/** A table whose options say what they mean. */
export function withSentences<Of extends Shape>(
  { shape }: Table<Of>,
  sentences: Readonly<Record<keyof Of & string, string>>,
): Table<Of> {
  const described = Object.entries(shape).map(([name, type]) => [
    name,
    noted(type, { sentence: sentences[name] as string }),
  ])
  return table(Object.fromEntries(described) as unknown as Of)
}
