import { ZerothError } from '../../index.ts'
import type { NamedAttack } from '../../report/index.ts'
import { type Column, shortNumber, textTable } from '../../report/table.ts'
import type { JsonObject } from '../../spec/index.ts'
import { isAttack, isRun, runsPlace } from '../../work/folders.ts'
import { listWorks } from '../../work/index.ts'
import { percent } from './print-attack.ts'

/** The attacks that some names mean, folders of attacks included; undefined where they mean runs. */
export async function attacksOf(given: readonly string[]): Promise<string[] | undefined> {
  const meant = await Promise.all(given.map((each) => inside(runsPlace(each))))
  if (meant.every(({ length }) => length === 0)) return undefined
  const other = meant.findIndex(({ length }) => length === 0)
  if (other < 0) return meant.flat()
  throw new ZerothError('invalid-option', `${given[other]} is no attack: attacks and runs cannot be compared`)
}

async function inside(folder: string): Promise<string[]> {
  if (isAttack(folder)) return [folder]
  const listed = isRun(folder) ? [] : await listWorks(folder)
  return listed.every(({ kind }) => kind === 'evaluation') ? listed.map(({ folder: each }) => each) : []
}

/** An attack beside others. */
export function attackRow({ name, report: { summary }, record: { spec } }: NamedAttack) {
  return {
    run: name,
    method: String((spec.solver as JsonObject).name),
    problem: String((spec.problem as JsonObject).name),
    attacked: summary.attacked,
    robustAccuracy: summary.robustAccuracy,
    attackSuccessRate: summary.attackSuccessRate,
    firstSuccessQueries: summary.firstSuccessQueries.median,
    bestL2: summary.bestL2.median,
    finalObjective: summary.finalObjective.mean,
  }
}

type Row = ReturnType<typeof attackRow>

const columns: readonly Column<Row>[] = [
  { title: 'attack', cell: ({ run }) => run },
  { title: 'method', cell: ({ method }) => method },
  { title: 'problem', cell: ({ problem }) => problem },
  { title: 'images', align: 'right', cell: ({ attacked }) => String(attacked) },
  { title: 'robust', align: 'right', cell: ({ robustAccuracy }) => rate(robustAccuracy) },
  { title: 'success', align: 'right', cell: ({ attackSuccessRate }) => rate(attackSuccessRate) },
  { title: 'queries', align: 'right', cell: ({ firstSuccessQueries }) => shortNumber(firstSuccessQueries) },
  { title: 'l2', align: 'right', cell: ({ bestL2 }) => shortNumber(bestL2) },
  { title: 'objective', align: 'right', cell: ({ finalObjective }) => shortNumber(finalObjective) },
]

/** Attacks side by side, for people: queries and distortion are medians over the images that were fooled. */
export function attackTable(rows: readonly Row[]): string {
  return textTable(rows, columns)
}

function rate(fraction: number): string {
  return Number.isNaN(fraction) ? '' : percent(fraction)
}
