import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { fileContent } from '../../executors/queue/served.ts'
import { machine, zerothVersion } from '../../provenance/machine.ts'
import { now } from '../../provenance/wall-clock.ts'
import type { CompiledAttack, OpenedAttack } from '../../spec/attack/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { attackFile, defaultName, makeFolder } from '../folders.ts'
import { damaged, differingKeys, isAnother, readStored, refuseOccupied, whileLocked, writeStored } from '../job.ts'
import { layout } from './attack-files.ts'

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
    /** Of a network in a file: a hash of that. */
    readonly content?: string | undefined
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
    model: { shape: { ...shape }, classes, scores, runtime, content: networkContent(resolved) },
    images: { name, available: count, ...(classNames === undefined ? {} : { classNames }) },
  }
}

/** What is in the file of a network; undefined for other models. */
export function networkContent({ model }: JsonObject): string | undefined {
  const { file } = model as { readonly file?: unknown }
  return typeof file === 'string' ? fileContent(file, process.cwd()) : undefined
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
  await whileLocked(folder, () => {
    refuseOccupied(folder)
    writeAttack(folder, record)
  })
}

function writeAttack(folder: string, record: AttackRecord): void {
  writeStored(join(folder, attackFile), 'zeroth-attack', record)
}

/** Reads what an attack is. */
export function readAttack(folder: string): AttackRecord {
  const file = join(folder, attackFile)
  const read = readStored(file, 'zeroth-attack')
  const needed = ['id', 'created', 'zeroth', 'machine', 'spec', 'given', 'model', 'images']
  const missing = needed.find((key) => !(key in read))
  if (missing !== undefined) throw damaged(file, `it has no ${missing}`)
  return read as unknown as AttackRecord
}

/** Refuses another attack than the one that is there. How it is conducted may differ, and is then changed. */
export async function sameAttack(folder: string, { resolved }: Pick<CompiledAttack, 'resolved'>): Promise<void> {
  const { given } = readAttack(folder)
  const differing = differingKeys(given, resolved)
  const { conductKeys } = await import('../../spec/attack/index.ts')
  const other = differing.find((key) => !(conductKeys as readonly string[]).includes(key))
  if (other !== undefined) throw isAnother('attack', folder, other, given, resolved)
  if (differing.length === 0) return
  // A process at work there has read the record, and would continue with it as it was.
  await whileLocked(folder, () => renew(folder, resolved, differing))
}

/** Changes the iterations at which a universal perturbation is kept, where some are given. */
export async function keepSnapshotsAt(folder: string, snapshots: readonly number[] | undefined): Promise<void> {
  if (snapshots === undefined || isDeepStrictEqual(readAttack(folder).snapshots, snapshots)) return
  await whileLocked(folder, () => writeAttack(folder, { ...readAttack(folder), snapshots }))
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
