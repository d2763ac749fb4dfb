import { shortened } from '../shortened.ts'

const longest = 32

/** What a class is called, in short; its number where it has no name, a dash where it is not known. */
export function classText(index: number | null | undefined, names: readonly string[] | undefined): string {
  if (typeof index !== 'number' || !Number.isFinite(index)) return '–'
  const name = names?.[index]
  if (name === undefined || name === '') return String(index)
  // Long names are often lists of synonyms.
  return shortened(name.length > longest ? (name.split(', ')[0] as string) : name, longest)
}
