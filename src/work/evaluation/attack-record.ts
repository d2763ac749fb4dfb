import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ZerothError } from '../../index.ts'
import { machine, zerothVersion } from '../../provenance/machine.ts'
import { now } from '../../provenance/wall-clock.ts'
import type { CompiledAttack, OpenedAttack } from '../../spec/attack/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { lockFolder, writeWholeFile } from '../../trace/index.ts'
import { attackFile, defaultName } from '../folders.ts'
import { makeFolder } from '../make-folder.ts'

/** What an attack is: everything that is known before anything is asked. */
export interface AttackRecord {
  readonly id: string
  readonly created: string
  /** The version of zeroth that made it. */
  readonly zeroth: string
  readonly machine: Readonly<Record<string, string>>
  /** The spec with nothing left open. */
  readonly spec: JsonObject
  /** The spec before its model was opened: what another call of the command must say to mean the same attack. */
  readonly given: JsonObject
  /** Where the learning rate comes from. */
  readonly rateSource: string
  readonly model: {
    readonly shape: JsonObject
    readonly classes: number
    readonly scores: string
    readonly runtime: string
  }
  readonly images: {
    readonly name: string
    readonly available: number
    readonly classNames?: readonly string[] | undefined
  }
  /** Iterations at which a universal perturbation is kept. */
  readonly snapshots?: readonly number[] | undefined
}

/** The record of a new attack, with its model and its images open. */
export function recordOf(
  id: string,
  { resolved: given }: Pick<CompiledAttack, 'resolved'>,
  opened: OpenedAttack,
): AttackRecord {
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

/** What an attack is called unless it is named: after its model, its method, its problem and its seed. */
export function attackName({ model, solver, problem }: JsonObject, file: string | undefined, ending: string): string {
  const { name, file: network = '', model: served } = model as Record<string, string | undefined>
  const subject = served ?? (network === '' ? name : network.replace(/^.*[\\/]|\.onnx$/gi, ''))
  const about = { objective: subject ?? 'model', solver: solver as JsonObject }
  return defaultName(about, file, `${(problem as JsonObject).name}-${ending}`)
}

/** Makes a folder an attack; one that has other things in it is refused. */
export async function createAttack(folder: string, record: AttackRecord): Promise<void> {
  await makeFolder(folder)
  refuseOccupied(folder)
  const lock = lockFolder(folder)
  try {
    refuseOccupied(folder)
    writeAttack(folder, record)
  } finally {
    lock.release()
  }
}

/** Writes what an attack is. */
export function writeAttack(folder: string, record: AttackRecord): void {
  const content = { format: 'zeroth-attack', version: 1, ...record }
  writeWholeFile(join(folder, attackFile), `${JSON.stringify(content, null, 2)}\n`)
}

/** Reads what an attack is. */
export function readAttack(folder: string): AttackRecord {
  const file = join(folder, attackFile)
  const damaged = (why: string, cause?: unknown) =>
    new ZerothError('invalid-run', `${file} is damaged: ${why}`, { cause })
  let read: Record<string, unknown>
  try {
    read = JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw cause instanceof SyntaxError ? damaged('it is no JSON', cause) : cause
  }
  if (read?.format !== 'zeroth-attack') throw damaged('its format is not "zeroth-attack"')
  if (read.version !== 1) throw damaged(`its version is ${String(read.version)}, this zeroth knows 1`)
  const missing = ['id', 'created', 'zeroth', 'machine', 'spec', 'given', 'model', 'images'].find(
    (key) => !(key in read),
  )
  if (missing !== undefined) throw damaged(`it has no ${missing}`)
  const { format: _, version: __, ...record } = read
  return record as unknown as AttackRecord
}

function refuseOccupied(folder: string): void {
  const found = readdirSync(folder).find((name) => !/^lock(\.|$)|\.tmp$/.test(name))
  if (found === undefined) return
  throw new ZerothError('invalid-option', `${folder} is not empty (${found}): choose another folder`)
}
