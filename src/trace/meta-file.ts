import { join } from 'node:path'
import { z } from 'zod'
import { ZerothError } from '../core/errors.ts'
import { migrateSpec } from '../core/migrate-spec.ts'
import { readWhole, writeAtomically } from './run-file.ts'
import { fileNames, runId } from './run-folder.ts'
import { type JsonObject, type Migration, parseObject, sealedJson, unsealJson } from './sealed-json.ts'
import type { StoreFiles } from './store-files.ts'

/** A run that had ended was extended with other settings. */
const extension = z.strictObject({
  /** How many records the journal had then: the last of them belong to the end that was given up. */
  records: z.int().min(0),
  /** The fields of the spec that changed, with their new values. */
  changes: z.record(z.string(), z.json()),
})

const metaSchema = z.strictObject({
  format: z.literal('zeroth-run'),
  version: z.literal(2),
  id: runId,
  created: z.string().max(64),
  zeroth: z.string().max(64),
  /** Of the methods: raised whenever one of them takes other steps than before. */
  edition: z.int().min(1).default(1),
  spec: z.record(z.string(), z.json()),
  machine: z.record(z.string(), z.json()),
  extensions: z.array(extension),
})

/** The edition of the methods as they are now. */
const edition = 3

/** Methods that take other steps since an edition. */
const changed: Readonly<Record<string, number>> = { zeroth: 3, 'label-only': 3, square: 2, 'sign-hunter': 2 }

/** Leads from each schema version of meta.json to the next. */
const migrations: readonly Migration[] = [(old) => ({ ...old, version: 2, spec: migrateSpec(old.spec) })]

/** What a run is: its id, when and with which zeroth it began, its resolved spec, and how it was extended. */
export type RunMeta = z.output<typeof metaSchema>

/** What the caller says about a new run. */
export type NewRun = Pick<RunMeta, 'id' | 'created' | 'zeroth'> &
  Partial<Pick<RunMeta, 'machine'>> & {
    /** Plain JSON. */
    readonly spec: Readonly<Record<string, unknown>>
  }

/** Checks what is said about a new run. */
export function newMeta({ id, created, zeroth, spec, machine = {} }: NewRun): RunMeta {
  const meta = { format: 'zeroth-run', version: 2, id, created, zeroth, edition, spec, machine, extensions: [] }
  const result = metaSchema.safeParse(meta)
  if (result.success) {
    parseObject('run', JSON.stringify(meta))
    return result.data
  }
  const issue = result.error.issues[0]
  throw new ZerothError('invalid-option', `run.${issue?.path.join('.')}: ${issue?.message}`)
}

/** Reads meta.json; undefined where there is none. */
export function readMeta(files: StoreFiles, folder: string): RunMeta | undefined {
  const path = join(folder, fileNames.meta)
  const bytes = readWhole(files, path)
  return bytes === undefined
    ? undefined
    : unsealJson(path, bytes, { format: 'zeroth-run', schema: metaSchema, migrations })
}

/** Reads meta.json of a folder that must be a run. */
export function requireMeta(files: StoreFiles, folder: string): RunMeta {
  const meta = readMeta(files, folder)
  if (meta === undefined) throw new ZerothError('invalid-run', `${folder} is not a run: it has no ${fileNames.meta}`)
  return meta
}

/** Writes meta.json; its presence makes a folder a run. */
export function writeMeta(files: StoreFiles, folder: string, meta: RunMeta): void {
  writeAtomically(files, join(folder, fileNames.meta), [sealedJson(meta satisfies JsonObject)])
}

/** Refuses to continue a run whose method takes other steps by now: its answers would be taken for those of other points. */
export function refuseOtherSteps(folder: string, { spec, edition: begun }: RunMeta): void {
  const method = Object.keys(changed).find((name) => begun < (changed[name] as number) && uses(spec, name))
  if (method === undefined) return
  const why = `its method ${method} takes other steps now`
  const advice = 'it can still be shown, reported and exported; begin a new run to go on'
  throw new ZerothError(
    'invalid-run',
    `${folder} was begun by an earlier version and cannot be continued: ${why}; ${advice}`,
  )
}

function uses(json: unknown, name: string): boolean {
  if (typeof json !== 'object' || json === null) return false
  if ((json as { name?: unknown }).name === name) return true
  return Object.entries(json).some(([key, value]) => (key === 'solver' && value === name) || uses(value, name))
}
