import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ZerothError } from '../../index.ts'
import { machine, zerothVersion } from '../../provenance/machine.ts'
import { now } from '../../provenance/wall-clock.ts'
import {
  type CompiledAttack,
  compileAttack,
  conductKeys,
  type OpenedAttack,
  openAttack,
} from '../../spec/attack/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { print } from '../output.ts'
import type { Watcher, WatchFlags } from '../watch.ts'
import { readReport } from './attack-files.ts'
import { layout } from './attack-layout.ts'
import { type AttackRecord, readAttack, writeAttack } from './attack-record.ts'
import { completeAttackFiles, concludeAttack, writeAttackFiles } from './conclude-attack.ts'
import { performAttack } from './perform-attack.ts'

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

/** Goes on with the attack in a folder and prints what it came to; one that has finished asks nothing. */
export async function takeUpAttack(folder: string, flags: WatchFlags, watching: Watcher): Promise<number> {
  const record = readAttack(folder)
  const report = readReport(folder)
  if (report !== undefined) {
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
  if (opened.retries() > 0) watching.say(`${opened.retries()} images had to be asked about again`)
  return concludeAttack({ folder, record, report }, flags, watching)
}

/** The attack that is there, if it is the one that is wanted; how it is made may differ, and is then changed. */
export function sameAttack(folder: string, { resolved }: CompiledAttack): void {
  const record = readAttack(folder)
  const keys = [...new Set([...Object.keys(record.given), ...Object.keys(resolved)])]
  const differing = keys.filter((key) => !isDeepStrictEqual(record.given[key], resolved[key]))
  const conduct: readonly string[] = conductKeys
  const other = differing.find((key) => !conduct.includes(key))
  if (other !== undefined) {
    const [old, wanted] = [record.given[other], resolved[other]].map((value) =>
      short(JSON.stringify(value) ?? 'nothing'),
    )
    throw new ZerothError(
      'invalid-option',
      `${folder} is another attack: its ${other} is ${old}, not ${wanted}; choose another folder`,
    )
  }
  if (differing.length === 0) return
  const renewed = (spec: JsonObject): JsonObject => {
    const kept = Object.entries(spec).filter(([key]) => !differing.includes(key))
    const added = differing.flatMap((key) => (resolved[key] === undefined ? [] : [[key, resolved[key]]]))
    return Object.fromEntries([...kept, ...added]) as JsonObject
  }
  writeAttack(folder, { ...record, spec: renewed(record.spec), given: renewed(record.given) })
  // What it says of them is out of date; it is written again.
  rmSync(join(folder, layout.page), { force: true })
}

function sayWhatIsNew({ spec, rateSource, model }: AttackRecord, opened: OpenedAttack, watching: Watcher): void {
  const { learningRate } = spec.solver as JsonObject
  if (rateSource !== 'given' && learningRate !== undefined) {
    watching.say(`learning rate ${JSON.stringify(learningRate)} (${rateSource})`)
  }
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

function short(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}
