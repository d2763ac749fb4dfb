import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ZerothError } from '../../index.ts'
import { type CompiledAttack, conductKeys } from '../../spec/attack/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { lockFolder } from '../../trace/index.ts'
import { layout } from './attack-files.ts'
import { readAttack, writeAttack } from './attack-record.ts'

/** Refuses another attack than the one that is there. How it is conducted may differ, and is then changed. */
export function sameAttack(folder: string, { resolved }: Pick<CompiledAttack, 'resolved'>): void {
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
  // A process at work there has read the record, and would continue with it as it was.
  const lock = lockFolder(folder)
  try {
    renew(folder, resolved, differing)
  } finally {
    lock.release()
  }
}

/** Changes the iterations at which a universal perturbation is kept, where some are given. */
export function keepSnapshotsAt(folder: string, snapshots: readonly number[] | undefined): void {
  if (snapshots === undefined || isDeepStrictEqual(readAttack(folder).snapshots, snapshots)) return
  const lock = lockFolder(folder)
  try {
    writeAttack(folder, { ...readAttack(folder), snapshots })
  } finally {
    lock.release()
  }
}

/** Changes how an attack is conducted. */
function renew(folder: string, resolved: JsonObject, differing: readonly string[]): void {
  const record = readAttack(folder)
  const renewed = (spec: JsonObject): JsonObject => {
    const kept = Object.entries(spec).filter(([key]) => !differing.includes(key))
    const added = differing.flatMap((key) => (resolved[key] === undefined ? [] : [[key, resolved[key]]]))
    return Object.fromEntries([...kept, ...added]) as JsonObject
  }
  writeAttack(folder, { ...record, spec: renewed(record.spec), given: renewed(record.given) })
  // The page shows how it was conducted before.
  rmSync(join(folder, layout.page), { force: true })
}

function short(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}
