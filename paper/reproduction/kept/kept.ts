import { isDeepStrictEqual } from 'node:util'
import { type AttackReport, type ImageRecord, isMeasured, summarizeAttack } from '../../../src/robustness/index.ts'
import type { WorkSession } from '../page/provenance.ts'
import type { Cell, Plain } from '../tables/experiment.ts'
import { decidingOf, type KeptAttack, keptFile, readKept } from './kept-attack.ts'

/** Attacks of earlier reproductions of the same model and images, which need not be made again. */
export interface Kept {
  /** The report of an attack that was kept whole, or with more images than are wanted. */
  report(cell: Cell): AttackReport | undefined
  /** What the model takes and gives. */
  model(cell: Cell): { readonly [key: string]: Plain } | undefined
  /** The file with images of an attack, of which more or fewer are wanted now. */
  file(cell: Cell): string | undefined
  /** The sessions in which some attacks were made, in their order. */
  sessions(cells: readonly Cell[]): WorkSession[]
}

/** The attacks that are kept in a folder, of one profile; each is read once. */
export function keptIn(folder: string, profile: string): Kept {
  const read = new Map<string, KeptAttack | undefined>()
  const find = (cell: Cell): KeptAttack | undefined => {
    const file = keptFile(folder, profile, cell)
    if (!read.has(file)) read.set(file, readKept(file))
    const attack = read.get(file)
    return isDeepStrictEqual(attack?.spec, decidingOf(cell.spec)) ? attack : undefined
  }
  return {
    report(cell) {
      const attack = find(cell)
      if (attack === undefined) return undefined
      const { report, images, count } = attack
      return report !== undefined && count === cell.spec.count ? { ...report, images } : firstOf(attack, cell)
    },
    model: (cell) => find(cell)?.model,
    file: (cell) =>
      find(cell) === undefined || cell.spec.universal === true ? undefined : keptFile(folder, profile, cell),
    sessions: (cells) => mergedSessions(cells.flatMap((cell) => find(cell)?.sessions ?? [])),
  }
}

/** The report of the first images of an attack of more; undefined where one of them is missing. */
function firstOf({ images, report }: KeptAttack, { spec }: Cell): AttackReport | undefined {
  const count = Number(spec.count)
  const attacked = images.filter(isMeasured)
  const last = attacked[count - 1]
  if (spec.universal === true || last === undefined) return undefined
  const first = images.slice(0, images.indexOf(last) + 1)
  const isWhole = report !== undefined || first.every(({ index }, i) => index === i)
  if (!isWhole) return undefined
  const summary = summarizeAttack(first, { lambda: Number(spec.lambda), kappa: Number(spec.kappa) })
  return { summary, images: first, universal: null, warnings: [] }
}

/** Sessions in their order, each once. */
export function mergedSessions(sessions: readonly WorkSession[]): WorkSession[] {
  const each = new Map(sessions.map((session) => [`${session.began} ${session.command}`, session]))
  return [...each.values()].sort((a, b) => (a.began < b.began ? -1 : Number(a.began > b.began)))
}

/** The images of a file that were attacked to the end. */
export function keptImages(file: string): ImageRecord[] {
  return (readKept(file)?.images ?? []).filter(isMeasured)
}
