import { resolve } from 'node:path'
import { machine, zerothVersion } from '../../provenance/machine.ts'
import { now } from '../../provenance/wall-clock.ts'
import { type CompiledAttack, compileAttack, type OpenedAttack, openAttack } from '../../spec/attack/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { readReport } from '../../work/evaluation/attack-files.ts'
import { type AttackRecord, readAttack } from '../../work/evaluation/attack-record.ts'
import { askedAgain, performAttack } from '../../work/evaluation/perform-attack.ts'
import { isWorthAnother } from '../../work/evaluation/try-again.ts'
import { exitCodes } from '../exit-codes.ts'
import { print } from '../output.ts'
import type { Watcher, WatchFlags } from '../watch.ts'
import { rateLine } from './attack-settings.ts'
import { completeAttackFiles, concludeAttack, writeAttackFiles } from './conclude-attack.ts'

/** Milliseconds for a model to let go of what it used; what is left then ends with the program. */
const patience = 3000

/** What an attack is, with its model and its images open. */
export function recordOf(id: string, { resolved: given }: CompiledAttack, opened: OpenedAttack): AttackRecord {
  const { model, dataset, resolved, rateSource } = opened
  const { shape, classes, scores, runtime } = model
  const { name, count, classNames } = dataset
  return {
    id,
    created: now(),
    zeroth: zerothVersion(),
    machine: { ...machine(), network: runtime },
    spec: resolved,
    given,
    rateSource,
    model: { shape: { ...shape }, classes, scores, runtime },
    images: { name, available: count, ...(classNames === undefined ? {} : { classNames }) },
  }
}

/**
 * Goes on with the attack in a folder and prints what it came to. One that has finished asks nothing, unless images failed
 * because the model did not answer: those are tried again.
 */
export async function takeUpAttack(folder: string, flags: WatchFlags, watching: Watcher): Promise<number> {
  const record = readAttack(folder)
  const report = readReport(folder)
  if (report !== undefined && !report.images.some(isWorthAnother)) {
    await completeAttackFiles({ folder, record, report })
    return concludeAttack({ folder, record, report }, flags, watching)
  }
  const compiled = compileAttack(record.spec, { locate: () => `${folder}: ` })
  const opened = await openAttack(compiled)
  try {
    return await runAttack(folder, record, opened, flags, watching)
  } finally {
    await letGo(opened)
  }
}

/** Brings an attack to its end and prints what it came to; returns the exit code. */
export async function runAttack(
  folder: string,
  record: AttackRecord,
  opened: OpenedAttack,
  flags: WatchFlags,
  watching: Watcher,
): Promise<number> {
  sayWhatIsNew(record, opened, watching)
  const report = await performAttack({ folder, record, opened }, watching)
  if (report === undefined) return interrupted(folder, flags, watching)
  await writeAttackFiles({ folder, record, report })
  for (const text of askedAgain(opened.retries())) watching.say(text)
  return concludeAttack({ folder, record, report }, flags, watching)
}

function sayWhatIsNew({ spec, rateSource, model }: AttackRecord, opened: OpenedAttack, watching: Watcher): void {
  const rate = rateLine(spec.solver as JsonObject, rateSource)
  if (rate !== undefined) watching.say(rate)
  for (const warning of opened.model.warnings) watching.say(`warning: ${warning}`)
  if (model.runtime !== opened.model.runtime) {
    watching.say(`the attack began with ${model.runtime} and goes on with ${opened.model.runtime}: answers may differ`)
  }
}

/** Says that an attack can be gone on with. */
function interrupted(folder: string, { json }: WatchFlags, watching: Watcher): number {
  if (json === true) print(JSON.stringify({ status: 'aborted', run: resolve(folder) }))
  watching.say(`interrupted and saved: zeroth resume ${folder} goes on`)
  return exitCodes.interrupted
}

/** Closes a model, but does not wait for one that cannot be closed. */
export async function letGo({ model }: Pick<OpenedAttack, 'model'>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise<void>((done) => {
    timer = setTimeout(done, patience)
  })
  await Promise.race([model.close(), enough]).finally(() => clearTimeout(timer))
}
