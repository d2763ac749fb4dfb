import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ZerothError } from '../../index.ts'
import { type CompiledAttack, conductKeys } from '../../spec/attack/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { lockFolder } from '../../trace/index.ts'
import { layout } from './attack-layout.ts'
import { readAttack, writeAttack } from './attack-record.ts'

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
  // Whoever works there has read what it is, and would go on with it as it was.
  const lock = lockFolder(folder)
  try {
    renew(folder, resolved, differing)
  } finally {
    lock.release()
  }
}

/** Changes how an attack is made. */
function renew(folder: string, resolved: JsonObject, differing: readonly string[]): void {
  const record = readAttack(folder)
  const renewed = (spec: JsonObject): JsonObject => {
    const kept = Object.entries(spec).filter(([key]) => !differing.includes(key))
    const added = differing.flatMap((key) => (resolved[key] === undefined ? [] : [[key, resolved[key]]]))
    return Object.fromEntries([...kept, ...added]) as JsonObject
  }
  writeAttack(folder, { ...record, spec: renewed(record.spec), given: renewed(record.given) })
  // What it says of them is out of date; it is written again.
  rmSync(join(folder, layout.page), { force: true })
}

function short(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}
