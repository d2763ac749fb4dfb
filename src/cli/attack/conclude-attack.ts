import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { writeWholeFile } from '../../trace/index.ts'
import { layout } from '../../work/evaluation/attack-layout.ts'
import { verdictOf } from '../../work/evaluation/fail-under.ts'
import { imagesCsv } from '../../work/evaluation/images-csv.ts'
import { isHopeless } from '../../work/evaluation/perform-attack.ts'
import { exitCodes } from '../exit-codes.ts'
import { print } from '../output.ts'
import type { Watcher, WatchFlags } from '../watch.ts'
import { nameOf, type StoredAttack, writeAttackPage } from './attack-pages.ts'
import { attackJson, attackText } from './print-attack.ts'

/** Writes what is read by people and other programs: a table of the images, the spec, and the page. */
export async function writeAttackFiles(attack: StoredAttack): Promise<void> {
  writeAttackData(attack)
  await writeAttackPage([attack], attack.folder, nameOf(attack.folder))
}

/** The same without the page. */
export function writeAttackData({ folder, record, report }: StoredAttack): void {
  writeWholeFile(join(folder, layout.table), imagesCsv(report.images))
  writeWholeFile(join(folder, layout.spec), `${JSON.stringify(record.spec, null, 2)}\n`)
}

/** The same, unless all of it is there: a process may have been killed before it could. */
export async function completeAttackFiles(attack: StoredAttack): Promise<void> {
  const isThere = [layout.table, layout.spec, layout.page].every((file) => existsSync(join(attack.folder, file)))
  if (!isThere) await writeAttackFiles(attack)
}

const codes = { met: exitCodes.ok, below: exitCodes.belowThreshold, unjudged: exitCodes.failed } as const

/** Prints what an attack came to and says what exit code it means. */
export function concludeAttack(attack: StoredAttack, flags: WatchFlags, watching: Watcher): number {
  print(flags.json === true ? attackJson(attack) : attackText(attack))
  const { report, record } = attack
  sayIfFewer(attack, watching)
  const verdict = verdictOf(record.spec, report)
  if (verdict?.kind === 'unjudged') watching.warn(`--fail-under cannot be judged: ${verdict.why}`)
  if (isHopeless(report.images)) {
    watching.warn(
      `zeroth: ${report.images.length === 0 ? 'there are no images' : 'every image failed'}: nothing was measured`,
    )
    return exitCodes.failed
  }
  return verdict === undefined ? exitCodes.ok : codes[verdict.kind]
}

/** There may be fewer images that can be attacked than were asked for. */
function sayIfFewer({ record, report }: StoredAttack, watching: Watcher): void {
  const { count } = record.spec
  const { attacked } = report.summary
  if (typeof count !== 'number' || attacked >= count) return
  watching.say(`notice: ${attacked} of the ${count} images that --count asks for were attacked`)
}
