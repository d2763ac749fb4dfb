import { measuredNothing, type StoredAttack, verdictOf } from '../../work/evaluation/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { print } from '../output.ts'
import type { Watcher, WatchFlags } from '../watch.ts'
import { attackJson, attackText } from './print-attack.ts'

const codes = { met: exitCodes.ok, below: exitCodes.belowThreshold, unjudged: exitCodes.failed } as const

/** Prints the result of an attack; returns the exit code. */
export function concludeAttack(attack: StoredAttack, flags: WatchFlags, watching: Watcher): number {
  print(flags.json === true ? attackJson(attack) : attackText(attack))
  const { report, record } = attack
  sayIfFewer(attack, watching)
  const verdict = verdictOf(record.spec, report)
  if (verdict?.kind === 'unjudged') watching.warn(`--fail-under cannot be judged: ${verdict.why}`)
  if (measuredNothing(report.images)) {
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
